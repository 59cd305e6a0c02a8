// The `process` of cells: it ends cells, not the host; its directory is the session's.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const path = kernel.require('node:path');
  const fs = kernel.require('node:fs');
  const { statSync } = fs;
  const { setImmediate } = globalThis;

  let directory = kernel.facts.directory;
  kernel.directory = () => directory;
  /** Called after the session's directory has changed. */
  kernel.directoryChanged = [];
  // Where the system lets a thread have a directory of its own, everything synchronous follows by itself.
  kernel.ownDirectory = native.ownDirectory(directory);

  process.cwd = function cwd() {
    return directory;
  };
  process.chdir = function chdir(target) {
    if (typeof target !== 'string') {
      throw new TypeError(`The "directory" argument must be of type string. Received ${target === null ? 'null' : typeof target}`);
    }
    const next = path.resolve(directory, target);
    const refuse = (code, text, errno) => {
      const error = new Error(`${code}: ${text}, chdir '${directory}' -> '${target}'`);
      throw Object.assign(error, { errno, code, syscall: 'chdir', path: directory, dest: target });
    };
    let isDirectory;
    try {
      isDirectory = statSync(next).isDirectory();
    } catch (error) {
      refuse(error.code ?? 'ENOENT', error.code === 'EACCES' ? 'permission denied' : 'no such file or directory', error.errno ?? -2);
    }
    if (!isDirectory) refuse('ENOTDIR', 'not a directory', -20);
    if (kernel.ownDirectory && !native.changeDirectory(next)) refuse('EACCES', 'permission denied', -13);
    directory = next;
    for (const follow of kernel.directoryChanged) follow();
  };

  kernel.realExit = process.exit.bind(process);
  process.exit = function exit(code) {
    const given = code ?? process.exitCode ?? 0;
    const number = Number(given);
    if (!Number.isInteger(number)) throw new TypeError(`The "code" argument must be an integer. Received ${String(given)}`);
    process.exitCode = undefined;
    const { current } = kernel;
    const store = kernel.store();
    if (current !== null && (store === undefined || store === current)) {
      if (!current.exiting) {
        current.exiting = true;
        setImmediate(() => kernel.abandon(current.id, { kind: 'exit', code: number & 0xff }));
      }
    } else if (store !== undefined) {
      kernel.declareDead(store);
      native.stray(`${store.cell} called process.exit(${number}) after it had ended; what it had left running was stopped`);
    }
    kernel.halt();
  };

  const { kill, pid } = process;
  const HARMLESS = new Set([0, 'SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 17, 18, 23, 28]);
  process.kill = function (target, signal) {
    if (Number(target) === pid && !HARMLESS.has(signal)) process.exit(1);
    if (Number(target) === 0 || Number(target) === -1) {
      throw new Error('process.kill: this would reach the host\'s own process group');
    }
    return kill.call(process, target, signal);
  };

  process.argv = [process.execPath];
  process.execArgv = [];
  process._rawDebug = (...values) => process.stderr.write(`${kernel.require('node:util').format(...values)}\n`);
})
