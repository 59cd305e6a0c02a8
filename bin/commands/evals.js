'use strict';

const { writeFile } = require('node:fs/promises');
const { resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { reportJson, reportJUnit, reportText, runEvalSuite } = require('../../index.js');
const { UsageError, command, parse } = require('./arguments.js');

const HELP = `Usage: evalcell evals [options] FILE

Runs the eval cases of a module: its default export, or its export \`cases\`, is an array of them. Prints a line for each
report and a summary; reports hold counts and fixed names, nothing of what an agent wrote.

Options:
  --trials N        run each case N times (default 1)
  --retry-infra N   replace a run that ended as infra_failed, up to N times (default 0)
  --timeout-ms N    limit of each phase of cases that name none (default: no limit)
  --json            print the reports and their summary as JSON instead
  --junit PATH      also write the reports as JUnit XML
  -h, --help        this text

Exit code: 0 when every case passed, 1 when one did not, 2 for bad usage.
`;

const OPTIONS = {
  trials: { type: 'string' },
  'retry-infra': { type: 'string' },
  'timeout-ms': { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
};

function count(values, name, least) {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= 1_000_000)) {
    throw new UsageError(`--${name} must be a whole number from ${least} to 1000000, not \`${text}\`.`);
  }
  return number;
}

async function casesOf(file) {
  let exported;
  try {
    exported = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${error?.message ?? error}`);
  }
  const cases = [exported.cases, exported.default, exported.default?.cases].find(Array.isArray);
  if (!cases) throw new UsageError(`${file} exports no array of eval cases, neither by default nor as \`cases\`.`);
  return cases;
}

module.exports = command('evals', HELP, async (argv, io) => {
  const parsed = parse(argv, OPTIONS, HELP, io);
  if (!parsed) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1) throw new UsageError('name one module that exports eval cases.');
  const controller = new AbortController();
  const options = {
    trials: count(values, 'trials', 1) ?? 1,
    retryInfra: count(values, 'retry-infra', 0),
    timeoutMs: count(values, 'timeout-ms', 1),
    signal: controller.signal,
  };
  const cases = await casesOf(positionals[0]);
  const print = (lines) => io.stdout.write(`${lines.join('\n')}\n`);
  if (!values.json) options.onReport = (report) => print(lines([report]).slice(0, 1));
  // The first Ctrl-C closes the case in progress and still reports; a second one ends the process as usual.
  const onInterrupt = () => controller.abort();
  process.once('SIGINT', onInterrupt);
  let reports;
  try {
    reports = await runEvalSuite(cases, options);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
  if (values.json) io.stdout.write(reportJson(reports));
  else print(lines(reports).slice(-1));
  if (values.junit !== undefined) await writeFile(values.junit, reportJUnit(reports));
  const complete = reports.length === cases.length * options.trials;
  return complete && reports.every(({ status }) => status === 'passed') ? 0 : 1;
});

/** The lines of the text reporter: one per report, then the summary. */
const lines = (reports) => reportText(reports).trimEnd().split('\n');
