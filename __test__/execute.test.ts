import { describe, expect, it } from 'vitest';
import { type EvalResult } from '../index.js';
import { js, makeFolder, makeTool, runCells, textOf } from './support.js';

const busy = (tool: ReturnType<typeof makeTool>) => expect.poll(() => tool.kernels()[0]?.state, { interval: 5 }).toBe('busy');

describe('one call', () => {
  it('runs cells of both languages in order and says which were used', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      { language: 'py', code: 'x = 20\nprint("py", x)', title: 'first' },
      { language: 'js', code: 'let x = 22; x' },
      { language: 'py', code: 'x + 1' },
    ]);
    expect(textOf(result)).toBe('[1/3] first\npy 20\n\n[2/3]\n22\n\n[3/3]\n21');
    expect(result.details.languages).toEqual(['python', 'js']);
    expect(result.details.language).toBe('python');
    expect(result.details.isError).toBeUndefined();
  });

  it('stops at the first cell that does not end well; later cells stay pending and earlier state persists', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      { language: 'js', code: 'let kept = 1' },
      { language: 'js', code: 'throw new Error("stop")' },
      { language: 'js', code: 'kept = 2' },
    ]);
    expect(result.details.cells.map((cell) => cell.status)).toEqual(['complete', 'error', 'pending']);
    expect(result.details.isError).toBe(true);
    expect(textOf(result)).toContain('Cell 2 failed (exit code 1). Earlier cells succeeded, their state persists.');
    expect((await js(tool, 'kept')).output).toBe('1');
  });

  it('wipes only the language of a cell that asks for a reset, before it runs', async () => {
    const tool = makeTool();
    await runCells(tool, [
      { language: 'py', code: 'p = 1' },
      { language: 'js', code: 'var j = 1' },
    ]);
    const result = await runCells(tool, [
      { language: 'js', code: 'typeof j', reset: true },
      { language: 'js', code: 'typeof j' },
      { language: 'py', code: 'p' },
    ]);
    expect(result.details.cells.map((cell) => cell.output)).toEqual(["'undefined'", "'undefined'", '1']);
  });

  it('queues a second call on the session behind the first', async () => {
    const tool = makeTool();
    const order: string[] = [];
    const first = js(tool, 'await new Promise((r) => setTimeout(r, 100)); var turn = "first"; turn').then((cell) => order.push(cell.output));
    const second = js(tool, 'turn += ", second"; turn').then((cell) => order.push(cell.output));
    await Promise.all([first, second]);
    expect(order).toEqual(["'first'", "'first, second'"]);
  });

  it('never starts a call that is aborted while it is queued', async () => {
    const tool = makeTool();
    const first = js(tool, 'var ran = 0; await new Promise((r) => setTimeout(r, 300))');
    await busy(tool);
    const controller = new AbortController();
    const queued = runCells(tool, [{ language: 'js', code: 'ran = 1' }], controller.signal);
    controller.abort();
    const result = await queued;
    expect(result.details.cells.map((cell) => cell.status)).toEqual(['pending']);
    expect(result.details.isError).toBe(true);
    await first;
    expect((await js(tool, 'ran')).output).toBe('0');
  });

  it('resolves a call whose signal was aborted before it began', async () => {
    const result = await runCells(makeTool(), [{ language: 'js', code: '1' }], AbortSignal.abort());
    expect(result.details.isError).toBe(true);
    expect(result.details.cells[0].status).not.toBe('complete');
  });

  it('stops the running cell with interrupt() and keeps state', async () => {
    const tool = makeTool();
    await js(tool, 'var kept = 7');
    const running = js(tool, 'for (;;);');
    await busy(tool);
    await tool.interrupt('python');
    await tool.interrupt('js');
    expect(await running).toMatchObject({ status: 'error', state: 'kept', failure: { kind: 'abort' } });
    expect((await js(tool, 'kept')).output).toBe('7');
  });

  it('ends a cell that a reset or a dispose cuts off as aborted with its state lost', async () => {
    const tool = makeTool();
    const reset = js(tool, 'await new Promise(() => {})');
    await busy(tool);
    await tool.reset('js');
    expect(await reset).toMatchObject({ state: 'lost', failure: { kind: 'abort' } });
    const disposed = js(tool, 'await new Promise(() => {})');
    const queued = js(tool, '1');
    await busy(tool);
    await tool.dispose();
    expect(await disposed).toMatchObject({ state: 'lost', failure: { kind: 'abort' } });
    expect(await queued).toMatchObject({ status: 'pending' });
  });

  it('says with the next result of that language that state is gone, and why', async () => {
    const tool = makeTool();
    await js(tool, 'var gone = 1');
    await tool.reset('js');
    const result = await runCells(tool, [{ language: 'js', code: 'typeof gone' }]);
    expect(textOf(result)).toContain('JavaScript variables of earlier cells are gone: the host reset it.');
    expect(result.details.notice).toContain('gone');
    expect(textOf(await runCells(tool, [{ language: 'js', code: '1' }]))).toBe('1');
  });

  it('runs different sessions at once', async () => {
    const [one, two] = [makeTool(), makeTool()];
    const endless = js(one, 'await new Promise(() => {})');
    expect((await js(two, '2')).output).toBe('2');
    await one.dispose();
    expect((await endless).failure?.kind).toBe('abort');
  });
});

