'use strict';

const { parseArgs } = require('node:util');

/** A mistake in the command line: exit code 2 and one sentence, no stack. */
class UsageError extends Error {}

/** `node:util`'s parser with `--help`, and mistakes as one sentence. */
function parse(argv, options, help, io) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
  if (parsed.values.help) {
    io.stdout.write(help);
    return undefined;
  }
  return parsed;
}

/** Runs a command's body; a usage mistake is printed with the help and ends with 2. */
const command = (name, help, body) => async (argv, io) => {
  try {
    return await body(argv, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`evalcell ${name}: ${error.message}\n\n${help}`);
    return 2;
  }
};

module.exports = { UsageError, command, parse };
