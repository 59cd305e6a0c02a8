// The facts of what a cell threw, whatever it is; and errors that nobody caught.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { inspect, types } = kernel.require('node:util');

  const { attempt, decorate, tidy, CELL_PLACE } = kernel.stacks;

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
    const traceback = attempt(() => tidy(thrown, inspect(thrown)), null) ?? `${nameOf(thrown) ?? 'Error'}: ${message}`;
    const detail = { name: nameOf(thrown), message, traceback };
    const stack = attempt(() => tidy(thrown, String(thrown.stack)), '');
    for (const [, at, , line, column] of stack.matchAll(CELL_PLACE)) {
      if (at === cell) {
        detail.line = Number(line);
        detail.column = Number(column);
        break;
      }
    }
    return detail;
  };

  const EMITTED = /^cell-\d+(#functions)?:(\d+)\n.*\n( *)\^/;
  const AROUND = 80;
  /** What V8 refuses in a cell although our parser knows it, because it is newer than this V8. */
  kernel.describeSyntax = (error, cell) => {
    attempt(() => decorate(error));
    const found = EMITTED.exec(String(error.stack));
    if (found === null) return kernel.describe(error, cell);
    const [, functions = '', place, indent] = found;
    const line = Number(place);
    const column = native.originalColumn(cell + functions, line, indent.length + 1);
    const source = native.sourceLine(line);
    const from = Math.max(0, column - AROUND);
    const unknown = /\busing\s+$/.test(source.slice(0, column - 1)) ? ' (this version of Node does not know `using`)' : '';
    const message = `${error.message}${unknown}`;
    const shown = `${source.slice(from, column + AROUND)}\n${' '.repeat(column - 1 - from)}^`;
    const traceback = `${cell}:${line}\n${shown}\n\n${error.name}: ${message}`;
    return { name: error.name, message, traceback, line, column };
  };

  /** Something thrown or rejected that nobody handled. */
  const stray = (error, origin) => {
    const store = kernel.store();
    const { current } = kernel;
    if (current !== null && (store === undefined || store === current)) {
      kernel.failStray(current, error);
      return;
    }
    const cell = store?.cell ?? 'an earlier cell';
    const what = origin === 'unhandledRejection' ? 'Unhandled rejection' : 'Uncaught error';
    native.stray(`${what} from ${cell}: ${kernel.describe(error, cell).traceback}`);
  };

  // Node calls this property with whatever reached the top of the stack. A listener of ours is only there while it runs,
  // so users' own `uncaughtException` handlers, and libraries that count or remove them, see none of it.
  const handle = process._fatalException;
  if (process.versions.bun === undefined) {
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
  } else {
    // Bun does not call it.
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, function listener(error) {
        if (process.listenerCount(event) === 1) stray(error, event);
      });
    }
  }
})