describe('shared sessions', () => {
  it('shares kernels between tools that name the same session, until the last is disposed', async () => {
    const [one, two] = [makeTool({ sessionId: 'shared' }), makeTool({ sessionId: 'shared' })];
    const other = makeTool({ sessionId: 'other' });
    await js(one, 'var common = 5');
    expect((await js(two, 'common')).output).toBe('5');
    expect((await js(other, 'typeof common')).output).toBe("'undefined'");
    await one.dispose();
    expect((await js(two, 'common')).output).toBe('5');
  });

  it('disposes the kernels of an owner together', async () => {
    const { disposeOwner } = await import('../index.js');
    const tools = [makeTool({ ownerId: 'me' }), makeTool({ ownerId: 'me' }), makeTool({ ownerId: 'you' })];
    for (const tool of tools) await js(tool, 'var mine = 1');
    await disposeOwner('me');
    expect(tools.map((tool) => tool.kernels().length)).toEqual([0, 0, 1]);
    expect((await js(tools[0], 'typeof mine')).output).toBe("'undefined'");
  });
});

describe('updates', () => {
  it('have the result’s shape, the live text, and never come after the end', async () => {
    const tool = makeTool();
    const updates: EvalResult[] = [];
    let settled = false;
    let late = 0;
    const code = 'for (let i = 0; i < 5; i++) { process.stdout.write("tick "); await new Promise((r) => setTimeout(r, 80)); }';
    await tool.execute('id', { cells: [{ language: 'js', code }] }, undefined, (partial) => {
      if (settled) late += 1;
      updates.push(partial);
    });
    settled = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(late).toBe(0);
    expect(updates[0].details.cells[0].status).toBe('running');
    const texts = updates.map(textOf);
    expect(texts.some((text) => text.startsWith('tick ') && text.length < 20)).toBe(true);
    expect(updates.length).toBeLessThan(15);
  });

  const seenBy = async (tool: ReturnType<typeof makeTool>, cells: { language: string; code: string; title?: string }[], busy = () => {}) => {
    const updates: EvalResult[] = [];
    const result = await tool.execute('id', { cells }, undefined, (partial) => {
      updates.push(partial);
      busy();
    });
    return { updates, result };
  };
  /** The changes of status in updates, as `cell:status`. */
  const changes = (updates: EvalResult[]) => {
    const known = new Map<number, string>();
    return updates.flatMap(({ details }) =>
      details.cells
        .filter((cell) => (known.get(cell.index) ?? 'pending') !== cell.status)
        .map((cell) => (known.set(cell.index, cell.status), `${cell.index}:${cell.status}`)),
    );
  };

  it('tell every change of status of every cell as one of its own, in order', async () => {
    const tool = makeTool();
    await js(tool, '1');
    const cells = Array.from({ length: 40 }, (_, index) => ({ language: 'js', code: index === 39 ? 'throw 1' : 'console.log("x")' }));
    const expected = cells.flatMap((_, index) => [`${index}:running`, `${index}:${index === 39 ? 'error' : 'complete'}`]);
    const { updates } = await seenBy(tool, cells);
    expect(changes(updates)).toEqual(expected);
    // The host's thread stands still, so that several changes wait for it.
    const slow = await seenBy(tool, cells, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5));
    expect(changes(slow.updates)).toEqual(expected);
    for (let at = 1; at < slow.updates.length; at++) {
      const differing = slow.updates[at].details.cells.filter((cell, index) => cell.status !== slow.updates[at - 1].details.cells[index].status);
      expect(differing.length).toBeLessThanOrEqual(1);
    }
  });

  it('hold all that was displayed so far, each part told once', async () => {
    const code = (from: number) => `for (let i = ${from}; i < ${from} + 3; i++) {
      display({ i });
      display({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
      await write('file' + i, '');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }`;
    const { updates, result } = await seenBy(makeTool({ cwd: makeFolder() }), [{ language: 'js', code: code(0) }, { language: 'js', code: code(3) }]);
    const last = updates.at(-1)!.details;
    for (const name of ['jsonOutputs', 'images', 'statusEvents', 'cells'] as const) expect(last[name]).toEqual(result.details[name]);
    for (const { details } of updates) {
      const count = details.jsonOutputs?.length ?? 0;
      expect(details.jsonOutputs ?? []).toEqual(result.details.jsonOutputs!.slice(0, count));
      expect(details.images ?? []).toEqual(result.details.images!.slice(0, details.images?.length ?? 0));
      const running = details.cells.find((cell) => cell.status === 'running');
      const whole = running && result.details.cells[running.index];
      if (running) expect(running.statusEvents ?? []).toEqual(whole!.statusEvents!.slice(0, running.statusEvents?.length ?? 0));
    }
    expect(updates.some(({ details }) => details.cells[0].status === 'running' && details.cells[0].statusEvents?.length === 2)).toBe(true);
  });

  it('carry what was displayed across once, however many follow', async () => {
    const tool = makeTool();
    const code = `for (let i = 0; i < 8; i++) display({ type: 'image', data: 'AAAA'.repeat(10_000), mimeType: 'image/png' });
      display({ rows: [1] });
      for (let i = 0; i < 6; i++) { console.log(i); await new Promise((resolve) => setTimeout(resolve, 60)); }`;
    const { updates } = await seenBy(tool, [{ language: 'js', code }]);
    const whole = updates.filter(({ details }) => details.jsonOutputs).map(({ details }) => [...details.images!, ...(details.jsonOutputs as object[])]);
    expect(whole.length).toBeGreaterThan(1);
    // The very same objects: what crosses again would be parsed again.
    for (const parts of whole) expect(parts.every((part, index) => part === whole[0][index])).toBe(true);
  });

  it('harm nothing when the callback throws or rejects', async () => {
    const tool = makeTool();
    for (const onUpdate of [() => { throw new Error('u'); }, async () => { throw null; }]) {
      const result = await tool.execute('id', { cells: [{ language: 'js', code: 'console.log("fine")' }] }, undefined, onUpdate);
      expect(textOf(result)).toBe('fine');
    }
  });
});
