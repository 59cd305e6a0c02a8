(native, facts, createError) => {
  'use strict';
  // The shell of the eval harness: calls what the case offers and hands Rust facts about it. Which step comes when, and
  // what a report says, is decided there. Nothing that an agent wrote leaves these files except as a number.
  const { booleanFact, deepFreeze, inspectPrepared, isCallable, isObject, isTimeout, messagesOf, sameMessages } = facts;
  const { setTimeout, clearTimeout } = process.getBuiltinModule('node:timers');
  const { structuredClone } = globalThis;

  /** The numbers of `Step` in `src/evals/run.rs`. */
  const DONE = 0;
  const PREPARE = 1;
  const PROMPT = 2;
  const FLUSH = 3;
  const ENTRIES = 4;
  const LEAF = 5;
  const OBSERVE = 6;
  const READ = 7;
  const JUDGE = 8;
  const DISPOSE = 9;
  const CLEANUP = 10;

  // ---- steps -------------------------------------------------------------------------------------------------------

  /** `call` asks the host, `accept` tells Rust what came and gives the next step; whatever either throws fails the step. */
  const STEPS = {
    [PREPARE]: {
      call: (state) => Reflect.apply(state.prepare, state.self, []),
      accept(state, run, prepared) {
        const { valid, disposable, cleanable, runtime } = inspectPrepared(prepared);
        state.prepared = prepared;
        state.runtime = runtime;
        return native.prepared(run, valid, disposable, cleanable);
      },
    },
    [PROMPT]: {
      call: (state) => state.runtime.prompt(state.prompt),
      accept(state, run, result) {
        state.result = result;
        return native.done(run);
      },
    },
    [FLUSH]: { call: (state) => state.runtime.flush(), accept: (_state, run) => native.done(run) },
    [ENTRIES]: {
      call: (state) => state.runtime.session.entries(),
      accept(state, run, entries) {
        if (!Array.isArray(entries)) return native.failed(run);
        state.entries = Array.from(entries);
        return native.entries(run, facts.entryFacts(state.entries, state.symbols));
      },
    },
    [LEAF]: {
      call: (state) => state.runtime.getActiveLeafId(),
      accept: (state, run, leaf) => native.leaf(run, facts.leafFact(leaf, state.symbols)),
    },
    [OBSERVE]: {
      accept(state, run) {
        const entries = native.path(run).map((place) => state.entries[place]);
        const messages = messagesOf(entries);
        const numbers = facts.messageFacts(messages, state.symbols);
        const result = state.result;
        let equal = isObject(result) && sameMessages(messages, result.messages);
        try {
          state.copy = structuredClone({ result, entries });
          // Getters may say one thing to us and another to the copy.
          equal &&= sameMessages(messagesOf(state.copy.entries), state.copy.result.messages);
        } catch {
          state.copy = undefined;
        }
        return native.observed(run, numbers, equal, state.copy !== undefined);
      },
    },
    [READ]: {
      call: (state, run) => state.prepared.readFile(state.files[native.file(run)]),
      accept(state, run, content) {
        if (typeof content !== 'string') return native.failed(run);
        Object.defineProperty(state.contents, state.files[native.file(run)], { value: content, enumerable: true });
        return native.done(run);
      },
    },
    [JUDGE]: {
      call(state) {
        const { result, entries } = state.copy;
        return Reflect.apply(state.judge, state.self, [deepFreeze({ result, entries, files: state.contents })]);
      },
      accept(_state, run, verdict) {
        try {
          const { passed, checks } = verdict;
          if (!Array.isArray(checks)) return native.verdict(run, booleanFact(undefined), new Uint8Array());
          return native.verdict(run, booleanFact(passed), Uint8Array.from(checks, booleanFact));
        } catch {
          return native.verdict(run, booleanFact(undefined), new Uint8Array());
        }
      },
    },
    [DISPOSE]: { call: (state) => state.runtime.dispose(), accept: (_state, run) => native.done(run) },
    [CLEANUP]: { call: (state) => state.prepared.cleanup(), accept: (_state, run) => native.done(run) },
  };

  /** The host's functions may throw, or give any thenable: inside an async function all of that is one native promise. */
  const ask = async (call, state, run) => call(state, run);

  /** Ends what a `prepare` that came too late has opened. Nobody waits for it any more. */
  async function closeLate(prepared) {
    const { disposable, cleanable, runtime } = inspectPrepared(prepared);
    if (disposable) await ask(() => runtime.dispose()).catch(() => {});
    if (cleanable) await ask(() => prepared.cleanup()).catch(() => {});
  }

  /** Ends the waiting for a step: when a budget is used up, or when the suite is called off. */
  class Clock {
    #timer;
    #cut;
    #signal;
    #aborted = () => this.#end(true);
    #closing = false;

    constructor(signal) {
      this.#signal = signal;
      signal?.addEventListener('abort', this.#aborted, { once: true });
    }

    /** Starts a new budget in milliseconds; 0 goes on with the one that runs. */
    start(step, budget) {
      if (budget > 0) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#end(false), budget);
      }
      if (step >= DISPOSE && !this.#closing) {
        this.#closing = true;
        if (budget === 0) clearTimeout(this.#timer);
      }
    }

    /** Settles as `promise` does, or with `{ cut }` when its time is over. */
    wait(promise) {
      return new Promise((resolve, reject) => {
        this.#cut = (aborted) => resolve({ cut: aborted ? 'aborted' : 'timed out' });
        if (this.#signal?.aborted && !this.#closing) this.#cut(true);
        promise.then((value) => resolve({ value }), reject);
      });
    }

    #end(aborted) {
      // Closing goes on after an abort, but not for ever.
      if (aborted && this.#closing) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#end(false), native.closeTimeoutMs);
      } else {
        this.#cut?.(aborted);
      }
    }

    stop() {
      clearTimeout(this.#timer);
      this.#signal?.removeEventListener('abort', this.#aborted);
    }
  }

  async function take(step, state, run, clock) {
    const { call, accept } = STEPS[step];
    let value;
    if (call !== undefined) {
      try {
        clock?.start(step, native.budget(run));
        const asked = ask(call, state, run);
        if (clock === undefined) {
          value = await asked;
        } else {
          const ended = await clock.wait(asked);
          if (ended.cut !== undefined) {
            if (step === PREPARE) asked.then(closeLate, () => {});
            return ended.cut === 'aborted' ? native.abandoned(run) : native.timedOut(run);
          }
          value = ended.value;
        }
      } catch {
        return native.failed(run);
      }
    }
    try {
      return accept(state, run, value);
    } catch {
      return native.failed(run);
    }
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  /** Runs one attempt; gives its machine, from which any number of equal reports can be made. Never rejects. */
  async function attempt(evalCase, timeoutMs, signal) {
    const state = facts.inspectCase(evalCase);
    const budget = state.timeoutMs ?? timeoutMs ?? 0;
    const run = native.begin(state.id, state.valid, state.requested, Math.min(budget, native.maxTimeoutMs));
    if (native.step(run) === DONE) return run;
    state.symbols = new facts.Symbols();
    state.contents = {};
    const clock = budget > 0 || signal !== undefined ? new Clock(signal) : undefined;
    // A case may wait on things that do not keep Node alive; this does.
    const alive = setTimeout(() => {}, native.maxTimeoutMs);
    try {
      let step = native.step(run);
      while (step !== DONE) step = await take(step, state, run, clock);
    } finally {
      clearTimeout(alive);
      clock?.stop();
    }
    return run;
  }

  async function runCase(evalCase) {
    return native.report(await attempt(evalCase));
  }

  const misuse = (message) => createError('EVAL_INVALID_ARGUMENT', message);
  const whole = (least) => ({
    is: (value) => Number.isInteger(value) && value >= least && value <= native.maxCount,
    must: `a whole number from ${least} to ${native.maxCount}`,
  });
  const OPTIONS = {
    __proto__: null,
    trials: whole(1),
    retryInfra: whole(0),
    timeoutMs: { is: isTimeout, must: 'a positive number of milliseconds' },
    signal: {
      is: (value) => isObject(value) && typeof value.aborted === 'boolean' && isCallable(value.addEventListener),
      must: 'an AbortSignal',
    },
    onReport: { is: isCallable, must: 'a function' },
    onProgress: { is: isCallable, must: 'a function' },
  };
  const describe = (value) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return typeof value === 'string' ? JSON.stringify(value) : String(value);
    }
    return Array.isArray(value) ? 'an array' : typeof value === 'function' ? 'a function' : 'an object';
  };

  function readOptions(options) {
    if (options === undefined) return {};
    if (!isObject(options) || isCallable(options) || Array.isArray(options)) {
      throw misuse(`runEvalSuite options must be an object, not ${describe(options)}.`);
    }
    const read = {};
    for (const [name, value] of Object.entries(options)) {
      const rule = OPTIONS[name];
      if (rule === undefined) {
        throw misuse(`Unknown option \`${name}\`; runEvalSuite takes ${Object.keys(OPTIONS).join(', ')}.`);
      }
      if (value === undefined) continue;
      if (!rule.is(value)) throw misuse(`Option \`${name}\` must be ${rule.must}, not ${describe(value)}.`);
      read[name] = value;
    }
    return read;
  }

  /** Observers look on: what they throw changes nothing. */
  const tell = async (observer, ...values) => {
    try {
      await observer?.(...values);
    } catch {
      // Documented: ignored.
    }
  };

  async function runSuite(cases, options) {
    if (!Array.isArray(cases)) throw misuse(`runEvalSuite takes an array of eval cases, not ${describe(cases)}.`);
    const { trials = 1, retryInfra = 0, timeoutMs, signal, onReport, onProgress } = readOptions(options);
    const list = Array.from(cases);
    const plan = native.plan(list.length, trials, retryInfra);
    const reports = [];
    for (let next = native.next(plan); next !== null && !signal?.aborted; next = native.next(plan)) {
      const [caseIndex, trial, retry] = next;
      const progress = (type, status) =>
        tell(onProgress, {
          type,
          caseIndex,
          trial,
          retry,
          done: reports.length,
          total: list.length * trials,
          ...(status && { status }),
        });
      await progress('start');
      if (signal?.aborted) break;
      const run = await attempt(list[caseIndex], timeoutMs, signal);
      if (native.isAbandoned(run)) break;
      const counts = native.ended(plan, run);
      const report = native.report(run);
      if (counts) reports.push(report);
      // An observer gets a report of its own: what it does to it changes nothing.
      if (counts && onReport) await tell(onReport, native.report(run), { caseIndex, trial });
      await progress(counts ? 'end' : 'retry', report.status);
    }
    return reports;
  }

  return { runCase, runSuite };
};
//# sourceURL=evalcell:evals.js
