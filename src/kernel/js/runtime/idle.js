// While nothing runs after the first cell: load what a stop could otherwise cut in the middle of loading.
(function (kernel) {
  'use strict';
  const { storage } = kernel;
  const { setImmediate, setTimeout, fetch } = globalThis;
  const QUIET_MS = 5;

  const steps = [
    () => kernel.prepare(),
    // For the workers that start later in this process.
    () => {
      for (const [name, script] of kernel.scripts) kernel.native.keepCode(name, script.createCachedData());
      kernel.scripts.clear();
    },
    () => kernel.require('node:net'),
    () => kernel.require('node:http'),
    () => kernel.require('node:fs/promises'),
    () => kernel.require('node:stream/promises'),
    () => kernel.require('node:timers/promises'),
    () => globalThis.crypto?.subtle,
    () => globalThis.ReadableStream,
    () => import_('node:os'),
    () => typeof fetch === 'function' && fetch('data:,').then((answer) => answer.text()),
  ];
  const import_ = (name) => kernel.import(name);
  let scheduled = false;

  const step = async () => {
    scheduled = false;
    if (kernel.current !== null || steps.length === 0) return;
    const next = steps.shift();
    try {
      await next();
    } catch {
      // Not there in this Node: then it cannot be cut either.
    }
    schedule(setImmediate);
  };
  const schedule = (when, delay) => {
    if (scheduled || steps.length === 0) return;
    scheduled = true;
    storage.run(undefined, () => {
      const timer = when(step, delay);
      timer.unref?.();
    });
  };

  /** After each run. */
  kernel.afterRun = () => schedule(setTimeout, QUIET_MS);

  // After a stop these must work before anybody says that the context lives. Loading what was never loaded would only take
  // time; what was cut while it loaded is in Node's list through what it had loaded first, and Node would hand out the half of it
  // from then on.
  const HTTP = /^NativeModule (?:_http_\w+|http)$/;
  const isTouched = (names) => Array.from(process.moduleLoadList ?? []).some((name) => names.test(name));
  kernel.probes.push(
    () => new Promise((resolve) => setTimeout(resolve, 0, true)),
    () => kernel.import('node:os').then((os) => typeof os.cpus === 'function'),
    () => typeof kernel.require('node:fs/promises').readFile === 'function',
    () => !isTouched(HTTP) || new (kernel.require('node:http').Server)().listening === false,
    () => !isTouched(HTTP) || fetch('data:,x').then((answer) => answer.text()).then((text) => text === 'x'),
  );
})
