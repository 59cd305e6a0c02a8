// Processes and threads that cells start: they print into the cell, read nothing, and end with it.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const path = kernel.require('node:path');
  const { syncBuiltinESMExports } = kernel.require('node:module');
  const TAG = 'EVALCELL_KERNEL';
  const tag = process.env[TAG];

  // 0 is empty, 1 and 2 are the cell's own; a stream of the cell's own counts as its descriptor.
  const standard = (given, index) => {
    if (given === 'inherit') given = index;
    else if (typeof given === 'object' && given !== null && (given === process.stdin || given === process.stdout || given === process.stderr)) given = given.fd;
    if (given === 0) return 'ignore';
    return given === 1 || given === 2 ? kernel.outputDescriptor() : given;
  };
  const contained = (stdio) => {
    if (stdio === undefined || stdio === null) return stdio;
    if (typeof stdio === 'string') {
      return stdio === 'inherit' ? [0, 1, 2].map(standard) : stdio;
    }
    return Array.isArray(stdio) ? stdio.map((given, index) => standard(given === undefined || given === null ? (index < 3 ? 'pipe' : given) : given, index)) : stdio;
  };
  const directoryOf = (cwd) => {
    if (cwd === undefined || cwd === null) return kernel.directory();
    return typeof cwd === 'string' ? path.resolve(kernel.directory(), cwd) : cwd;
  };

  const patchProcesses = () => {
    const children = kernel.require('node:child_process');
    const { ChildProcess } = children;
    const { spawn: start } = ChildProcess.prototype;
    // An interrupt waits until this is through (`interrupt/frames.rs`): a child that nobody has noted would not end with its cell.
    ChildProcess.prototype.spawn = function spawn(options) {
      const given = options ?? {};
      const envPairs = Array.isArray(given.envPairs) ? given.envPairs.filter((pair) => !pair.startsWith(`${TAG}=`)) : undefined;
      envPairs?.push(`${TAG}=${tag}`);
      const run = kernel.store();
      const result = start.call(this, {
        ...given,
        envPairs,
        cwd: directoryOf(given.cwd),
        stdio: contained(given.stdio),
        // A group of its own, so that all of it can be ended together.
        detached: true,
      });
      const { pid } = this;
      if (typeof pid === 'number') {
        native.childStarted(pid);
        const staying = given.detached === true;
        if (run !== undefined) (run.children ??= new Map()).set(pid, staying);
        this.once('exit', () => {
          // What it left running in its group still ends with its cell.
          if (!native.childEnded(pid)) run?.children?.delete(pid);
        });
      }
      return result;
    };

    // While the thread waits for a child nothing else runs on it: the stop ends the child's whole tree.
    for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
      const original = children[name];
      const wrapped = {
        [name](...values) {
          while (values.length > 1 && (values.at(-1) === undefined || values.at(-1) === null)) values.pop();
          const at = values.findIndex((value, index) => index > 0 && typeof value === 'object' && value !== null && !Array.isArray(value));
          const given = at === -1 ? {} : values[at];
          const environment = { ...(given.env ?? process.env), [TAG]: tag };
          const options = { ...given, cwd: directoryOf(given.cwd), env: environment };
          // Where nothing is said, Node itself writes the child's stderr to `process.stderr`, and has it for its error.
          if (given.stdio !== undefined) options.stdio = contained(given.stdio);
          if (at === -1) values.push(options);
          else values[at] = options;
          native.synchronousChild(true);
          try {
            return Reflect.apply(original, this, values);
          } finally {
            native.synchronousChild(false);
            native.drainOutput(kernel.owner());
          }
        },
      }[name];
      Object.defineProperty(wrapped, 'length', { value: original.length, configurable: true });
      children[name] = wrapped;
    }
  };

  const patchWorkers = () => {
    const threads = kernel.require('node:worker_threads');
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(file, options = {}) {
        const environment = options.env === undefined || options.env === null ? process.env : options.env;
        super(file, { ...options, ...(typeof environment === 'object' ? { env: { ...environment, [TAG]: tag } } : {}) });
        const run = kernel.store();
        if (run !== undefined) {
          (run.workers ??= new Set()).add(this);
          this.once('exit', () => run.workers?.delete(this));
        }
      }
    };
    Object.defineProperty(threads.Worker, 'name', { value: 'Worker', configurable: true });
  };

  let steps;
  /**
   * Before anything that could start a process: not at start-up, because it costs milliseconds. A step counts when it is done: a stop can
   * come in the middle.
   */
  kernel.prepare = () => {
    steps ??= [...kernel.preparations, patchProcesses, patchWorkers, syncBuiltinESMExports];
    while (steps.length > 0) {
      steps[0]();
      steps.shift();
    }
  };

  kernel.cleanups.push((run) => {
    for (const [pid, staying] of run.children ?? []) if (!staying) native.killGroup(pid);
    for (const worker of run.workers ?? []) worker.terminate().catch(() => {});
    run.workers = undefined;
  });
})
