import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeEvals } from '../../lib/vitest.mjs';
import { program, ROOT } from './program';
import { scripted } from './scripted';

// The helper at work: these are tests of this suite.
const seen: string[] = [];
describeEvals(
  'describeEvals makes one test per case and trial',
  [scripted({ id: 'one' }).evalCase, scripted({ id: 'two' }).evalCase],
  {
    trials: 2,
    timeoutMs: 60_000,
    onReport: ({ id, status }, { caseIndex, trial }) => void seen.push(`${id} ${caseIndex}.${trial} ${status}`),
  },
);

describe('the tests it makes', () => {
  it('run one after the other, each once', () => {
    expect(seen).toEqual(['one 0.0 passed', 'one 0.1 passed', 'two 1.0 passed', 'two 1.1 passed']);
  });

  it('fail with the safe failure only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'evalcell-vitest-'));
    try {
      const output = join(folder, 'results.json');
      const { code, stdout, stderr } = await program(process.execPath, [
        join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--config',
        join(ROOT, '__test__', 'evals', 'fixtures', 'vitest.config.mjs'),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${output}`,
      ]);
      expect(code).toBe(1);
      const { testResults } = JSON.parse(await readFile(output, 'utf8'));
      const results = testResults[0].assertionResults.map(({ title, status, failureMessages, meta }: any) => [
        title,
        status,
        failureMessages.join(),
        meta.evalReport.status,
      ]);
      expect(results).toEqual([
        ['passes', 'passed', '', 'passed'],
        ['says-no', 'failed', 'EvalFailure: task_failed: task/task_rejected (1 of 2 checks passed)', 'task_failed'],
        ['breaks', 'failed', 'EvalFailure: infra_failed: collect/collect_failed', 'infra_failed'],
      ]);
      expect(stdout + stderr + JSON.stringify(testResults)).not.toContain('SECRET');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('refuse options that it does not know', () => {
    expect(() => describeEvals('never', [], { trails: 2 } as never)).toThrow('unknown option trails');
  });
});
