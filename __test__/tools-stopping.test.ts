import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { js, makeTool, runCells } from './support.js';

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

// What a host's function can do about the moment of a deadline.
const tools = {
  never: () => new Promise(() => {}),
  aboutNow: async ({ ms }: { ms: number }) => {
    const end = performance.now() + ms;
    await sleep(Math.max(0, ms - 1));
    while (performance.now() < end) await new Promise(setImmediate);
    return ms;
  },
  untilAborted: (_args: object, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
};
const CALLS = [
  'await tool.never({})',
  'await tool.aboutNow({ ms })',
  'await tool.untilAborted({})',
  'tool.never.sync({})',
  'tool.aboutNow.sync({ ms })',
  'tool.untilAborted.sync({})',
  'for (;;) await tool.aboutNow({ ms: 0 })',
  'for (;;) tool.aboutNow.sync({ ms: 0 })',
  'await Promise.all(Array.from({ length: 20 }, () => tool.aboutNow({ ms })))',
  'try { await tool.untilAborted({}); } catch { caught = true; } finally { await tool.never({}); }',
];

describe('a tool call of JavaScript that is pending at a deadline or an abort', () => {
  // In a session of a few cells Node still loads what it needs, which is where stops used to do harm.
  it.each([1, 3, 40])('never costs the state, whatever the tool does, in sessions of %i cells', async (cells) => {
    for (let done = 0, tool = makeTool(); done < 80; done++) {
      if (done % cells === 0) {
        await tool.dispose();
        tool = makeTool({ tools, timeouts: { minMs: 1 } });
        await js(tool, 'var caught = false');
      }
      const milliseconds = 1 + (done % 15);
      const controller = new AbortController();
      const aborts = done % 3 === 0;
      if (aborts) void sleep(milliseconds).then(() => controller.abort());
      const code = `const ms = ${milliseconds + (Math.random() - 0.5) * 3}; ${CALLS[done % CALLS.length]}`;
      const { details } = await runCells(tool, [{ language: 'js', code, timeout: aborts ? 30 : milliseconds / 1000 }], controller.signal);
      expect(details.cells[0].state, `${code} ${JSON.stringify(details.cells[0].failure)}`).toBe('kept');
    }
  });
});

it('a session that is closed while its thread starts says nothing on the host\'s streams', () => {
  const addon = fileURLToPath(new URL('../index.js', import.meta.url));
  const host = `const { EvalTool } = require(${JSON.stringify(addon)});
    (async () => {
      for (let ms = 0; ms < 30; ms++) {
        const tool = new EvalTool();
        const controller = new AbortController();
        setTimeout(() => controller.abort(), ms);
        await tool.execute('id', { cells: [{ language: 'js', code: 'await new Promise(() => {})' }] }, controller.signal);
        await tool.dispose();
      }
    })()`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', host], { encoding: 'utf8' });
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});

it('a first cell that is stopped at once leaves the session its tools', async () => {
  for (let round = 0; round < 20; round++) {
    const tool = makeTool({ tools: { echo: (args: unknown) => args }, timeouts: { minMs: 1 } });
    const milliseconds = round % 5;
    const controller = new AbortController();
    if (milliseconds === 0) controller.abort();
    await runCells(tool, [{ language: 'js', code: 'for (;;);', timeout: (milliseconds || 1) / 1000 }], controller.signal);
    expect((await js(tool, 'await tool.echo({ round: 1 })')).output).toBe('{ round: 1 }');
    await tool.dispose();
  }
});
