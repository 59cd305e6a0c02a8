// The prelude's names in this context, and rich output at its place in the stream.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const util = kernel.require('node:util');
  const lossless = kernel.createLossless(util);
  kernel.lossless = lossless;

  const show = (kind, data, text = data) => {
    const run = kernel.owner();
    if (run === 0 || !native.display(run, kind, data)) native.write(0, text.endsWith('\n') ? text : `${text}\n`);
  };

  const prelude = kernel.createPrelude({
    helper: (op, json) => native.helper(op, json),
    display(kind, data, more) {
      if (kind === 'image') show(data, more, `[${data}]`);
      else show(kind, data);
    },
    status: (json) => native.status(kernel.owner(), json),
    cwd: () => kernel.directory(),
  }, lossless, util);
  // Once: a name of the user's own stays until the context is reset.
  for (const name of Object.keys(prelude.names)) kernel.hide(name, prelude.names[name]);

  /** `returns: 'json'`: the end of a run whose value is data. */
  kernel.jsonValue = (value, maxBytes) => {
    if (value === undefined) return undefined;
    let text;
    try {
      text = lossless.encode(value, '');
    } catch (error) {
      if (!lossless.isLosslessError(error)) throw error;
      return { kind: 'invalid-output', place: error.place, problem: error.problem };
    }
    const bytes = Buffer.byteLength(text);
    return bytes > maxBytes ? { kind: 'output-limit', bytes, limit: maxBytes } : { kind: 'complete', value: text };
  };
})
