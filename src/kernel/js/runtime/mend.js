// What a termination leaves torn inside Node, and how it is mended.
(function (kernel) {
  'use strict';
  const { setImmediate } = kernel.require('node:timers');
  const FIRST_SWEEP = 64;
  /** The place in Node's own table where it counts immediates that have not begun. */
  const COUNT = 0;
  const nothing = () => {};

  // Node warns of what only we use; what cells use it may warn of.
  const { emitWarning } = process;
  process.emitWarning = {
    emitWarning(warning, ...rest) {
      if (typeof warning === 'string' && warning.startsWith('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER')) return;
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    },
  }.emitWarning;

  let internals;
  try {
    const { clearAsyncIdStack } = kernel.internalBinding('async_wrap');
    const { immediateInfo } = kernel.internalBinding('timers');
    const { immediateQueue, timerListMap, timerListQueue } = kernel.require('internal/timers');
    internals = { clearAsyncIdStack, immediateInfo, immediateQueue, timerListMap, timerListQueue };
  } catch {
    // Bun has no such thing, and cannot be interrupted either.
  }

  kernel.mend = nothing;
  kernel.settleImmediates = nothing;
  kernel.makeImmediate = setImmediate;
  if (internals === undefined) return;
  const { clearAsyncIdStack, immediateInfo, immediateQueue, timerListMap, timerListQueue } = internals;

  // Node takes the immediates of a turn off its list and runs them one by one; only behind the first it remembers where it
  // is. A termination in the first makes it forget the others, so the first is one of ours. A termination in a later one
  // makes it come back to that, fail over it because it has begun already, and come back, for ever. Which one that is,
  // Node does not say: whatever has begun is made such that has not. Node passes the one; the others are set right later.
  let made = [];
  let sweepAt = FIRST_SWEEP;
  let mended = [];
  kernel.makeImmediate = (...values) => {
    if (immediateQueue.head === null) setImmediate(nothing);
    const immediate = setImmediate(...values);
    made.push(immediate);
    if (made.length >= sweepAt) {
      made = made.filter((one) => !one._destroyed || one._onImmediate);
      sweepAt = Math.max(FIRST_SWEEP, made.length * 2);
    }
    return immediate;
  };

  const mendImmediates = () => {
    for (const one of made) {
      if (!one._destroyed) continue;
      one._onImmediate = nothing;
      one._destroyed = false;
      immediateInfo[COUNT] += 1;
      mended.push(one);
    }
  };

  /** While Node is in none of them. */
  kernel.settleImmediates = () => {
    for (const one of mended) {
      if (one._destroyed) continue;
      one._onImmediate = null;
      one._destroyed = true;
      immediateInfo[COUNT] -= 1;
    }
    if (mended.length > 0) mended = [];
    // They hold their runs.
    if (made.length > 0) made = made.filter((one) => !one._destroyed);
  };

  // A list of timers that is empty leaves a table and then a queue: between the two, Node finds it there for ever.
  const mendTimers = () => {
    const list = timerListQueue.peek();
    if (list !== undefined && list._idleNext === list && timerListMap[list.msecs] !== list) timerListQueue.shift();
  };

  /** After each termination, before Node goes on. */
  kernel.mend = () => {
    clearAsyncIdStack();
    mendImmediates();
    mendTimers();
  };
})
