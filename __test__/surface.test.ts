import { describe, expect, it } from 'vitest';
import { EvalError, EvalTool, type EvalInput, type EvalResult } from '../index.js';
import { js, makeTool, runCells, textOf } from './support.js';

const code = (action: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(action)
    .then(
      () => 'no error',
      (error) => (error instanceof EvalError ? error.code : error),
    );

describe('EvalTool', () => {
  it('has the fields an agent framework reads, as own enumerable properties', () => {
    const tool = makeTool();
    expect(Object.keys(tool)).toEqual([
      'name',
      'label',
      'description',
      'parameters',
      'grammar',
      'concurrency',
      'mergeCallAndResult',
      'inline',
      'execute',
      'reset',
      'interrupt',
      'kernels',
      'variables',
      'dispose',
    ]);
    expect(tool).toMatchObject({
      name: 'eval',
      label: 'Eval',
      concurrency: 'exclusive',
      mergeCallAndResult: true,
      inline: true,
      grammar: { syntax: 'lark' },
    });
    expect(tool.parameters).toMatchObject({ type: 'object' });
  });

  it('works as a spread copy', async () => {
    const tool = makeTool();
    // TypeScript drops the methods of a class from a spread; at run time they are there.
    const copy = { ...tool } as EvalTool;
    const result = await copy.execute('id', { cells: [{ language: 'js', code: '6 * 7' }] });
    expect(textOf(result)).toBe('42');
    expect(copy.kernels()).toHaveLength(1);
  });

  it('lets a subclass override a method', async () => {
    class Counting extends EvalTool {
      calls = 0;
      override execute(...values: Parameters<EvalTool['execute']>): Promise<EvalResult> {
        this.calls += 1;
        return super.execute(...values);
      }
    }
    const tool = new Counting();
    await tool.execute('id', { cells: [{ language: 'js', code: '1' }] });
    expect(tool.calls).toBe(1);
    await tool.dispose();
  });

  it('rejects misuse with an EvalError whose code is stable, and never throws from an async method', async () => {
    const tool = makeTool();
    const wrong: unknown[] = [undefined, null, 5, {}, { cells: [] }, { cells: 'x' }, { cells: [{ language: 'cobol', code: '' }] }];
    for (const params of wrong) {
      const running = tool.execute('id', params as EvalInput);
      expect(running).toBeInstanceOf(Promise);
      expect(['EVAL_INVALID_ARGUMENT', 'EVAL_PARSE']).toContain(await code(() => running));
    }
    expect(await code(() => tool.execute('id', { cells: [{ code: '1' }] }, 7 as never))).toBe('EVAL_INVALID_ARGUMENT');
    expect(await code(() => tool.execute('id', { cells: [{ code: '1' }] }, undefined, 7 as never))).toBe('EVAL_INVALID_ARGUMENT');
    expect(await code(() => tool.reset('ruby' as never))).toBe('EVAL_INVALID_ARGUMENT');
    expect(await code(() => tool.variables(undefined as never))).toBe('EVAL_INVALID_ARGUMENT');
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(await code(() => tool.execute('id', cyclic as EvalInput))).toBe('EVAL_INVALID_ARGUMENT');
    const trap = { get cells(): never { throw new Error('trap'); } };
    expect(await code(() => tool.execute('id', trap))).toBe('EVAL_INVALID_ARGUMENT');
    expect(tool.kernels()).toEqual([]);
  });

  it('refuses unknown and wrong options with a sentence that says what to do', async () => {
    expect(() => new EvalTool({ color: 'red' } as never)).toThrow(/Unknown option `color`; EvalTool takes cwd, /);
    expect(() => new EvalTool({ cwd: '/no/such/folder' })).toThrow(/not a directory/);
    expect(() => new EvalTool({ timeouts: { defaultMs: Number.NaN } })).toThrow(/`timeouts.defaultMs` must be .* not NaN/);
    expect(() => new EvalTool(null as never)).toThrow(EvalError);
    expect(await code(() => new EvalTool(5 as never))).toBe('EVAL_INVALID_ARGUMENT');
  });

  it('is an Error with a name, a code and a stack that leads to the caller', async () => {
    const tool = makeTool();
    const error = await tool.execute('id', { cells: [] }).catch((caught: unknown) => caught as EvalError);
    expect(error).toBeInstanceOf(Error);
    expect((error as EvalError).name).toBe('EvalError');
    expect((error as EvalError).stack).toContain('surface.test');
  });

  it('lists kernels with language, session, state, thread, count and times', async () => {
    const tool = makeTool({ sessionId: 'mine' });
    await js(tool, '1');
    await js(tool, '2');
    const [kernel] = tool.kernels();
    expect(kernel).toMatchObject({ language: 'js', sessionId: 'js:mine', state: 'idle', executionCount: 2 });
    expect(kernel.threadId).toBeGreaterThan(0);
    expect(kernel.lastUsedAt).toBeGreaterThanOrEqual(kernel.startedAt);
  });

  it('disposes through Symbol.asyncDispose, twice, and refuses later calls with EVAL_DISPOSED', async () => {
    const tool = makeTool();
    await js(tool, '1');
    const dispose = (tool as unknown as Record<symbol, () => Promise<void>>)[Symbol.asyncDispose ?? Symbol.for('none')];
    if (dispose) await dispose();
    await tool.dispose();
    await tool.dispose();
    expect(tool.kernels()).toEqual([]);
    expect(await code(() => runCells(tool, [{ language: 'js', code: '1' }]))).toBe('EVAL_DISPOSED');
    expect(await code(() => tool.reset())).toBe('EVAL_DISPOSED');
    expect(await code(() => tool.variables('js'))).toBe('EVAL_DISPOSED');
  });
});

describe('host hooks', () => {
  it('asks assertExecutionAllowed before anything starts', async () => {
    const no = makeTool({ assertExecutionAllowed: () => { throw new Error('the user said no'); } });
    const error = (await js(no, '1').catch((caught: unknown) => caught)) as EvalError;
    expect([error.code, error.message]).toEqual(['EVAL_NOT_ALLOWED', 'The host does not allow execution: the user said no']);
    expect(no.kernels()).toEqual([]);
    const never = makeTool({ assertExecutionAllowed: async () => false });
    expect(await code(() => js(never, '1'))).toBe('EVAL_NOT_ALLOWED');
  });

  it('hands the execution and a controller that aborts it to trackExecution', async () => {
    const tracked: [Promise<EvalResult>, AbortController][] = [];
    const tool = makeTool({ trackExecution: (...pair) => tracked.push(pair) });
    const running = js(tool, 'await new Promise(() => {})');
    await expect.poll(() => tool.kernels()[0]?.state).toBe('busy');
    tracked[0][1].abort();
    expect((await running).failure?.kind).toBe('abort');
    expect(await tracked[0][0]).toMatchObject({ details: { isError: true } });
  });

  it('runs the whole call elsewhere with proxyExecutor and starts nothing here', async () => {
    const elsewhere = { content: [{ type: 'text', text: 'elsewhere' }], details: {} } as unknown as EvalResult;
    const seen: unknown[] = [];
    const tool = makeTool({ proxyExecutor: async (params) => (seen.push(params), elsewhere) });
    const params = { cells: [{ language: 'js', code: '1' }] };
    expect(await tool.execute('id', params)).toBe(elsewhere);
    expect(seen).toEqual([params]);
    expect(tool.kernels()).toEqual([]);
  });

  it('sends structured records to onLog', async () => {
    const records: { level: string; message: string }[] = [];
    const tool = makeTool({ onLog: (record) => records.push(record) });
    await js(tool, '1');
    await expect.poll(() => records.map(({ message }) => message)).toContain('run ended');
  });
});
