// Errors as a person reads them: the cell's own name, the user's lines, no frames of ours; and errors that nobody caught.
(kernel) => {
  'use strict';
  const { native } = kernel;
  const { inspect, types } = kernel.require('node:util');

  const OWN_FRAME = /^\s+at .*\bevalcell:[a-z_]+\.js\b/;
  const FRAME = /^\s+at /;
  const INTERNAL_FRAME = /^\s+at .*(\(|\s)node:/;
  const CELL_PLACE = /\b(cell-\d+)(#functions)?:(\d+):(\d+)/g;

  /** A stack's text without our frames, and with the user's columns. */
  kernel.cleanStack = (stack) => {
    const lines = [];
    let cut = false;
    for (const line of stack.split('\n')) {
      if (!FRAME.test(line)) {
        cut = false;
        lines.push(line);
      } else if (OWN_FRAME.test(line)) {
        // Below `runInThisContext` of ours there is only how the cell was started.
        cut = cut || line.includes('evalcell:cells.js');
        while (cut && lines.length > 0 && INTERNAL_FRAME.test(lines[lines.length - 1])) lines.pop();
      } else if (!cut) {
        lines.push(line);
      }
    }
    while (lines.length > 1 && INTERNAL_FRAME.test(lines[lines.length - 1])) lines.pop();
    return lines.join('\n').replace(CELL_PLACE, (_all, cell, functions, line, column) =>
      `${cell}:${line}:${native.originalColumn(cell + (functions ?? ''), Number(line), Number(column))}`);
  };

  const attempt = (action, otherwise) => {
    try {
      return action();
    } catch {
      return otherwise;
    }
  };

  const nameOf = (error) =>
    attempt(() => (typeof error.name === 'string' && error.name !== '' ? error.name : undefined), undefined);

  const isErrorLike = (value) =>
    attempt(() => types.isNativeError(value) || (value instanceof Error && typeof value.message === 'string'), false);

  /** The facts of something thrown, whatever it is. */
  kernel.describe = (thrown, cell) => {
    if (!isErrorLike(thrown)) {
      const text = attempt(() => inspect(thrown), 'a value that cannot be shown');
      return { message: `Uncaught ${text}`, traceback: `Uncaught ${text}` };
    }
    const message = attempt(() => String(thrown.message), '');
    const traceback = kernel.cleanStack(attempt(() => inspect(thrown), null) ?? `${nameOf(thrown) ?? 'Error'}: ${message}`);
    const detail = { name: nameOf(thrown), message, traceback };
    const stack = attempt(() => kernel.cleanStack(String(thrown.stack)), '');
    for (const [, at, , line, column] of stack.matchAll(CELL_PLACE)) {
      if (at === cell) {
        detail.line = Number(line);
        detail.column = Number(column);
        break;
      }
    }
    return detail;
  };

  /** Something thrown or rejected that nobody handled. */
  const stray = (error, origin) => {
    const store = kernel.store();
    const { current } = kernel;
    if (current !== null && (store === undefined || store === current)) {
      kernel.fail(current, error);
      return;
    }
    const cell = store?.cell ?? 'an earlier cell';
    const what = origin === 'unhandledRejection' ? 'Unhandled rejection' : 'Uncaught error';
    native.stray(`${what} from ${cell}: ${kernel.describe(error, cell).traceback}`);
  };

  // Node calls this property with whatever reached the top of the stack. A listener of ours is only there while it runs,
  // so users' own `uncaughtException` handlers, and libraries that count or remove them, see none of it.
  const handle = process._fatalException;
  if (typeof handle === 'function') {
    process._fatalException = (error, fromPromise) => {
      const terminated = error === null && native.takeSurfacing();
      if (!terminated && process.listenerCount('uncaughtException') > 0) return handle(error, fromPromise);
      const listener = terminated ? () => {} : stray;
      const others = terminated ? process.rawListeners('uncaughtException') : [];
      for (const other of others) process.removeListener('uncaughtException', other);
      process.on('uncaughtException', listener);
      try {
        return handle(error, fromPromise);
      } finally {
        process.removeListener('uncaughtException', listener);
        for (const other of others) process.on('uncaughtException', other);
      }
    };
  }
}
