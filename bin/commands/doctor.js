'use strict';

const { diagnose } = require('../../index.js');
const { UsageError, command, parse } = require('./arguments.js');

const HELP = `Usage: evalcell doctor [options]

Says which Python was found and why, versions, and what would fail.

Options:
  --json        print the diagnosis as JSON
  --cwd DIR     session directory (default: here)
  --python FILE the interpreter to examine (default: what cells would get)
  -h, --help    this text

Exit code: 0 when nothing would fail, 1 when something would, 2 for bad usage.
`;

const OPTIONS = { json: { type: 'boolean' }, cwd: { type: 'string' }, python: { type: 'string' } };

const yes = (flag) => (flag ? 'yes' : 'no');

/** The diagnosis as label and text. */
function rows({ version, node, platform, javascript, python, temporaryFolder }) {
  const found = python.executable ? `${python.executable} (${python.source})` : 'not found';
  return [
    ['evalcell', version],
    ['node', `${node} on ${platform}`],
    ['python', found],
    ...(python.version ? [['', `version ${python.version}`]] : []),
    ...python.tried.map(({ path, why }) => ['', `not ${path}: ${why}`]),
    ['stopping', `keeps JavaScript variables: ${yes(javascript.keepsVariablesWhenStopped)}`],
    ['temporary', `${temporaryFolder.path}, writable: ${yes(temporaryFolder.writable)}`],
  ];
}

module.exports = command('doctor', HELP, async (argv, io) => {
  const parsed = parse(argv, OPTIONS, HELP, io);
  if (!parsed) return 0;
  const { values, positionals } = parsed;
  if (positionals.length > 0) throw new UsageError(`there is no \`${positionals[0]}\` to examine.`);
  const diagnosis = await diagnose({
    ...(values.cwd ? { cwd: values.cwd } : {}),
    ...(values.python ? { python: { interpreter: values.python } } : {}),
  });
  if (values.json) {
    io.stdout.write(`${JSON.stringify(diagnosis, null, 2)}\n`);
  } else {
    for (const [label, text] of rows(diagnosis)) io.stdout.write(`${label.padEnd(10)} ${text}\n`);
    for (const warning of diagnosis.warnings) io.stdout.write(`warning    ${warning}\n`);
    if (diagnosis.warnings.length === 0) io.stdout.write('\nNothing would fail.\n');
  }
  return diagnosis.warnings.length > 0 ? 1 : 0;
});
