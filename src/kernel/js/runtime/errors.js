// Errors as a person reads them: the cell's own name, the user's lines, no frames of ours; and errors that nobody caught.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { inspect, types } = kernel.require('node:util');

  const CELL_PLACE = /\b(cell-\d+)(#functions)?:(\d+):(\d+)/g;

  /** How many lines the user wrote, of cells whose code runs inside a function of ours; the newest ones. */
  const wrapped = new Map();
  const REMEMBERED = 2000;
  kernel.rememberWrapped = (cell, main) => {
    wrapped.set(cell, main.split('\n').length - 2);
    if (wrapped.size > REMEMBERED) wrapped.delete(wrapped.keys().next().value);
  };

  const inUsersColumns = (text) => text.replace(CELL_PLACE, (_all, cell, functions, line, column) =>
    `${cell}:${line}:${native.originalColumn(cell + (functions ?? ''), Number(line), Number(column))}`);

  let isNodeError;
  try {
    Buffer.alloc('');
  } catch (error) {
    for (let owner = error; owner !== null && isNodeError === undefined; owner = Object.getPrototypeOf(owner)) {
      isNodeError = Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === 'kIsNodeError');
    }
  }
  const errorToString = Error.prototype.toString;
  const headOf = (error) => {
    try {
      if (isNodeError !== undefined && isNodeError in error) return `${error.name} [${error.code}]: ${error.message}`;
      return errorToString.call(error);
    } catch {
      return 'Error';
    }
  };

  // Whatever reads `.stack` sees the user's frames, in the user's columns, and none of ours.
  Object.defineProperty(Error, 'prepareStackTrace', {
    configurable: true,
    writable: true,
    enumerable: false,
    value(error, frames) {
      const lines = [];
      let users = 0;
      let ours = false;
      for (const frame of frames) {
        const file = frame.getFileName() ?? '';
        if (file.startsWith('evalcell:')) {
          ours = true;
          continue;
        }
        const lastLine = wrapped.get(file);
        if (lastLine !== undefined && (frame.getLineNumber() > lastLine || frame.getLineNumber() < 1)) continue;
        let text = `${frame}`;
        if (text.includes('cell-')) text = inUsersColumns(text);
        lines.push(text);
        if (!file.startsWith('node:')) users = lines.length;
      }
      // Below the outermost frame of the user there is only how Node and we got there.
      if (users > 0 || ours) lines.length = users;
      return [headOf(error), ...lines].join('\n    at ');
    },
  });

  const attempt = (action, otherwise) => {
    try {
      return action();
    } catch {
      return otherwise;
    }
  };

  /** Errors that came out of a loader, and their stacks without who asked for the module. */
  const unasked = new WeakMap();
  const ASKED = /(?:\n {4}at .*\b(?:node:|cell-\d+).*)+$/;
  /**
   * An error of Node's loader, or of a module, knows nothing of the cell that asked, or only the one that asked first: the
   * loader throws the same error to everyone who asks again. It gets the frames of `asked`, a stack.
   */
  kernel.withPlace = (error, asked) => {
    attempt(() => {
      const frames = asked.match(/^ {4}at .*$/gm);
      if (!types.isNativeError(error) || frames === null) return;
      let stack = unasked.get(error);
      if (stack === undefined) {
        decorate(error);
        stack = error.stack.replace(ASKED, '');
        unasked.set(error, stack);
        if (error.stack.search(CELL_PLACE) >= 0) return;
      }
      const value = [stack, ...frames].join('\n');
      Object.defineProperty(error, 'stack', { value, writable: true, enumerable: false, configurable: true });
    });
    return error;
  };

  // What a syntax error in a file knows of its place is shown by Node only where it ends a program.
  let decorate = () => {};
  try {
    decorate = kernel.require('internal/util').decorateErrorStack ?? decorate;
  } catch {
    // Not this Node's, or no Node at all.
  }

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
    attempt(() => decorate(thrown));
    const message = attempt(() => String(thrown.message), '');
    const traceback = attempt(() => inspect(thrown), null) ?? `${nameOf(thrown) ?? 'Error'}: ${message}`;
    const detail = { name: nameOf(thrown), message, traceback };
    const stack = attempt(() => String(thrown.stack), '');
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
})
