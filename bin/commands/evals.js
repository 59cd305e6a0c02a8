'use strict';
// `evalcell evals FILE.mjs`: runs the eval cases that a module exports.
const { writeFile } = require('node:fs/promises');
const { resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { parseArgs } = require('node:util');

const USAGE = `Usage: evalcell evals FILE [options]

FILE is a module whose default export (or export named \`cases\`) is an array of eval cases.

  --trials N         run each case N times (default 1)
  --retry-infra N    replace a run that ended as infra_failed, up to N times (default 0)
  --timeout-ms N     limit of each phase of cases that name none
  --json             print the safe reports and their summary as JSON
  --junit PATH       also write them as JUnit XML
  --help             print this

Exit code: 0 when every case passed, 1 when one did not, 2 for bad usage.
`;

const OPTIONS = {
  trials: { type: 'string' },
  'retry-infra': { type: 'string' },
  'timeout-ms': { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

class UsageError extends Error {}

/**
 * @param {string[]} argv what follows `evals`
 * @param {{ stdout: { write(text: string): unknown }, stderr: { write(text: string): unknown }, cwd?: string, signal?: AbortSignal }} io
 * @returns {Promise<number>} the exit code
 */
module.exports = async function evals(argv, io) {
  try {
    return await run(argv, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`evalcell evals: ${error.message}\n\n${USAGE}`);
    return 2;
  }
};

async function run(argv, io) {
  const { values, positionals } = parse(argv);
  if (values.help) {
    io.stdout.write(USAGE);
    return 0;
  }
  if (positionals.length !== 1) throw new UsageError(`expected one FILE, got ${positionals.length}`);
  const options = {
    trials: count(values, 'trials', 1),
    retryInfra: count(values, 'retry-infra', 0),
    timeoutMs: count(values, 'timeout-ms', 1),
    signal: io.signal,
  };
  const cwd = io.cwd ?? process.cwd();
  const cases = await load(resolve(cwd, positionals[0]), positionals[0]);
  const { reportJson, reportJunit, reportText, runEvalSuite } = require('../../index.js');
  if (!values.json) options.onReport = (report) => io.stdout.write(`${firstLine(reportText([report]))}\n`);
  const reports = await runEvalSuite(cases, options);
  // The lines of the reports are out already; the last line is the summary.
  io.stdout.write(values.json ? reportJson(reports) : `${reportText(reports).trimEnd().split('\n').at(-1)}\n`);
  if (values.junit !== undefined) await writeFile(resolve(cwd, values.junit), reportJunit(reports));
  const complete = reports.length === cases.length * (options.trials ?? 1);
  return complete && reports.every(({ status }) => status === 'passed') ? 0 : 1;
}

function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function count(values, name, least) {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= least && number <= 1_000_000_000)) throw new UsageError(`--${name} must be a whole number of at least ${least}, not ${text}`);
  return number;
}

async function load(path, name) {
  let exported;
  try {
    exported = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UsageError(`cannot load ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const cases = [exported.cases, exported.default, exported.default?.cases].find(Array.isArray);
  if (cases === undefined) throw new UsageError(`${name} exports no array of eval cases, neither by default nor as \`cases\``);
  return cases;
}

const firstLine = (text) => text.slice(0, text.indexOf('\n'));
