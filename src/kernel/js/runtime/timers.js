// The timers of a run, so that a stop can clear them.
(function (kernel) {
  'use strict';
  const timers = kernel.require('node:timers');
  const { promisify } = kernel.require('node:util');
  const { clearTimeout, clearImmediate } = timers;
  const FIRST_SWEEP = 64;

  // Timers that have fired stay in the list until it has doubled: no work per timer that fires.
  const note = (timer) => {
    const run = kernel.store();
    if (run === undefined || run.dead) return timer;
    const list = (run.timers ??= []);
    list.push(timer);
    if (list.length >= (run.sweepAt ?? FIRST_SWEEP)) {
      run.timers = list.filter((one) => !one._destroyed);
      run.sweepAt = Math.max(FIRST_SWEEP, run.timers.length * 2);
    }
    return timer;
  };

  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const original = timers[name];
    const make = name === 'setImmediate' ? kernel.makeImmediate : original;
    const wrapped = {
      [name](callback, delay, ...values) {
        return note(values.length === 0 ? make(callback, delay) : make(callback, delay, ...values));
      },
    }[name];

    Object.defineProperty(wrapped, 'length', { value: original.length, configurable: true });
    // Not read: it is a getter, which loads more of Node.
    if (Object.hasOwn(original, promisify.custom)) {
      Object.defineProperty(wrapped, promisify.custom, Object.getOwnPropertyDescriptor(original, promisify.custom));
    }
    timers[name] = wrapped;
    const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value: wrapped, writable: true, enumerable, configurable: true });
  }

  kernel.cleanups.push((run) => {
    for (const timer of run.timers ?? []) {
      if (timer?.constructor?.name === 'Immediate') clearImmediate(timer);
      else clearTimeout(timer);
    }
    run.timers = undefined;
  });
})
