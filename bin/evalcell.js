#!/usr/bin/env node
'use strict';

const { commands, usage } = require('./commands/index.js');

async function main(argv) {
  const [name, ...rest] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${require('../package.json').version}\n`);
    return 0;
  }
  const command = commands[name];
  if (!command) {
    process.stderr.write(`evalcell: there is no command \`${name}\`.\n\n${usage()}`);
    return 2;
  }
  return command.run()(rest, { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr });
}

main(process.argv.slice(2)).then(
  (code) => {
    // Set, not called: what is still being written to a pipe must arrive.
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`evalcell: ${error?.message ?? error}\n`);
    process.exitCode = error?.code?.startsWith?.('EVAL_') ? 2 : 1;
  },
);
