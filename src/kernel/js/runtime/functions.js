// `Function.prototype.toString` gives what the user wrote: functions travel as text, to workers and browsers.
(function (kernel) {
  'use strict';
  const { toString } = Function.prototype;
  const { apply } = Reflect;
  const OURS = /_\$(?:stop|step|load|meta|tick|[sg]\.|const\.|early\.)|function\s*\*?\s*\/\*/;

  const restore = (text) =>
    text
      .replaceAll('if(_$stop)_$halt();', '')
      .replaceAll('_$stop&&_$halt(),', '')
      .replaceAll('{/*_$*/_$tick();', '')
      .replaceAll('/*_$*/}', '')
      .replaceAll('_$tick();', '')
      .replaceAll('_$step(', '(')
      .replaceAll('_$load(', 'import(')
      .replaceAll('_$meta', 'import.meta')
      .replace(/\(0,_\$[sg]\.([^).]+)\)/g, '$1')
      .replace(/_\$(?:s|g|const|early)\./g, '')
      .replace(/(function\s*\*?\s*)\/\*([^*]+)\*\/\s*\(/g, (_all, head, name) => `${head}${/\s$/.test(head) ? '' : ' '}${name}(`);

  const patched = {
    toString() {
      if (this === patched) return 'function toString() { [native code] }';
      const text = apply(toString, this, []);
      return OURS.test(text) ? restore(text) : text;
    },
  }.toString;
  Object.defineProperty(Function.prototype, 'toString', { value: patched, writable: true, enumerable: false, configurable: true });
})
