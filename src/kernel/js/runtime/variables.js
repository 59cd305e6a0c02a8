// `variables()`: the user's names, with a short and safe look at each.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { inspect, types } = kernel.require('node:util');
  const REPR_CHARACTERS = 120;
  const OPTIONS = { depth: 1, maxArrayLength: 10, maxStringLength: 100, breakLength: Infinity, customInspect: false, getters: false };

  const typeOf = (value) => {
    if (value === null) return 'null';
    if (typeof value !== 'object') return typeof value;
    if (types.isProxy(value)) return 'Proxy';
    try {
      const name = Object.getPrototypeOf(value)?.constructor?.name;
      return typeof name === 'string' && name !== '' ? name : 'Object';
    } catch {
      return 'Object';
    }
  };
  const sizeOf = (value) => {
    if (typeof value === 'string') return value.length;
    if (value === null || typeof value !== 'object' || types.isProxy(value)) return undefined;
    if (Array.isArray(value)) return value.length;
    if (types.isMap(value)) return Reflect.get(Map.prototype, 'size', value);
    if (types.isSet(value)) return Reflect.get(Set.prototype, 'size', value);
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return value.byteLength;
    return undefined;
  };

  const row = (name, onSession) => {
    const owner = onSession === '' ? globalThis : kernel.session;
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    if (descriptor === undefined) return undefined;
    // The getter of an import; anybody else's may do what it likes, and throw.
    const value = 'value' in descriptor ? descriptor.value : owner[name];
    if (types.isPromise(value)) kernel.tidyPromise?.call(value);
    let repr = inspect(value, OPTIONS).replace(/\s+/g, ' ');
    if (repr.length > REPR_CHARACTERS) repr = `${repr.slice(0, REPR_CHARACTERS - 1)}\u2026`;
    return { name, type: typeOf(value), repr, size: sizeOf(value) };
  };

  kernel.variables = (request) => {
    const rows = [];
    for (const [name, onSession] of native.userNames()) {
      try {
        rows.push(row(name, onSession));
      } catch {
        rows.push({ name, type: 'unknown', repr: '\u2026' });
      }
    }
    native.variablesAnswer(request, JSON.stringify(rows.filter((one) => one !== undefined)));
  };
})
