// `variables()`: the user's names, with a short and safe look at each.
(kernel) => {
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
    if (types.isMap(value)) return Map.prototype.size !== undefined ? value.size : Reflect.get(Map.prototype, 'size', value);
    if (types.isSet(value)) return Reflect.get(Set.prototype, 'size', value);
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return value.byteLength;
    return undefined;
  };

  kernel.variables = (request) => {
    const rows = [];
    for (const [name, onSession] of native.userNames()) {
      const owner = onSession === '' ? globalThis : kernel.session;
      const descriptor = Object.getOwnPropertyDescriptor(owner, name);
      if (descriptor === undefined) continue;
      let value;
      try {
        value = 'value' in descriptor ? descriptor.value : owner[name];
      } catch {
        continue;
      }
      let repr;
      try {
        if (types.isPromise(value)) kernel.tidyPromise?.call(value);
        repr = inspect(value, OPTIONS).replace(/\s+/g, ' ');
      } catch {
        repr = '…';
      }
      if (repr.length > REPR_CHARACTERS) repr = `${repr.slice(0, REPR_CHARACTERS - 1)}…`;
      rows.push({ name, type: typeOf(value), repr, size: sizeOf(value) });
    }
    native.variablesAnswer(request, JSON.stringify(rows));
  };
}
