'use strict';
// What a session's worker starts with: it loads the addon that started it, and the rest of the runtime from there.
const { workerData } = require('node:worker_threads');
const { Script } = require('node:vm');
const addon = { exports: { isKernel: true } };
process.dlopen(addon, workerData.addon);
const { __worker: native } = addon.exports;
const kernel = { native, facts: workerData, require, platformNames: Object.getOwnPropertyNames(globalThis), scripts: new Map() };
for (const [name, source] of native.parts()) {
  // V8's code of an earlier worker, when there was one: compiling is most of what starting costs.
  const cachedData = native.code(name) ?? undefined;
  const script = new Script(source, { filename: `evalcell:${name}.js`, cachedData });
  const part = script.runInThisContext();
  if (name.startsWith('create')) kernel[name] = part;
  else part(kernel);
  if (cachedData === undefined || script.cachedDataRejected) kernel.scripts.set(name, script);
}
kernel.attach();
