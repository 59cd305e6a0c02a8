import { describe, expect, it } from 'vitest';
import { type EvalCase, runEvalCase, runEvalSuite } from '../../index';
import { boom, failures, scripted } from './scripted';

const WHOLE = [
  'prepare',
  'prompt please',
  'flush',
  'entries',
  'getActiveLeafId',
  'readFile a',
  'readFile b',
  'judge',
  'dispose',
  'cleanup',
];

describe('one case', () => {
  it('runs in a fixed order', async () => {
    const { evalCase, log } = scripted({ files: ['a', 'b'] });
    const report = await runEvalCase(evalCase);
    expect(log).toEqual(WHOLE);
    expect(report).toEqual({
      id: 'case',
      status: 'passed',
      evidence: {
        messages: { user: 1, assistant: 2, toolResult: 1 },
        tools: { calls: 1, results: 1, errors: 0 },
        files: { requested: 2, read: 2 },
        checks: { passed: 1, failed: 0 },
      },
      secondaryFailures: [],
    });
  });

  it('calls each step only when the one before has ended', async () => {
    let busy = 0;
    const slow = (value?: unknown) => async () => {
      expect(++busy).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
      return value;
    };
    const { evalCase } = scripted({
      runtime: { flush: slow(), dispose: slow() },
      prepared: { readFile: slow('text'), cleanup: slow() },
      judge: slow({ passed: true, checks: [] }),
    });
    expect((await runEvalCase(evalCase)).status).toBe('passed');
  });

  it('prepares anew for every run; nothing is cached', async () => {
    const { evalCase, log } = scripted();
    await runEvalCase(evalCase);
    await runEvalCase(evalCase);
    expect(log.filter((call) => call === 'prepare')).toHaveLength(2);
    expect(log).toHaveLength(18);
  });

  it('goes straight to dispose and cleanup after the first failure', async () => {
    for (const [name, script, left] of [
      ['prompt', { runtime: { prompt: boom } }, 2],
      ['flush', { runtime: { flush: boom } }, 3],
      ['getActiveLeafId', { runtime: { getActiveLeafId: boom } }, 5],
      ['readFile', { files: ['a', 'b'], prepared: { readFile: boom } }, 6],
      ['judge', { files: ['a', 'b'], judge: boom }, 8],
    ] as const) {
      const { evalCase, log } = scripted(script);
      await runEvalCase(evalCase);
      expect(log, name).toEqual([...WHOLE.slice(0, left), 'dispose', 'cleanup']);
    }
  });

  it('keeps the first failure primary; those of dispose and cleanup follow it', async () => {
    const broken = { runtime: { dispose: boom }, prepared: { cleanup: boom } };
    const rejected = await runEvalCase(
      scripted({ ...broken, judge: () => ({ passed: false, checks: [true, false] }) }).evalCase,
    );
    expect(rejected.status).toBe('task_failed');
    expect(failures(rejected)).toEqual(['task/task_rejected', 'dispose/dispose_failed', 'cleanup/cleanup_failed']);
    const collected = await runEvalCase(
      scripted({ runtime: { dispose: boom }, prepared: { cleanup: boom, readFile: boom } }).evalCase,
    );
    expect(failures(collected)).toEqual(['collect/collect_failed', 'dispose/dispose_failed', 'cleanup/cleanup_failed']);
    const passed = await runEvalCase(scripted(broken).evalCase);
    expect(passed.status).toBe('infra_failed');
    expect(failures(passed)).toEqual(['dispose/dispose_failed', 'cleanup/cleanup_failed']);
    const cleanup = await runEvalCase(scripted({ prepared: { cleanup: boom } }).evalCase);
    expect([cleanup.status, ...failures(cleanup)]).toEqual(['infra_failed', 'cleanup/cleanup_failed']);
  });

  it('calls nothing of an invalid case', async () => {
    const wrong: [string, Parameters<typeof scripted>[0]][] = [
      ['blank id', { id: ' \n' }],
      ['id that is no string', { id: 7 }],
      ['prompt that is no string', { prompt: undefined }],
      ['blank file', { files: ['a', ''] }],
      ['repeated file', { files: ['a', 'b', 'a'] }],
      ['file that is no string', { files: [1] }],
      ['files that are no list', { files: 'answer.txt' }],
      ['no prepare', { case: { prepare: undefined } }],
      ['no judge', { case: { judge: {} } }],
      ['timeout that is no number', { case: { timeoutMs: '5' } }],
      ['timeout that is not positive', { case: { timeoutMs: 0 } }],
      ['timeout that is NaN', { case: { timeoutMs: Number.NaN } }],
    ];
    for (const [name, script] of wrong) {
      const { evalCase, log } = scripted(script);
      const report = await runEvalCase(evalCase);
      expect([name, report.status, ...failures(report), ...log]).toEqual([
        name,
        'infra_failed',
        'prepare/invalid_case',
      ]);
    }
    for (const value of [undefined, null, 7, 'case', Symbol('case'), [], () => {}, {}]) {
      expect(failures(await runEvalCase(value as EvalCase))).toEqual(['prepare/invalid_case']);
    }
  });

  it('still calls what a half-valid prepared value offers', async () => {
    const noted: string[] = [];
    const dispose = () => noted.push('dispose');
    const cleanup = () => noted.push('cleanup');
    const whole = { session: { entries() {} }, getActiveLeafId() {}, prompt() {}, flush() {}, dispose };
    for (const [prepared, expected] of [
      [null, ''],
      ['nonsense', ''],
      [{}, ''],
      [{ runtime: null, cleanup }, 'cleanup'],
      [{ runtime: { dispose } }, 'dispose'],
      [{ runtime: { dispose }, cleanup }, 'dispose cleanup'],
      [{ runtime: whole, cleanup }, 'dispose cleanup'],
      [{ runtime: whole, readFile() {}, cleanup: 'no function' }, 'dispose'],
      [{ runtime: { ...whole, session: null }, readFile() {}, cleanup }, 'dispose cleanup'],
      [{ runtime: { ...whole, dispose: undefined }, readFile() {}, cleanup }, 'cleanup'],
    ] as const) {
      noted.length = 0;
      const report = await runEvalCase(scripted({ case: { prepare: () => prepared } }).evalCase);
      expect(failures(report)).toEqual(['prepare/prepare_failed']);
      expect(noted.join(' ')).toBe(expected);
    }
  });
});

describe('a suite', () => {
  it('is serial and keeps input order, also with the same case twice', async () => {
    const log: string[] = [];
    const named = (id: string) =>
      scripted({
        id,
        case: {
          prepare: async () => {
            log.push(`${id} in`);
            await new Promise((resolve) => setImmediate(resolve));
            throw new Error();
          },
        },
        prepared: {},
      }).evalCase;
    const one = named('one');
    const reports = await runEvalSuite([one, named('two'), one]);
    expect(reports.map(({ id }) => id)).toEqual(['one', 'two', 'one']);
    expect(log).toEqual(['one in', 'two in', 'one in']);
    expect(await runEvalSuite([])).toEqual([]);
  });
});
