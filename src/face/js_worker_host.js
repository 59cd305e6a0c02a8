// Evaluated once in the environment of a host that uses the addon: creates the worker threads of its JavaScript
// sessions and forgets them. `exited(worker, code, failure)` is native.
(exited) => {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const workers = new Map();
  let poolStarted;

  // Flags that a worker takes for itself alone. The first is how Node 24 lets `clearAsyncIdStack` be reached; the second
  // gives Node 22 what 24 has by default: stores that cost promises nothing and leave no trace on them.
  const major = Number(process.versions.node.split('.')[0]);
  const frames = '--experimental-async-context-frame';
  const ownFlags = process.versions.bun ? [] : ['--expose-internals'];
  if (major === 22 && process.allowedNodeEnvironmentFlags.has(frames)) ownFlags.push(frames);

  return {
    async start(specJson) {
      const spec = JSON.parse(specJson);
      // The worker's thread takes a working directory of its own; Node's pool of file system threads, which all share,
      // must have been started before, by a thread that has the host's.
      poolStarted ??= new Promise((resolve) => process.getBuiltinModule('node:fs').access('/', resolve));
      await poolStarted;
      const worker = new Worker(spec.bootstrap, {
        eval: true,
        name: 'evalcell',
        stdin: true,
        stdout: true,
        stderr: true,
        env: spec.environment,
        argv: [],
        execArgv: ownFlags,
        trackUnmanagedFds: true,
        resourceLimits: { maxOldGenerationSizeMb: spec.heapMb },
        workerData: { worker: spec.worker, addon: spec.addon, directory: spec.directory, prelude: spec.prelude, major },
      });
      workers.set(spec.worker, worker);
      // What a cell does never becomes an event of the host.
      let failure = '';
      worker.on('error', (error) => {
        failure ||= String(error?.message ?? error);
      });
      worker.once('exit', (code) => {
        workers.delete(spec.worker);
        exited(spec.worker, code, failure);
      });
      worker.stdin?.end();
      worker.unref();
    },
    terminate(id) {
      // A thread stuck in a system call never lets this promise settle; nobody waits for it.
      workers.get(id)?.terminate().catch(() => {});
    },
  };
}
//# sourceURL=evalcell:worker_host.js
