'use strict';

const { renderCall, renderResult } = require('../../index.js');

const DEFAULT_WIDTH = 100;

/** How lines are rendered for this stream: colour on a terminal that wants it, its width, else plain text. */
function style(stream, environment = process.env) {
  const terminal = stream.isTTY === true;
  const color = terminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
  return { terminal, color, width: terminal ? Math.max(stream.columns ?? DEFAULT_WIDTH, 20) : DEFAULT_WIDTH };
}

/** Prints cells like a notebook while they run: each once it has ended, the running one as a live line on a terminal. */
class Screen {
  constructor(stream, environment) {
    this.stream = stream;
    this.style = style(stream, environment);
    this.printed = 0;
    this.live = '';
  }

  options() {
    return { width: this.style.width, color: this.style.color, expanded: true };
  }

  lines(lines) {
    this.clear();
    for (const line of lines) this.stream.write(`${line}\n`);
  }

  clear() {
    if (this.live) this.stream.write('\r\u001b[2K');
    this.live = '';
  }

  /** Code of the cells, before they run. */
  call(cells) {
    this.lines(renderCall({ cells }, this.options()));
  }

  update(partial) {
    this.cells(partial.details, false);
    const running = partial.details.cells.find((cell) => cell.status === 'running');
    if (!this.style.terminal || !running) return;
    const last = running.output.trimEnd().split('\n').at(-1) ?? '';
    const text = `  … ${running.title ?? `cell ${running.index + 1}`}  ${last}`;
    this.clear();
    this.live = text.slice(0, this.style.width - 1);
    this.stream.write(this.live);
  }

  /** The cells that have ended and are not printed yet. */
  cells(details, all) {
    const { cells, ...rest } = details;
    while (this.printed < cells.length) {
      const cell = cells[this.printed];
      if (!all && (cell.status === 'pending' || cell.status === 'running')) return;
      if (cell.status === 'pending') return;
      this.printed += 1;
      const details = { cells: [cell], language: cell.language, languages: [cell.language] };
      this.lines([...renderResult({ content: [], details }, this.options()), '']);
    }
  }

  finish(result) {
    this.cells(result.details, true);
    this.clear();
  }
}

module.exports = { Screen, style };
