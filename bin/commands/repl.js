'use strict';

const { createInterface } = require('node:readline');
const { EvalTool, sniffEvalLanguage } = require('../../index.js');
const { UsageError, command, parse } = require('./arguments.js');

const HELP = `Usage: evalcell repl [options]

An interactive session. A line is a cell; end a line with \\ to go on with the next one.

  .py, .js            switch the language
  .reset              wipe it
  .vars               its variables
  .exit               leave (or Ctrl-D); Ctrl-C stops the running cell

Options:
  --language py|js    where to start (default: py when there is a Python)
  --cwd DIR           session directory (default: here)
  -h, --help          this text
`;

const NAMES = { py: 'python', python: 'python', js: 'js', ts: 'js' };

class Session {
  constructor(tool, language, io) {
    this.tool = tool;
    this.language = language;
    this.io = io;
    this.controller = undefined;
  }

  prompt() {
    return this.language === undefined ? '>>> ' : `${this.language === 'python' ? 'py' : 'js'}> `;
  }

  async command(text) {
    const name = text.slice(1).trim();
    if (NAMES[name]) this.language = NAMES[name];
    else if (name === 'reset') await this.tool.reset(this.language);
    else if (name === 'vars') {
      for (const language of this.language ? [this.language] : ['python', 'js']) {
        for (const { name, type, repr } of await this.tool.variables(language)) this.io.stdout.write(`${name}: ${type} = ${repr}\n`);
      }
    } else this.io.stdout.write('Commands: .py .js .reset .vars .exit\n');
  }

  async cell(code) {
    const language = this.language ?? sniffEvalLanguage(code);
    this.controller = new AbortController();
    try {
      const result = await this.tool.execute('evalcell repl', { cells: [{ code, ...(language ? { language } : {}) }] }, this.controller.signal);
      this.language ??= result.details.language;
      const [text] = result.content;
      if (text.text !== '(no output)') this.io.stdout.write(`${text.text}\n`);
    } catch (error) {
      this.io.stderr.write(`${error.message}\n`);
    } finally {
      this.controller = undefined;
    }
  }
}

module.exports = command('repl', HELP, async (argv, io) => {
  const parsed = parse(argv, { language: { type: 'string' }, cwd: { type: 'string' } }, HELP, io);
  if (!parsed) return 0;
  const { language: wanted, cwd } = parsed.values;
  if (wanted !== undefined && !NAMES[wanted]) throw new UsageError(`--language must be py or js, not \`${wanted}\`.`);
  const tool = new EvalTool(cwd ? { cwd } : {});
  const session = new Session(tool, wanted && NAMES[wanted], io);
  const terminal = io.stdin.isTTY === true;
  const lines = createInterface({ input: io.stdin, output: terminal ? io.stdout : undefined, prompt: session.prompt(), terminal });
  lines.on('SIGINT', () => {
    if (session.controller) session.controller.abort();
    else lines.close();
  });
  let pending = '';
  const ask = () => {
    lines.setPrompt(pending ? '... ' : session.prompt());
    if (terminal) lines.prompt();
  };
  ask();
  for await (const line of lines) {
    if (line.endsWith('\\')) {
      pending += `${line.slice(0, -1)}\n`;
    } else {
      const text = pending + line;
      pending = '';
      if (text.trim() === '.exit') break;
      if (/^\.[a-z]+$/.test(text.trim())) await session.command(text.trim());
      else if (text.trim() !== '') await session.cell(text);
    }
    ask();
  }
  // A line that was to go on when the input ended is a cell all the same.
  if (pending.trim() !== '') await session.cell(pending.trimEnd());
  lines.close();
  await tool.dispose();
  return 0;
});
