// Who runs: each cell runs inside its own store, which timers, promises and events that it starts inherit.
(function (kernel) {
  'use strict';
  const { AsyncLocalStorage, AsyncResource } = kernel.require('node:async_hooks');
  const { native } = kernel;
  const storage = new AsyncLocalStorage();

  /** Node's own parts; undefined where they cannot be had. */
  kernel.internalBinding = (name) => {
    const { emitWarning } = process;
    // Of these, Node warns.
    process.emitWarning = () => {};
    try {
      return kernel.require('internal/test/binding').internalBinding(name);
    } catch {
      return undefined;
    } finally {
      process.emitWarning = emitWarning;
    }
  };

  kernel.storage = storage;
  /** The run that the caller belongs to, also after it has ended; undefined for code of nobody. */
  kernel.store = () => storage.getStore();
  /** The run that has not ended yet, or null. */
  kernel.current = null;

  // Up to Node 22 the store is a property of every promise, timer and handle, for all to see when they are printed. Under one of
  // V8's private symbols nobody sees it; this one otherwise stands only on errors, which are none of these.
  const { decorated_private_symbol: unseen } = kernel.internalBinding('util')?.privateSymbols ?? {};
  if (unseen !== undefined && typeof storage.kResourceStore === 'symbol') storage.kResourceStore = unseen;

  // With the store come the ids of promises. Hiding them when one is made would cost every `await`; hiding them when one is
  // looked at costs nothing.
  const { inspect } = kernel.require('node:util');
  const { defineProperty, getOwnPropertySymbols } = Object;
  const IDS = new Set(['async_id_symbol', 'trigger_async_id_symbol']);
  if (storage.run({}, () => getOwnPropertySymbols(Promise.resolve()).length) > 0) {
    kernel.tidyPromise = function () {
      for (const symbol of getOwnPropertySymbols(this)) {
        if (IDS.has(symbol.description)) defineProperty(this, symbol, { enumerable: false });
      }
      return this;
    };
    defineProperty(Promise.prototype, inspect.custom, { value: kernel.tidyPromise, writable: true, enumerable: false, configurable: true });
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

  // Each round of a loop enters it, because V8 looks for interrupts at the entry of a function. `new.target` keeps V8's
  // middle tier (Maglev), whose loops may not look for seconds, from inlining it; the last tier inlines it to nothing and looks itself.
  kernel.tick = function _$tick() {
    return new.target;
  };
  kernel.hide('_$tick', kernel.tick);

  /** Ends the JavaScript that runs now: no catch, no finally. */
  kernel.halt = () => {
    if (!kernel.interruptible) throw new Error('This cell was stopped.');
    native.halt();
    for (;;) kernel.tick();
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
