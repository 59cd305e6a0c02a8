((native, EvalError) => {
  'use strict';
  // The shell of the eval harness: calls what the case offers and hands Rust facts about it. Which step comes when, and
  // what a report says, is decided there. Nothing that an agent wrote leaves this file except as a number.
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  const { setTimeout, clearTimeout } = process.getBuiltinModule('node:timers');
  const { structuredClone } = globalThis;

  /** The numbers of `Step` in `src/evals/run.rs`. */
  const DONE = 0, PREPARE = 1, PROMPT = 2, FLUSH = 3, ENTRIES = 4, LEAF = 5, OBSERVE = 6, READ = 7, JUDGE = 8, DISPOSE = 9,
    CLEANUP = 10;
  /** The numbers of `src/evals/facts.rs`. */
  const MALFORMED = -1, ROOT = -2, NO_LEAF = -2;
  const KINDS = { __proto__: null, system: 0, user: 1, assistant: 2, toolResult: 3 };
  const OTHER = 4;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isCallable = (value) => typeof value === 'function';
  const isFilled = (value) => typeof value === 'string' && value.trim() !== '';

  // ---- facts -------------------------------------------------------------------------------------------------------

  /** Everything that is read of a case, once: what the case does to itself later changes nothing. Never throws. */
  function inspectCase(evalCase) {
    const case_ = { self: evalCase, id: '', files: [], requested: 0, valid: false };
    try {
      if (!isObject(evalCase)) return case_;
      const id = evalCase.id;
      if (typeof id === 'string') case_.id = id;
      const files = evalCase.files;
      if (Array.isArray(files)) {
        case_.requested = files.length;
        case_.files = Array.from(files);
      }
      case_.prompt = evalCase.prompt;
      case_.prepare = evalCase.prepare;
      case_.judge = evalCase.judge;
      case_.timeoutMs = evalCase.timeoutMs;
      case_.valid = isFilled(id) && typeof case_.prompt === 'string'
        && Array.isArray(files) && case_.files.every(isFilled) && new Set(case_.files).size === case_.files.length
        && isCallable(case_.prepare) && isCallable(case_.judge)
        && (case_.timeoutMs === undefined || isTimeout(case_.timeoutMs));
    } catch {
      // A getter or a proxy that throws: the case is malformed.
    }
    return case_;
  }

  const isTimeout = (value) => typeof value === 'number' && value > 0 && value !== Infinity;

  /** What of a prepared value can be used, as far as it can be read. Never throws. */
  function inspectPrepared(prepared) {
    const facts = { valid: false, disposable: false, cleanable: false, runtime: undefined };
    const attempt = (read) => {
      try {
        return read();
      } catch {
        return undefined;
      }
    };
    if (!isObject(prepared)) return facts;
    facts.cleanable = attempt(() => isCallable(prepared.cleanup)) === true;
    const runtime = attempt(() => prepared.runtime);
    if (!isObject(runtime)) return facts;
    facts.runtime = runtime;
    facts.disposable = attempt(() => isCallable(runtime.dispose)) === true;
    facts.valid = facts.disposable && attempt(() => isCallable(prepared.readFile)
      && (facts.cleanable || prepared.cleanup === undefined || prepared.cleanup === null)
      && isCallable(runtime.prompt) && isCallable(runtime.flush) && isCallable(runtime.getActiveLeafId)
      && isObject(runtime.session) && isCallable(runtime.session.entries)) === true;
    return facts;
  }

  /** Numbers for strings: equal strings have equal numbers. What is no string has none. */
  class Symbols {
    #numbers = new Map();

    of(value) {
      if (typeof value !== 'string') return MALFORMED;
      let number = this.#numbers.get(value);
      if (number === undefined) this.#numbers.set(value, number = this.#numbers.size);
      return number;
    }
  }

  function entryFacts(entries, symbols) {
    const facts = new Int32Array(entries.length * 2);
    entries.forEach((entry, place) => {
      const readable = isObject(entry);
      const parent = readable ? entry.parentId : undefined;
      facts[place * 2] = readable ? symbols.of(entry.id) : MALFORMED;
      facts[place * 2 + 1] = parent === null || parent === undefined ? ROOT : symbols.of(parent);
    });
    return facts;
  }

  function messageFacts(messages, symbols) {
    const facts = [];
    for (const message of messages) {
      const role = isObject(message) ? message.role : undefined;
      const kind = typeof role === 'string' ? KINDS[role] ?? OTHER : OTHER;
      facts.push(kind);
      if (kind === KINDS.assistant) {
        const content = message.content;
        const blocks = Array.isArray(content) ? Array.from(content) : [];
        const calls = blocks.filter((block) => isObject(block) && block.type === 'toolCall');
        facts.push(calls.length);
        for (const call of calls) facts.push(symbols.of(call.id), symbols.of(call.name));
      } else if (kind === KINDS.toolResult) {
        facts.push(symbols.of(message.toolCallId), symbols.of(message.toolName), message.isError === true ? 1 : 0);
      }
    }
    return Int32Array.from(facts);
  }

  const messagesOf = (entries) => entries.filter((entry) => entry.type === 'message').map((entry) => entry.message);

  /** One by one: the list itself may come from another realm, whose arrays are never strictly equal to ours. */
  const sameMessages = (messages, others) => Array.isArray(others) && others.length === messages.length
    && messages.every((message, place) => isDeepStrictEqual(message, others[place]));

  const booleanFact = (value) => (value === true ? 1 : value === false ? 0 : 2);

  // ---- freezing ----------------------------------------------------------------------------------------------------

  const refuse = () => {
    throw new TypeError('An observation is read-only');
  };
  const CHANGERS = new Map([
    [Map.prototype, ['set', 'delete', 'clear']],
    [Set.prototype, ['add', 'delete', 'clear']],
    [Date.prototype, Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'))],
  ]);

  /**
   * Freezes a copy all the way down, without recursion. The methods that change a Map, Set or Date are shadowed by ones
   * that throw; the bytes of typed arrays and buffers cannot be frozen, they are the judge's own copy.
   */
  function deepFreeze(root) {
    const seen = new Set();
    const waiting = [root];
    const visit = (value) => {
      if (isObject(value) && !seen.has(value)) {
        seen.add(value);
        waiting.push(value);
      }
    };
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (object instanceof Map) object.forEach((value, key) => (visit(key), visit(value)));
      else if (object instanceof Set) object.forEach(visit);
      for (const name of CHANGERS.get(Object.getPrototypeOf(object)) ?? []) {
        Object.defineProperty(object, name, { value: refuse });
      }
      if (ArrayBuffer.isView(object)) {
        Object.preventExtensions(object);
        continue;
      }
      for (const key of Reflect.ownKeys(object)) visit(Object.getOwnPropertyDescriptor(object, key).value);
      Object.freeze(object);
    }
    return root;
  }

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
        return native.entries(run, entryFacts(state.entries, state.symbols));
      },
    },
    [LEAF]: {
      call: (state) => state.runtime.getActiveLeafId(),
      accept: (state, run, leaf) => native.leaf(run, leaf === null || leaf === undefined ? NO_LEAF : state.symbols.of(leaf)),
    },
    [OBSERVE]: {
      accept(state, run) {
        const entries = native.path(run).map((place) => state.entries[place]);
        const messages = messagesOf(entries);
        const facts = messageFacts(messages, state.symbols);
        const result = state.result;
        let equal = isObject(result) && sameMessages(messages, result.messages);
        try {
          state.copy = structuredClone({ result, entries });
          // Getters may say one thing to us and another to the copy.
          equal &&= sameMessages(messagesOf(state.copy.entries), state.copy.result.messages);
        } catch {
          state.copy = undefined;
        }
        return native.observed(run, facts, equal, state.copy !== undefined);
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
        const asked = ask(call, state, run);
        if (clock === undefined) {
          value = await asked;
        } else {
          clock.start(step, native.budget(run));
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
    const state = inspectCase(evalCase);
    const budget = state.timeoutMs ?? timeoutMs ?? 0;
    const run = native.begin(state.id, state.valid, state.requested, Math.min(budget, native.maxTimeoutMs));
    if (native.step(run) === DONE) return run;
    state.symbols = new Symbols();
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

  const misuse = (message) => new EvalError('EVAL_INVALID_ARGUMENT', message);
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
      const progress = (type, status) => tell(onProgress, {
        type, caseIndex, trial, retry, done: reports.length, total: list.length * trials, ...(status && { status }),
      });
      await progress('start');
      if (signal?.aborted) break;
      const run = await attempt(list[caseIndex], timeoutMs, signal);
      if (native.isAbandoned(run)) break;
      const counts = native.ended(plan, run);
      const { status } = native.report(run);
      if (counts) {
        reports.push(native.report(run));
        await tell(onReport, native.report(run), { caseIndex, trial });
      }
      await progress(counts ? 'end' : 'retry', status);
    }
    return reports;
  }

  return { runCase, runSuite };
})
//# sourceURL=evalcell:evals.js
