import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { js, makeTool, py, runCell, runCells, textOf } from './support.js';

/** A host tool that never settles, and what became of each of its calls. */
function endless() {
  const signals: AbortSignal[] = [];
  const waiting: (() => void)[] = [];
  return {
    signals,
    /** Resolves when the tool has been called `count` times. */
    async called(count = 1) {
      while (signals.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    tool: (_args: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      waiting.splice(0).forEach((wake) => wake());
      return new Promise<never>(() => {});
    },
  };
}

const aborted = async (signal: AbortSignal) => {
  if (!signal.aborted) await once(signal, 'abort');
};

describe.each(['js', 'py'])('a pending tool call in %s', (language) => {
  const call = language === 'js' ? `await tool.slow({})` : `tool.slow()`;

  it('is rejected by the deadline, which aborts the signal of the host function', async () => {
    const { tool: slow, signals } = endless();
    const tool = makeTool({ tools: { slow } });
    await runCell(tool, language, language === 'js' ? `var kept = 1` : `kept = 1`);
    const result = await runCells(tool, [{ language, code: call, timeout: 1 }]);
    expect(result.details.cells[0]).toMatchObject({ status: 'error', state: 'kept', failure: { kind: 'timeout' } });
    expect(textOf(result)).toContain('slow');
    await aborted(signals[0]);
    expect((await runCell(tool, language, `kept`, { returns: 'json' })).value).toBe(1);
  });

  it('is rejected by an abort, a reset and a dispose', async () => {
    for (const how of ['abort', 'reset', 'dispose'] as const) {
      const { tool: slow, signals, called } = endless();
      const tool = makeTool({ tools: { slow } });
      const controller = new AbortController();
      const running = runCells(tool, [{ language, code: call }], controller.signal);
      await called();
      const ended = how === 'abort' ? controller.abort() : tool[how]();
      const result = await running;
      await ended;
      expect([how, result.details.cells[0].failure?.kind]).toEqual([how, 'abort']);
      await aborted(signals[0]);
    }
  });

  it('answers that come late are dropped and never reach a later cell', async () => {
    const answers: ((value: unknown) => void)[] = [];
    const tool = makeTool({ tools: { late: () => new Promise((resolve) => answers.push(resolve)), echo: (args) => args } });
    const late = call.replace('slow', 'late');
    expect((await runCell(tool, language, late, { timeout: 1 })).failure?.kind).toBe('timeout');
    const echo = language === 'js' ? `await tool.echo({ x: 1 })` : `tool.echo(x=1)`;
    const next = runCell(tool, language, echo, { returns: 'json' });
    answers[0]('too late');
    expect((await next).value).toEqual({ x: 1 });
    expect((await runCell(tool, language, echo, { returns: 'json' })).value).toEqual({ x: 1 });
  });

  it('that is still open when its cell ends is cancelled and named in a notice', async () => {
    const { tool: slow, signals, called } = endless();
    const tool = makeTool({ tools: { slow } });
    const code = language === 'js' ? `void tool.slow({}).catch(() => {}); 1` : `import threading\nstarted = threading.Thread(target=lambda: tool.slow.sync(), daemon=True)\nstarted.start()\ntool.ready()\n1`;
    const withReady = makeTool({ tools: { slow, ready: () => called() } });
    const result = await runCells(language === 'js' ? tool : withReady, [{ language, code }]);
    expect(JSON.stringify(result)).toContain('slow');
    expect(result.details.cells[0].status).toBe('complete');
    await called();
    await aborted(signals[0]);
  });

  it('does not count against the deadline when timeouts.pauseOnToolCalls is on', async () => {
    const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const tool = makeTool({ tools: { slow: () => delay(1_500).then(() => 'done') }, timeouts: { pauseOnToolCalls: true } });
    expect((await runCell(tool, language, call, { timeout: 1, returns: 'json' })).value).toBe('done');
    const capped = makeTool({ tools: { slow: endless().tool }, timeouts: { pauseOnToolCalls: true, maxMs: 1_000 } });
    expect((await runCell(capped, language, call, { timeout: 1 })).failure?.kind).toBe('timeout');
  });
});

describe('concurrency', () => {
  it('each of many concurrent calls gets its own answer, also when they come back in another order', async () => {
    const held: [number, (value: number) => void][] = [];
    const tool = makeTool({
      tools: {
        echo: ({ x }: { x: number }) =>
          new Promise<number>((resolve) => {
            held.push([x, resolve]);
            // All are in: answer from the last to the first.
            if (held.length === 20) held.splice(0).reverse().forEach(([value, answer]) => answer(value));
          }),
      },
    });
    const expected = Array.from({ length: 20 }, (_, index) => index);
    expect((await js(tool, `await Promise.all(Array.from({ length: 20 }, (_, x) => tool.echo({ x })))`, { returns: 'json' })).value).toEqual(expected);
    expect((await py(tool, `import asyncio\nawait asyncio.gather(*(tool.echo(x=x) for x in range(20)))`, { returns: 'json' })).value).toEqual(expected);
    const threads = `from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(20) as pool:\n    got = list(pool.map(lambda x: tool.echo(x=x), range(20)))\ngot`;
    expect((await py(tool, threads, { returns: 'json' })).value).toEqual(expected);
  });

  it('1 000 concurrent calls are fine', async () => {
    const tool = makeTool({ tools: { echo: async ({ x }: { x: number }) => x } });
    expect((await js(tool, `(await Promise.all(Array.from({ length: 1000 }, (_, x) => tool.echo({ x })))).reduce((a, b) => a + b)`, { returns: 'json' })).value).toBe(499_500);
    expect((await py(tool, `import asyncio\nsum(await asyncio.gather(*(tool.echo(x=x) for x in range(1000))))`, { returns: 'json' })).value).toBe(499_500);
  });

  it('cells of two sessions at once each get their own answers and their own output', async () => {
    const tools = { echo: async (args: unknown) => args };
    const [one, two] = [makeTool({ tools }), makeTool({ tools })];
    const [first, second] = await Promise.all([
      runCells(one, [{ language: 'py', code: `print('py')\n[tool.echo(x=i)['x'] for i in range(20)]`, returns: 'json' }]),
      runCells(two, [{ language: 'js', code: `console.log('js'); (await Promise.all(Array.from({ length: 20 }, (_, x) => tool.echo({ x })))).map(({ x }) => x)`, returns: 'json' }]),
    ]);
    expect([first.details.cells[0].value, second.details.cells[0].value]).toEqual([Array.from({ length: 20 }, (_, i) => i), Array.from({ length: 20 }, (_, i) => i)]);
    expect([first.details.cells[0].output, second.details.cells[0].output]).toEqual(['py', 'js']);
  });

  it.each(['js', 'py'])('5 MB of arguments and of results cross, in %s', async (language) => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    const code = language === 'js' ? `(await tool.echo({ s: 'é'.repeat(2_500_000) })).s === 'é'.repeat(2_500_000)` : `tool.echo(s='é' * 2_500_000)['s'] == 'é' * 2_500_000`;
    expect((await runCell(tool, language, code, { returns: 'json' })).value).toBe(true);
  });
});

describe('a tool that runs cells itself', () => {
  it('may use another session, and is refused on the session whose cell called it', async () => {
    const other = makeTool();
    const tool = makeTool({
      tools: {
        other: async () => (await other.execute('inner', { cells: [{ language: 'js', code: `'from inside'`, returns: 'json' }] })).details.cells[0].value,
        own: () => tool.execute('inner', { cells: [{ language: 'js', code: `1` }] }).then(() => 'ran', (error) => error.code),
      },
    });
    for (const [language, code] of [['js', `[await tool.other(), await tool.own()]`], ['py', `[tool.other(), tool.own()]`]]) {
      expect((await runCell(tool, language, code, { returns: 'json' })).value).toEqual(['from inside', 'EVAL_NOT_ALLOWED']);
    }
  });
});
