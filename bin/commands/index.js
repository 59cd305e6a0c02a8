'use strict';

// Loaded only when they run: `evalcell --help` should not load the addon.
const commands = {
  run: { help: 'run FILE|-            run cell text, or a .py/.js/.ts file as one cell', run: () => require('./run.js') },
  repl: { help: 'repl                  an interactive session', run: () => require('./repl.js') },
  evals: { help: 'evals FILE            run the eval cases that a module exports, and report', run: () => require('./evals.js') },
  doctor: { help: 'doctor                which Python was found and why, versions, what would fail', run: () => require('./doctor.js') },
};

const usage = () =>
  [
    'Usage: evalcell COMMAND [options]',
    '',
    'Commands:',
    ...Object.values(commands).map(({ help }) => `  ${help}`),
    '',
    '`evalcell COMMAND --help` shows the options of a command.',
    '',
  ].join('\n');

module.exports = { commands, usage };
