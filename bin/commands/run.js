'use strict';

const { readFileSync, writeFileSync } = require('node:fs');
const { extname, basename, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { EvalTool } = require('../../index.js');
const { UsageError, command, parse } = require('./arguments.js');
const { Screen } = require('./screen.js');

const HELP = `Usage: evalcell run [options] FILE|-

Runs cell text (a file, or - for standard input), or a .py, .js, .mjs, .ts file as one cell, and prints like a notebook.

Options:
  --json              print the result object instead
  --cwd DIR           session directory (default: here)
  --timeout SECONDS   deadline of a cell that names none
  --tools FILE        a module whose exports are functions that cells call as tool.<name>(args)
  --images DIR        where displayed images are saved (default: here)
  -h, --help          this text

Exit code: 0 when every cell ended well, 1 when one did not, 2 for bad usage.
`;

const LANGUAGES = { '.py': 'py', '.js': 'js', '.mjs': 'js', '.cjs': 'js', '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' };
const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/svg+xml': 'svg', 'image/gif': 'gif', 'image/webp': 'webp' };

function source(file) {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${error.code ?? error.message}); name a file, or - for standard input.`);
  }
}

/** The input of `execute`: one cell for a source file, else cell text. */
function inputOf(file) {
  const code = source(file);
  const language = LANGUAGES[extname(file).toLowerCase()];
  return language ? { cells: [{ language, code, title: basename(file) }] } : { input: code };
}

async function toolsOf(file) {
  if (!file) return {};
  try {
    const { default: whole, ...named } = await import(pathToFileURL(resolve(file)).href);
    return { ...(typeof whole === 'object' ? whole : {}), ...named };
  } catch (error) {
    throw new UsageError(`--tools ${file} cannot be loaded: ${error.message}`);
  }
}

function milliseconds(text) {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0)) throw new UsageError(`--timeout must be a number of seconds over 0, not \`${text}\`.`);
  return Math.round(seconds * 1000);
}

/** Saves what was displayed and names it. */
function saveImages(images, folder, io) {
  for (const [index, { data, mimeType }] of (images ?? []).entries()) {
    const path = resolve(folder, `evalcell-${index + 1}.${EXTENSIONS[mimeType] ?? 'img'}`);
    writeFileSync(path, Buffer.from(data, 'base64'));
    io.stdout.write(`image ${index + 1}: ${path}\n`);
  }
}

const OPTIONS = {
  json: { type: 'boolean' },
  cwd: { type: 'string' },
  timeout: { type: 'string' },
  tools: { type: 'string' },
  images: { type: 'string' },
};

module.exports = command('run', HELP, async (argv, io) => {
  const parsed = parse(argv, OPTIONS, HELP, io);
  if (!parsed) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1) throw new UsageError('name one file, or - for standard input.');
  const input = inputOf(positionals[0]);
  const defaultMs = milliseconds(values.timeout);
  const options = { tools: await toolsOf(values.tools), timeouts: defaultMs ? { defaultMs } : {} };
  if (values.cwd) options.cwd = values.cwd;
  const tool = new EvalTool(options);
  const controller = new AbortController();
  const onInterrupt = () => controller.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const screen = values.json ? undefined : new Screen(io.stdout);
    const onUpdate = screen && ((partial) => screen.update(partial));
    const result = await tool.execute('evalcell run', input, controller.signal, onUpdate);
    if (screen) {
      screen.finish(result);
      saveImages(result.details.images, values.images ?? process.cwd(), io);
    } else {
      io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    }
    return result.details.isError ? 1 : 0;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    await tool.dispose();
  }
});

