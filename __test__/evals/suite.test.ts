import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  EvalError,
  type EvalProgress,
  reportJson,
  reportJUnit,
  reportText,
  runEvalSuite,
  summarize,
} from '../../index';
import { boom, failures, scripted } from './scripted';

/** A case that ends as these statuses, one after the other, and passes after that. */
function ending(id: string, ...statuses: string[]) {
  const { evalCase, log } = scripted({ id });
  const { prepare } = evalCase;
  evalCase.prepare = async () => {
    const status = statuses.shift() ?? 'passed';
    evalCase.judge = () => ({ passed: status === 'passed', checks: [status === 'passed'] });
    return status === 'infra_failed' ? boom() : prepare();
  };
  // The judge that counts is the one of this run.
  return {
    get id() {
      return id;
    },
    prompt: 'please',
    files: [],
    prepare: () => evalCase.prepare(),
    judge: (o: any) => evalCase.judge(o),
    log,
  };
}

describe('trials and retries', () => {
  it('gives one report per trial, in input order then trial order, each prepared anew', async () => {
    const [one, two] = [ending('one', 'task_failed'), ending('two', 'passed', 'task_failed')];
    const reports = await runEvalSuite([one, two], { trials: 3 });
    expect(reports.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'one task_failed',
      'one passed',
      'one passed',
      'two passed',
      'two task_failed',
      'two passed',
    ]);
    expect(one.log.filter((call) => call === 'dispose')).toHaveLength(3);
    const summary = summarize(reports);
    expect(summary).toMatchObject({ reports: 6, passed: 4, taskFailed: 2, passRate: 4 / 6 });
    expect(summary.cases.map(({ id, passHatK }) => [id, ...passHatK.map((likely) => likely.toFixed(3))])).toEqual([
      ['one', '0.667', '0.333', '0.000'],
      ['two', '0.667', '0.333', '0.000'],
    ]);
  });

  it('retries infra_failed only, and only so often; the attempt that counts is the last one', async () => {
    const progress: EvalProgress[] = [];
    const seen: string[] = [];
    const cases = [
      ending('a', 'infra_failed', 'task_failed'),
      ending('b', 'infra_failed', 'infra_failed', 'infra_failed'),
    ];
    const reports = await runEvalSuite(cases, {
      retryInfra: 1,
      onReport: async ({ id, status }, { caseIndex, trial }) => void seen.push(`${caseIndex}.${trial} ${id} ${status}`),
      onProgress: (event) => void progress.push(event),
    });
    expect(reports.map(({ status }) => status)).toEqual(['task_failed', 'infra_failed']);
    expect(seen).toEqual(['0.0 a task_failed', '1.0 b infra_failed']);
    expect(
      progress.map(({ type, caseIndex, retry, done, total, status }) => [type, caseIndex, retry, done, total, status]),
    ).toEqual([
      ['start', 0, 0, 0, 2, undefined],
      ['retry', 0, 0, 0, 2, 'infra_failed'],
      ['start', 0, 1, 0, 2, undefined],
      ['end', 0, 1, 1, 2, 'task_failed'],
      ['start', 1, 0, 1, 2, undefined],
      ['retry', 1, 0, 1, 2, 'infra_failed'],
      ['start', 1, 1, 1, 2, undefined],
      ['end', 1, 1, 2, 2, 'infra_failed'],
    ]);
  });

  it('ignores what observers throw and what they do to a report', async () => {
    const reports = await runEvalSuite([ending('a'), ending('b')], {
      onReport(report) {
        report.status = 'infra_failed';
        boom();
      },
      onProgress: () => Promise.reject(new Error('boom')),
    });
    expect(reports.map(({ status }) => status)).toEqual(['passed', 'passed']);
  });
});

