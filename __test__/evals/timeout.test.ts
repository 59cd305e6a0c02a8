import { describe, expect, it } from 'vitest';
import { runEvalCase, runEvalSuite } from '../../index';
import { failures, scripted } from './scripted';

const hang = () => new Promise(() => {});
const SHORT = 30;

describe('timeoutMs', () => {
  it('ends an agent that takes too long as execute/execute_timeout, and closes it', async () => {
    for (const step of ['prompt', 'flush']) {
      const { evalCase, log } = scripted({ case: { timeoutMs: SHORT }, runtime: { [step]: hang } });
      const report = await runEvalCase(evalCase);
      expect([report.status, ...failures(report)]).toEqual(['infra_failed', 'execute/execute_timeout']);
      expect(log.slice(-2)).toEqual(['dispose', 'cleanup']);
    }
  });

  it('ends any other phase that takes too long with the code of that phase', async () => {
    for (const [script, code] of [
      [{ case: { prepare: hang } }, 'prepare/prepare_failed'],
      [{ runtime: { session: { entries: hang } } }, 'collect/collect_failed'],
      [{ prepared: { readFile: hang } }, 'collect/collect_failed'],
      [{ judge: hang }, 'judge/judge_failed'],
    ] as const) {
      const { evalCase } = scripted(script);
      expect(failures(await runEvalCase({ ...evalCase, timeoutMs: SHORT }))).toEqual([code]);
    }
  });

  it('is the default of cases that have none of their own, and theirs wins', async () => {
    const slow = (timeoutMs?: number) => {
      const prompt = () => new Promise((_, reject) => setTimeout(reject, 200));
      return scripted({ case: { timeoutMs }, runtime: { prompt } }).evalCase;
    };
    const reports = await runEvalSuite([slow(), slow(100_000)], { timeoutMs: SHORT });
    expect(reports.map(failures)).toEqual([['execute/execute_timeout'], ['execute/execute_failed']]);
  });

  it('may be any positive number; one longer than a timer can wait never fires', async () => {
    for (const timeoutMs of [0.5, 2 ** 31, Number.MAX_VALUE]) {
      const prompt = () => new Promise((_, reject) => setTimeout(reject, 20));
      const { evalCase } = scripted({ case: { timeoutMs }, runtime: { prompt } });
      expect(failures(await runEvalCase(evalCase))).toEqual([
        `execute/execute_${timeoutMs < 1 ? 'timeout' : 'failed'}`,
      ]);
    }
  });

  it('closes what a prepare that came too late had opened', async () => {
    const { evalCase, log } = scripted({ case: { timeoutMs: SHORT } });
    const { prepare } = evalCase;
    let open!: (value: unknown) => void;
    evalCase.prepare = () => new Promise<any>((resolve) => (open = resolve));
    expect(failures(await runEvalCase(evalCase))).toEqual(['prepare/prepare_failed']);
    const closed = new Promise<void>((resolve) => {
      const prepared: any = prepare();
      const { cleanup } = prepared;
      prepared.cleanup = () => resolve(cleanup());
      open(prepared);
    });
    await closed;
    expect(log).toEqual(['prepare', 'dispose', 'cleanup']);
  });

  it("what an abandoned step does later is nobody's unhandled rejection", async () => {
    let fail!: (error: Error) => void;
    const prompt = () => new Promise((_, reject) => (fail = reject));
    await runEvalCase(scripted({ case: { timeoutMs: SHORT }, runtime: { prompt } }).evalCase);
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    fail(new Error('late'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});
