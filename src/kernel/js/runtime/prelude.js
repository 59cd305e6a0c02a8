// The prelude of JavaScript cells. An expression: evaluates to a factory.
//
//   const { names } = createPrelude({ helper, display, status, cwd }, lossless, util)
//
//   helper(op, json) -> json        synchronous; one implementation in Rust (src/prelude), which also says what is wrong
//   display(kind, ...)             'text' text | 'json' jsonText | 'image' mimeType base64
//   status(json)                   a status event
//   cwd()                          the session's current directory
//
// `names` holds the globals of a cell. Install them once per context: a name of the user's own shadows them from then on.
(function createPrelude(native, lossless, util) {
  'use strict';

  // Taken now: a cell may replace globals later.
  const { process } = globalThis;
  const { parse, stringify } = JSON;
  const { isArray, from } = Array;
  const { isView } = ArrayBuffer;
  const { types } = util;
  const BlobClass = Blob;
  const UrlClass = URL;
  const BufferClass = Buffer;
  const { fileURLToPath } = process.getBuiltinModule('node:url');

  function toBase64(bytes) {
    const buffer = isView(bytes)
      ? BufferClass.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : BufferClass.from(bytes);
    return buffer.toString('base64');
  }

  const isBinary = (value) => isView(value) || types.isAnyArrayBuffer(value);

  // An argument in the form that Rust reads: bytes as base64, a file URL as its path, an iterable as its items.
  async function carry(value) {
    if (typeof value !== 'object' || value === null) return value;
    if (isBinary(value)) return { base64: toBase64(value) };
    if (value instanceof BlobClass) return { base64: toBase64(await value.arrayBuffer()) };
    if (value instanceof UrlClass) return value.protocol === 'file:' ? fileURLToPath(value) : value.href;
    if (value instanceof String) return `${value}`;
    if (!isArray(value) && !lossless.isPlain(value) && typeof value[Symbol.iterator] === 'function') return from(value);
    return value;
  }

  // A trailing plain object holds the options; `maxDepth` is `max_depth`.
  function takeOptions(positional) {
    const last = positional.at(-1);
    if (typeof last !== 'object' || last === null || isArray(last) || types.isProxy(last) || !lossless.isPlain(last)) return {};
    positional.pop();
    const options = {};
    for (const [key, value] of Object.entries(last)) {
      const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (value !== undefined) Object.defineProperty(options, name, { value, enumerable: true });
    }
    return options;
  }

  function failure({ kind, message }) {
    const error = kind === 'argument' ? new TypeError(message) : new Error(message);
    if (kind === 'missing') error.code = 'ENOENT';
    return error;
  }

  function request(op, positional, options) {
    const { PI_ARTIFACTS_DIR, PI_SESSION_FILE } = op === 'output' ? process.env : {};
    const session = stringify({ cwd: native.cwd(), artifacts_dir: PI_ARTIFACTS_DIR, session_file: PI_SESSION_FILE });
    // Two texts, so that a refused value is named as the cell wrote it.
    const given = `"positional":${lossless.encode(positional, `${op} arguments`)},"options":${lossless.encode(options, `${op} options`)}`;
    const json = `${session.slice(0, -1)},${given}}`;
    const answer = parse(native.helper(op, json));
    if (!answer.ok) throw failure(answer);
    if (answer.status !== undefined) native.status(stringify(answer.status));
    return answer.result;
  }

  // `undefined` at the end means "not given"; before other arguments it is null, which means the same.
  const trim = (positional) => {
    while (positional.length > 0 && positional.at(-1) === undefined) positional.pop();
    return positional.map((value) => (value === undefined ? null : value));
  };

  const helper = (op, optionless = false) => ({
    async [op](...given) {
      const options = optionless ? {} : takeOptions(given);
      return request(op, trim(await Promise.all(given.map(carry))), options);
    },
  })[op];

  // The variables of this process live here, so they are read and set here; Rust judges the arguments.
  async function env(...given) {
    const action = request('env', trim(given), {});
    const environment = process.env;
    if (action.set !== undefined) return (environment[action.key] = action.set);
    if (action.key !== undefined) return environment[action.key] ?? null;
    const names = Object.keys(environment).sort();
    return Object.fromEntries(names.map((name) => [name, environment[name]]));
  }

  function imageOf(value) {
    const { type, data, mimeType } = value;
    if (type !== 'image' || typeof mimeType !== 'string' || !mimeType.startsWith('image/')) return undefined;
    if (isBinary(data)) return { mimeType, data: toBase64(data) };
    if (typeof data !== 'string') return undefined;
    const svg = mimeType === 'image/svg+xml' && data.trimStart().startsWith('<');
    return { mimeType, data: svg ? BufferClass.from(data).toString('base64') : data.replace(/^data:[^,]*;base64,/, '') };
  }

  // Whether a value is shown as JSON: arrays, plain objects and instances whose fields say all there is.
  function isData(value) {
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
    return isArray(value) || lossless.isPlain(value) || lossless.isFieldsOnly(value);
  }

  function show(value) {
    let image;
    let json;
    try {
      if (isData(value)) {
        image = isArray(value) ? undefined : imageOf(value);
        json = image === undefined ? lossless.encodeDisplay(value) : undefined;
      }
    } catch {
      // A cycle, a throwing getter, too large: shown as text.
    }
    if (image !== undefined) native.display('image', image.mimeType, image.data);
    else if (json !== undefined) native.display('json', json);
    else native.display('text', lossless.describe(value));
  }

  // Never throws for what a value is.
  function display(...values) {
    for (const value of values) show(value);
  }

  const names = {
    display,
    print: (...values) => console.log(...values),
    read: helper('read'),
    write: helper('write', true),
    append: helper('append', true),
    sort: helper('sort'),
    uniq: helper('uniq'),
    counter: helper('counter'),
    diff: helper('diff', true),
    tree: helper('tree'),
    env,
    output: helper('output'),
  };
  Object.defineProperty(names.print, 'name', { value: 'print' });
  return { names, show };
})
