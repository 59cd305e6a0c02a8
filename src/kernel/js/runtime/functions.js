// `Function.prototype.toString` gives what the user wrote: functions travel as text, to workers and browsers.
(kernel) => {
  'use strict';
  const { toString } = Function.prototype;
  const { apply } = Reflect;
  const OURS = /_\$(?:stop|step|load|meta)|function\*?\/\*/;

  const restore = (text) =>
    text
      .replaceAll('if(_$stop)_$halt();', '')
      .replaceAll('_$stop&&_$halt(),', '')
      .replaceAll('_$step(', '(')
      .replaceAll('_$load(', 'import(')
      .replaceAll('_$meta', 'import.meta')
      .replace(/(function\*?)\/\*([^*]+)\*\/\(/g, '$1 $2(');

  const patched = {
    toString() {
      if (this === patched) return 'function toString() { [native code] }';
      const text = apply(toString, this, []);
      return OURS.test(text) ? restore(text) : text;
    },
  }.toString;
  Object.defineProperty(Function.prototype, 'toString', { value: patched, writable: true, enumerable: false, configurable: true });
}