describe('the signal', () => {
  it('ends the suite between two cases', async () => {
    const controller = new AbortController();
    const cases = [ending('a'), ending('b'), ending('c')];
    const reports = await runEvalSuite(cases, {
      signal: controller.signal,
      onReport: ({ id }) => void (id === 'b' && controller.abort()),
    });
    expect(reports.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(cases[2]!.log).toEqual([]);
    expect(await runEvalSuite(cases, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('cuts the case in progress, which is closed and does not count', async () => {
    const controller = new AbortController();
    const hanging = scripted({
      runtime: {
        prompt: () => {
          controller.abort();
          return new Promise(() => {});
        },
      },
    });
    const reports = await runEvalSuite([ending('a'), hanging.evalCase, ending('b')], {
      signal: controller.signal,
      retryInfra: 3,
    });
    expect(reports.map(({ id }) => id)).toEqual(['a']);
    expect(hanging.log).toEqual(['prepare', 'prompt please', 'dispose', 'cleanup']);
  });

  it('lets a case that is being closed finish, and count', async () => {
    const controller = new AbortController();
    const closing = scripted({
      runtime: {
        dispose: async () => {
          controller.abort();
          await new Promise(setImmediate);
        },
      },
    });
    const reports = await runEvalSuite([closing.evalCase, ending('b')], { signal: controller.signal });
    expect(reports.map(({ id, status }) => [id, status])).toEqual([['case', 'passed']]);
    expect(closing.log.at(-1)).toBe('cleanup');
  });

  it('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await runEvalSuite([ending('a'), ending('b', 'infra_failed'), ending('c')], { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('misuse', () => {
  it('rejects with EVAL_INVALID_ARGUMENT and names the option', async () => {
    for (const [options, message] of [
      [{ trials: 0 }, 'Option `trials` must be a whole number from 1 to 1000000, not 0.'],
      [{ trials: 1.5 }, 'Option `trials` must be a whole number from 1 to 1000000, not 1.5.'],
      [{ retryInfra: -1 }, 'Option `retryInfra` must be a whole number from 0 to 1000000, not -1.'],
      [{ timeoutMs: Number.NaN }, 'Option `timeoutMs` must be a positive number of milliseconds, not NaN.'],
      [{ signal: {} }, 'Option `signal` must be an AbortSignal, not an object.'],
      [{ onReport: 'print' }, 'Option `onReport` must be a function, not "print".'],
      [
        { trails: 2 },
        'Unknown option `trails`; runEvalSuite takes trials, retryInfra, timeoutMs, signal, onReport, onProgress.',
      ],
      [null, 'runEvalSuite options must be an object, not null.'],
      [[], 'runEvalSuite options must be an object, not an array.'],
    ] as [any, string][]) {
      const error: any = await runEvalSuite([], options).then(
        () => undefined,
        (error) => error,
      );
      expect([error?.code, error?.message, error instanceof EvalError]).toEqual([
        'EVAL_INVALID_ARGUMENT',
        message,
        true,
      ]);
    }
    await expect(runEvalSuite('cases' as any)).rejects.toMatchObject({ code: 'EVAL_INVALID_ARGUMENT' });
    expect(await runEvalSuite([], { trials: undefined })).toEqual([]);
  });

  it('is an error of the reporters too, which take safe reports only', async () => {
    const [report] = await runEvalSuite([ending('a')]);
    for (const reports of [
      undefined,
      {},
      [1],
      [{}],
      [{ ...report, status: 'great' }],
      [{ ...report, primaryFailure: { phase: 'task', code: 'invalid_case' } }],
      [{ ...report, secondaryFailures: [{ phase: 'dispose', code: 'SECRET' }] }],
    ] as any[]) {
      for (const reporter of [summarize, reportJson, reportJUnit, reportText]) {
        expect(() => reporter(reports)).toThrow(expect.objectContaining({ code: 'EVAL_INVALID_ARGUMENT' }));
      }
    }
    const text = reportJson([{ ...report!, prompt: 'SECRET' } as any]);
    expect(text).not.toContain('SECRET');
    expect(JSON.parse(text).reports).toEqual([report]);
  });

  it('a case of a suite that is no case is a report', async () => {
    const reports = await runEvalSuite([null, ending('b')] as any);
    expect(reports.map(failures)).toEqual([['prepare/invalid_case'], []]);
  });
});
