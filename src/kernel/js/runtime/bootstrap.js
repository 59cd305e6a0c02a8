'use strict';
// What a session's worker starts with: it loads the addon that started it, and the rest of the runtime from there.
const { workerData } = require('node:worker_threads');
const { Script } = require('node:vm');
const addon = { exports: {} };
process.dlopen(addon, workerData.addon);
const kernel = { native: addon.exports.__worker, facts: workerData, require, platformNames: Object.getOwnPropertyNames(globalThis) };
for (const [name, source] of kernel.native.parts()) {
  const part = new Script(source, { filename: `evalcell:${name}.js` }).runInThisContext();
  if (name.startsWith('create')) kernel[name] = part;
  else part(kernel);
}
kernel.attach();
