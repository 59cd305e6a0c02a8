// Who runs: each cell runs inside its own store, which timers, promises and events that it starts inherit.
(kernel) => {
  'use strict';
  const { AsyncLocalStorage, AsyncResource } = kernel.require('node:async_hooks');
  const { native } = kernel;
  const storage = new AsyncLocalStorage();

  kernel.storage = storage;
  /** The run that the caller belongs to, also after it has ended; undefined for code of nobody. */
  kernel.store = () => storage.getStore();
  /** The run that has not ended yet, or null. */
  kernel.current = null;

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
}
