import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, node, ROOT } from './program';

const evals = (...args: string[]) => node(join(ROOT, 'bin', 'evalcell.js'), 'evals', ...args);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evalcell-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('evalcell evals', () => {
  it('prints a line per report and a summary; exit code 1 when a case did not pass', async () => {
    const { code, stdout, stderr } = await evals(fixture('cases.mjs'));
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatchInlineSnapshot(`
      "passes  passed (2 of 2 checks passed)
      says-no  task_failed: task/task_rejected (1 of 2 checks passed)
      breaks  infra_failed: collect/collect_failed
      1 of 3 passed, 1 task_failed, 1 infra_failed (pass rate 0.333)
      "
    `);
  });

  it('exits with 0 when every case passed, in every trial', async () => {
    const { code, stdout } = await evals(fixture('passing.mjs'), '--trials', '2', '--timeout-ms', '60000');
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "passes  passed (2 of 2 checks passed)
      passes  passed (2 of 2 checks passed)
      2 of 2 passed (pass rate 1.000, pass^2 1.000)
      "
    `);
  });

  it('--json prints the reports and their summary, --junit writes XML beside it', async () => {
    const junit = join(folder, 'junit.xml');
    const { code, stdout } = await evals(
      fixture('cases.mjs'),
      '--json',
      '--junit',
      junit,
      '--trials',
      '2',
      '--retry-infra',
      '1',
    );
    const { reports, summary } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(reports.map(({ id }: { id: string }) => id)).toEqual([
      'passes',
      'passes',
      'says-no',
      'says-no',
      'breaks',
      'breaks',
    ]);
    expect(summary).toMatchObject({ reports: 6, passed: 2, taskFailed: 2, infraFailed: 2 });
    const xml = await readFile(junit, 'utf8');
    expect(xml).toContain('<testsuite name="evals" tests="6" failures="2" errors="2">');
    expect(stdout + xml).not.toContain('SECRET');
  });

  it('exits with 2 and says why for bad usage', async () => {
    const empty = join(folder, 'empty.mjs');
    await writeFile(empty, 'export const nothing = 1;');
    for (const [args, message] of [
      [[], 'name one module that exports eval cases.'],
      [['a.mjs', 'b.mjs'], 'name one module that exports eval cases.'],
      [[empty, '--trials', 'many'], '--trials must be a whole number from 1 to 1000000, not `many`.'],
      [[empty, '--frobnicate'], "Unknown option '--frobnicate'"],
      [[empty], 'exports no array of eval cases'],
      [[join(folder, 'missing.mjs')], 'cannot be loaded'],
    ] as const) {
      const { code, stdout, stderr } = await evals(...args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
    }
  });
});
