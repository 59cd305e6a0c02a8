// Lossless JSON of JavaScript values, for the worker and for the host. An expression: evaluates to a factory.
//
//   const { encode, encodeDisplay, isLosslessError } = createLossless(require('node:util'))
//   encode(value, 'args')    JSON text, or a TypeError with `place` ('args.rows[3].id') and `problem` ('NaN')
//   encodeDisplay(value)     JSON text in which what JSON cannot carry is its text; a TypeError only for a cycle
//                            or for a text over the size limit
//
// Depth is limited by size alone: only values known to be shallow go through the engine's own, recursive writer.
(function createLossless(util) {
  'use strict';

  // Longest JSON text, in UTF-16 units: what one protocol line carries. Also bounds values that share parts many times.
  const MAX_LENGTH = 64 * 1024 * 1024;
  const MAX_PLACE_LENGTH = 240;
  // What the engine's own writer is given: deeper values, and cycles, take the iterative way.
  const SHALLOW_DEPTH = 100;
  // Members that are walked before it pays to note which containers were.
  const UNCOUNTED_VALUES = 1_000_000;

  // Taken now: a cell may replace globals later.
  const { stringify } = JSON;
  const { isArray, prototype: arrayPrototype } = Array;
  const { isInteger, isFinite, MAX_SAFE_INTEGER } = Number;
  const { getPrototypeOf, getOwnPropertySymbols, getOwnPropertyDescriptor, keys: keysOf, prototype: objectPrototype } = Object;
  const toBigInt = BigInt;
  const hasOwn = Object.hasOwn;
  const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
  const { inspect, types } = util;

  // A plain TypeError for the reader; who catches it asks `isLosslessError` and reads `place` and `problem`.
  const refusals = new WeakSet();
  const isLosslessError = (thrown) => typeof thrown === 'object' && thrown !== null && refusals.has(thrown);
  function losslessError(place, problem) {
    const error = new TypeError(place === '' ? `not lossless JSON: ${problem}` : `not lossless JSON at ${place}: ${problem}`);
    Object.defineProperties(error, { place: { value: place }, problem: { value: problem } });
    refusals.add(error);
    return error;
  }

  function placeOf(stack, root) {
    let place = root;
    for (const { keys, index } of stack) {
      const key = keys === null ? index : keys[index];
      if (keys === null) place += `[${key}]`;
      else if (IDENTIFIER.test(key)) place += place === '' ? key : `.${key}`;
      else place += `[${stringify(key)}]`;
    }
    if (place.length <= MAX_PLACE_LENGTH) return place;
    const half = MAX_PLACE_LENGTH / 2;
    return `${place.slice(0, half)}\u2026${place.slice(-half)}`;
  }

  // The text of a value that a person reads; never throws.
  function describe(value, depth = 4) {
    try {
      return typeof value === 'string' ? value : inspect(value, { depth, breakLength: 120 });
    } catch {
      try {
        return Object.prototype.toString.call(value);
      } catch {
        return typeof value;
      }
    }
  }

  function describeThrown(thrown) {
    try {
      return typeof thrown?.message === 'string' ? thrown.message : describe(thrown, 0);
    } catch {
      return 'an error';
    }
  }

  // A plain object of this realm or another one: a realm's Object.prototype is the one object prototype without a parent.
  function isPlain(value) {
    const prototype = getPrototypeOf(value);
    if (prototype === objectPrototype || prototype === null) return true;
    return getPrototypeOf(prototype) === null && hasOwn(prototype, 'isPrototypeOf');
  }

  function classOf(value) {
    try {
      const name = getPrototypeOf(value)?.constructor?.name;
      return typeof name === 'string' && name !== '' ? name : 'a class';
    } catch {
      return 'a class';
    }
  }

  // Why an object that is neither an array nor plain is refused.
  function problemOf(value) {
    if (types.isPromise(value)) return 'a Promise (is an `await` missing?)';
    return `an instance of ${classOf(value)}`;
  }

  // JSON text of anything but an object; undefined where JSON has none.
  function scalar(value) {
    switch (typeof value) {
      case 'string':
        return stringify(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'number':
        if (isFinite(value) && (value !== 0 || 1 / value > 0)) {
          // All digits of the exact value: `String(2 ** 60)` ends in zeros that are not there.
          return isInteger(value) && (value > MAX_SAFE_INTEGER || value < -MAX_SAFE_INTEGER) ? `${toBigInt(value)}` : `${value}`;
        }
        return undefined;
      default:
        return value === null ? 'null' : undefined;
    }
  }

  function scalarProblem(value) {
    switch (typeof value) {
      case 'number':
        return value === 0 ? '-0' : `${value}`;
      case 'bigint':
        return `a BigInt (${describe(value).slice(0, 40)})`;
      case 'function':
        return 'a function';
      case 'symbol':
        return 'a symbol';
      default:
        return 'undefined';
    }
  }

  // The text that stands for a value which JSON cannot carry, in a display.
  function displayText(value) {
    switch (typeof value) {
      case 'number':
        return value === 0 ? '-0' : `${value}`;
      case 'bigint':
        return `${value}`;
      default:
        return describe(value);
    }
  }

  // In a display a class instance shows its fields, and what serialises itself (a Date, a URL) does so.
  function displayForm(value) {
    if (types.isProxy(value)) return describe(value);
    if (isArray(value)) return value;
    try {
      if (typeof value.toJSON === 'function') {
        const form = value.toJSON();
        if (form !== value && (typeof form !== 'object' || form === null || isArray(form) || isPlain(form))) return form;
      }
      return isPlain(value) || isFieldsOnly(value) ? value : describe(value);
    } catch {
      return describe(value);
    }
  }

  // Whether the fields of an instance say all there is: not so for Map, Error, typed arrays and their like.
  function isFieldsOnly(value) {
    if (types.isModuleNamespaceObject(value)) return true;
    return objectPrototype.toString.call(value) === '[object Object]' && !types.isBoxedPrimitive(value) && !types.isExternal(value);
  }

  const tooLong = `a text of more than ${MAX_LENGTH} characters`;

  function write(top, root, display) {
    // Frames { value, source, keys (null for an array), index, count, any, text, length }: the way from the top to where we
    // are, with the text of each so far.
    const stack = [];
    const open = new Set();
    // Texts of what was written whole: a part that is shared many times is written once.
    const written = new Map();
    let length = 0;
    const refuse = (problem) => {
      throw losslessError(placeOf(stack, root), problem);
    };
    let value = top;
    for (;;) {
      let piece = scalar(value) ?? written.get(value);
      if (piece === undefined) {
        let container = typeof value === 'object' ? value : undefined;
        if (container === undefined) {
          if (!display) refuse(scalarProblem(value));
          piece = stringify(displayText(value));
        } else if (display) {
          const form = displayForm(container);
          if (typeof form !== 'object' || form === null) {
            piece = scalar(form) ?? stringify(displayText(form));
            container = undefined;
          } else container = form;
        } else {
          try {
            if (!isArray(container) && !isPlain(container)) refuse(problemOf(container));
          } catch (thrown) {
            if (isLosslessError(thrown)) throw thrown;
            refuse(`a value that cannot be read (${describeThrown(thrown)})`);
          }
        }
        if (container !== undefined) {
          if (open.has(container)) refuse('a cycle');
          let keys = null;
          let count;
          try {
            if (isArray(container)) count = container.length;
            else {
              keys = keysOf(container);
              count = keys.length;
              if (!display && getOwnPropertySymbols(container).some((symbol) => getOwnPropertyDescriptor(container, symbol)?.enumerable)) {
                refuse('a member whose key is a symbol');
              }
            }
          } catch (thrown) {
            if (isLosslessError(thrown)) throw thrown;
            refuse(`a value that cannot be read (${describeThrown(thrown)})`);
          }
          open.add(container);
          stack.push({ value: container, source: value, keys, index: -1, count, any: false, text: keys === null ? '[' : '{' });
          length += 2;
        }
      }
      let frame = stack[stack.length - 1];
      if (piece !== undefined) {
        length += piece.length;
        if (length > MAX_LENGTH) refuse(tooLong);
        if (frame === undefined) return piece;
        frame.text += piece;
      }
      // On to the next value.
      for (;;) {
        frame = stack[stack.length - 1];
        frame.index += 1;
        if (frame.index >= frame.count) {
          const text = frame.text + (frame.keys === null ? ']' : '}');
          open.delete(frame.value);
          stack.pop();
          if (stack.length === 0) return text;
          written.set(frame.source, text);
          stack[stack.length - 1].text += text;
          continue;
        }
        const key = frame.keys === null ? frame.index : frame.keys[frame.index];
        try {
          value = frame.value[key];
        } catch (thrown) {
          if (!display) refuse(`a getter that throws (${describeThrown(thrown)})`);
          value = `[getter throws: ${describeThrown(thrown)}]`;
        }
        if (frame.keys !== null && value === undefined) continue;
        const before = `${frame.any ? ',' : ''}${frame.keys !== null ? `${stringify(key)}:` : ''}`;
        frame.any = true;
        frame.text += before;
        length += before.length;
        if (length > MAX_LENGTH) refuse(tooLong);
        break;
      }
    }
  }

  // Whether the engine's `JSON.stringify` writes exactly what `write` would, and in bounds: plain, shallow, ordinary
  // numbers. Several times faster, and nearly all values are of this kind.
  //
  // `room` is what the least length of the text so far leaves of the limit. When it is used up, `way` tells where.
  // `counted` has the least lengths of containers once a value has very many members: a part that is shared many times is
  // walked once.
  let room = 0;
  let budget = 0;
  let counted;
  let way = [];
  function isOrdinary(value, depth) {
    switch (typeof value) {
      case 'string':
        return (room -= value.length + 2) >= 0;
      case 'boolean':
        return (room -= 4) >= 0;
      case 'number':
        if ((room -= 1) < 0) return false;
        return value === 0 ? 1 / value > 0 : value <= MAX_SAFE_INTEGER && value >= -MAX_SAFE_INTEGER;
      case 'object':
        break;
      default:
        return false;
    }
    if (value === null) return (room -= 4) >= 0;
    if (depth === 0) return false;
    if (counted !== undefined) {
      const size = counted.get(value);
      if (size !== undefined) return (room -= size) >= 0;
    } else if (budget < 0) counted = new Map();
    if (types.isProxy(value)) return false;
    const before = room;
    if (isArray(value)) {
      const { length } = value;
      budget -= length;
      if ((room -= length === 0 ? 2 : length + 1) < 0 || getPrototypeOf(value) !== arrayPrototype) return false;
      for (let index = 0; index < length; index += 1) {
        if (!isOrdinary(value[index], depth - 1)) return passed(null, index);
      }
    } else {
      const prototype = getPrototypeOf(value);
      if ((prototype !== objectPrototype && prototype !== null) || getOwnPropertySymbols(value).length > 0) return false;
      room -= 2;
      for (const key in value) {
        budget -= 1;
        const member = value[key];
        if (member === undefined) continue;
        if ((room -= key.length + 3) < 0 || !isOrdinary(member, depth - 1)) return passed([key], 0);
      }
    }
    if (counted !== undefined) counted.set(value, before - room);
    return true;
  }

  function passed(keys, index) {
    if (room < 0) way.unshift({ keys, index });
    return false;
  }

  // Prototypes that a cell has given a `toJSON` or a member of their own change what the engine writes.
  function isUntouched() {
    for (const _ in objectPrototype) return false;
    return !('toJSON' in arrayPrototype) && !('toJSON' in String.prototype) && !('toJSON' in Number.prototype);
  }

  // The text of an ordinary value; undefined for any other.
  function writeOrdinary(value, root) {
    if (typeof value !== 'object' || value === null) return undefined;
    room = MAX_LENGTH;
    budget = UNCOUNTED_VALUES;
    way = [];
    try {
      if (isOrdinary(value, SHALLOW_DEPTH) && isUntouched()) {
        const text = stringify(value);
        return text.length <= MAX_LENGTH ? text : undefined;
      }
    } catch {
      // The exact way says what is wrong, and where.
      return undefined;
    } finally {
      counted = undefined;
    }
    if (room < 0) throw losslessError(placeOf(way, root), tooLong);
    return undefined;
  }

  return {
    encode: (value, root = '') => writeOrdinary(value, root) ?? write(value, root, false),
    encodeDisplay: (value) => writeOrdinary(value, '') ?? write(value, '', true),
    describe,
    describeThrown,
    isPlain,
    isFieldsOnly,
    isLosslessError,
  };
})
