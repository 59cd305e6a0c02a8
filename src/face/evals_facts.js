(() => {
  'use strict';
  // What the eval harness reads of the values it is given, and the frozen copy it gives to the judge.
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');

  /** The numbers of `src/evals/facts.rs`. */
  const MALFORMED = -1;
  const ROOT = -2;
  const NO_LEAF = -2;
  const KINDS = { __proto__: null, system: 0, user: 1, assistant: 2, toolResult: 3 };
  const OTHER = 4;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isCallable = (value) => typeof value === 'function';
  const isFilled = (value) => typeof value === 'string' && value.trim() !== '';

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
      case_.valid =
        isFilled(id) &&
        typeof case_.prompt === 'string' &&
        Array.isArray(files) &&
        case_.files.every(isFilled) &&
        new Set(case_.files).size === case_.files.length &&
        isCallable(case_.prepare) &&
        isCallable(case_.judge) &&
        (case_.timeoutMs === undefined || isTimeout(case_.timeoutMs));
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
    facts.valid =
      facts.disposable &&
      attempt(
        () =>
          isCallable(prepared.readFile) &&
          (facts.cleanable || prepared.cleanup === undefined || prepared.cleanup === null) &&
          isCallable(runtime.prompt) &&
          isCallable(runtime.flush) &&
          isCallable(runtime.getActiveLeafId) &&
          isObject(runtime.session) &&
          isCallable(runtime.session.entries),
      ) === true;
    return facts;
  }

  /** Numbers for strings: equal strings have equal numbers. What is no string has none. */
  class Symbols {
    #numbers = new Map();

    of(value) {
      if (typeof value !== 'string') return MALFORMED;
      let number = this.#numbers.get(value);
      if (number === undefined) this.#numbers.set(value, (number = this.#numbers.size));
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
      const kind = typeof role === 'string' ? (KINDS[role] ?? OTHER) : OTHER;
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

  const leafFact = (leaf, symbols) => (leaf === null || leaf === undefined ? NO_LEAF : symbols.of(leaf));

  const messagesOf = (entries) => entries.filter((entry) => entry.type === 'message').map((entry) => entry.message);

  /** One by one: the list itself may come from another realm, whose arrays are never strictly equal to ours. */
  const sameMessages = (messages, others) =>
    Array.isArray(others) &&
    others.length === messages.length &&
    messages.every((message, place) => isDeepStrictEqual(message, others[place]));

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

  return {
    Symbols,
    booleanFact,
    deepFreeze,
    entryFacts,
    inspectCase,
    inspectPrepared,
    isCallable,
    isObject,
    isTimeout,
    leafFact,
    messageFacts,
    messagesOf,
    sameMessages,
  };
})();
//# sourceURL=evalcell:evals_facts.js
