// Stacks as a person reads them: the cell's own name, the user's lines and columns, no frames of ours.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { types } = kernel.require('node:util');

  const CELL_PLACE = /\b(cell-\d+)(#functions)?:(\d+):(\d+)/g;

  /** How many lines the user wrote, of cells whose code runs inside a function of ours; the newest ones. */
  const wrapped = new Map();
  const REMEMBERED = 2000;
  kernel.rememberWrapped = (cell, main) => {
    wrapped.set(cell, main.split('\n').length - 2);
    if (wrapped.size > REMEMBERED) wrapped.delete(wrapped.keys().next().value);
  };

  // The line of ours in front of theirs: Bun counts it although it is told not to.
  const linesBefore = process.versions.bun === undefined ? 0 : 1;
  const inUsersPlaces = (text) => text.replace(CELL_PLACE, (_all, cell, functions = '', emitted, column) => {
    const line = Number(emitted) - (functions === '' && wrapped.has(cell) ? linesBefore : 0);
    return `${cell}:${line}:${native.originalColumn(cell + functions, line, Number(column))}`;
  });

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

  // Stacks that we have not written are put right when they are shown: those that Bun's garbage collector writes when nobody has read
  // them yet, and all once somebody has put another `prepareStackTrace` in our place.
  const written = process.versions.bun === undefined ? undefined : new WeakSet();
  const OURS = /(?:\n +at (?:Script\.)?runInThisContext \([^)]*\))?\n +at [^\n]*\bevalcell:\w+\.js:[^\n{]*(?:\n +at [^\n{]*)*/g;
  const tidy = (error, text) => {
    if (written === undefined ? Error.prepareStackTrace === write : written.has(error)) return text;
    return inUsersPlaces(text.replace(OURS, (all) => (all.endsWith(' ') ? ' ' : '')));
  };

  // A local file that changed is loaded under another URL.
  const VERSION = /[?&]evalcell=\d+/g;

  // Whatever reads `.stack` sees the user's frames, in the user's columns, and none of ours.
  const write = (error, frames) => {
    written?.add(error);
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
      const line = frame.getLineNumber() - linesBefore;
      if (lastLine !== undefined && (line > lastLine || line < 1)) continue;
      let text = `${frame}`.replace(VERSION, '');
      if (text.includes('cell-')) text = inUsersPlaces(text);
      lines.push(text);
      if (!file.startsWith('node:') && file !== '[native code]') users = lines.length;
    }
    // Below the outermost frame of the user there is only how Node and we got there.
    if (users > 0 || ours) lines.length = users;
    return [headOf(error), ...lines].join('\n    at ');
  };
  // Assigned, because Bun looks at no property that is defined.
  Error.prepareStackTrace = write;
  Object.defineProperty(Error, 'prepareStackTrace', { enumerable: false });

  const attempt = (action, otherwise) => {
    try {
      return action();
    } catch {
      return otherwise;
    }
  };

  // What a syntax error in a file knows of its place is shown by Node only where it ends a program.
  let decorateErrorStack = () => {};
  try {
    ({ decorateErrorStack = decorateErrorStack } = kernel.require('internal/util'));
  } catch {
    // Not this Node's, or no Node at all.
  }
  const decorate = (error) => {
    const { stack } = error;
    decorateErrorStack(error);
    if (error.stack !== stack) error.stack = error.stack.replace(VERSION, '');
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
        // Node puts its hints behind the stack's first line and loses a character where there is no second one.
        if (!stack.includes(error.message)) stack = headOf(error) + (/\n {4}at [^]*/.exec(stack)?.[0] ?? '');
        unasked.set(error, stack);
        if (error.stack.search(CELL_PLACE) >= 0) return;
      }
      const value = [stack, ...frames].join('\n');
      Object.defineProperty(error, 'stack', { value, writable: true, enumerable: false, configurable: true });
    });
    return error;
  };

  kernel.stacks = { attempt, decorate, tidy, CELL_PLACE };
})
