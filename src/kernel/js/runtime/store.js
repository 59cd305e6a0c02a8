// Who runs: each cell runs inside its own store, which timers, promises and events that it starts inherit.
(function (kernel) {
  'use strict';
  const { AsyncLocalStorage, AsyncResource } = kernel.require('node:async_hooks');
  const { native } = kernel;
  const storage = new AsyncLocalStorage();

  kernel.storage = storage;
  /** The run that the caller belongs to, also after it has ended; undefined for code of nobody. */
  kernel.store = () => storage.getStore();
  /** The run that has not ended yet, or null. */
  kernel.current = null;

  // Node 20 keeps the store on every promise and timer, for all to see when they are printed. Hiding it when one is made
  // would cost every `await`; hiding it when one is looked at costs nothing.
  const { inspect } = kernel.require('node:util');
  const { defineProperty, getOwnPropertySymbols } = Object;
  const hiddenIn = (names) => {
    const hidden = new Set(names);
    return function () {
      for (const symbol of getOwnPropertySymbols(this)) {
        if (hidden.has(symbol.description)) defineProperty(this, symbol, { enumerable: false });
      }
      return this;
    };
  };
  if (storage.run({}, () => getOwnPropertySymbols(Promise.resolve()).length) > 0) {
    const hide = (prototype, names) =>
      defineProperty(prototype, inspect.custom, { value: hiddenIn(names), writable: true, enumerable: false, configurable: true });
    hide(Promise.prototype, ['async_id_symbol', 'trigger_async_id_symbol', 'kResourceStore']);
    kernel.tidyPromise = Promise.prototype[inspect.custom];
    const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
    const timer = setTimeout(() => {}, 1);
    const immediate = setImmediate(() => {});
    for (const one of [timer, immediate]) hide(Object.getPrototypeOf(one), ['kResourceStore']);
    clearTimeout(timer);
    clearImmediate(immediate);
  }

  // A fresh resource for each cell: what a termination leaves behind in it (the stores of a library's own
  // AsyncLocalStorage, for example) dies with it and never reaches the next cell.
  kernel.enter = (run, action, ...rest) =>
    new AsyncResource('EvalcellCell').runInAsyncScope(() => storage.run(run, action, run, ...rest));

  /** To what run id something belongs that happens now: 0 when its run has ended. */
  kernel.owner = () => {
    const { current } = kernel;
    if (current === null) return 0;
    const store = storage.getStore();
    return store === undefined || store === current ? current.id : 0;
  };

  kernel.hide = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });

  /** Ends the JavaScript that runs now: no catch, no finally. */
  kernel.halt = () => {
    if (!kernel.interruptible) throw new Error('This cell was stopped.');
    native.halt();
    for (;;);
  };

  // Named as the transform's checks name them. `_$stop` must stay a plain property: while it never changes, V8 folds the
  // check to nothing.
  kernel.hide('_$stop', false);
  kernel.hide('_$halt', function _$halt() {
    const store = storage.getStore();
    if (store !== undefined && store.dead) kernel.halt();
  });
  kernel.hide('_$step', function _$step(value) {
    if (_$stop) _$halt();
    return value;
  });

  // The checks cost something as long as they have something to find: until the last dead run's store is collected.
  let dead = 0;
  const collected = new FinalizationRegistry(() => {
    if (--dead === 0) globalThis._$stop = false;
  });
  kernel.declareDead = (run) => {
    if (run.dead) return;
    run.dead = true;
    dead += 1;
    globalThis._$stop = true;
    collected.register(run, null);
  };
})
