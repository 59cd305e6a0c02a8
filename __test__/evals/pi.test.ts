import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, program, ROOT } from './program';

const CURRENT = join(ROOT, '.pi-current');
const binary = process.platform === 'win32' ? 'node.exe' : 'bin/node';
const platform = process.platform === 'win32' ? 'win' : process.platform;
const CURRENT_NODE = join(CURRENT, 'node_modules', `node-${platform}-${process.arch}`, binary);

/** Both agents are real, only their model is scripted; nothing goes over the network. */
async function judged(node: string, folder: string, scope: string) {
  const { code, stdout, stderr } = await program(node, [fixture('pi.mjs'), folder, scope]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toMatch(/call-1|answer\.txt|evalcell-pi-|I will write it|Write 42/);
  return JSON.parse(stdout).reports;
}

function expectWholeChain(reports: any[]) {
  const lines = reports.map(({ id, status, primaryFailure, secondaryFailures }) =>
    [id, status, ...[primaryFailure, ...secondaryFailures].map((failure) => failure?.code)].join(' ').trim(),
  );
  expect(lines).toEqual([
    'write-answer passed',
    'write-answer passed',
    'forged-tool-name protocol_failed tool_name_mismatch',
    'forged-answer protocol_failed result_session_mismatch',
    'lost-result protocol_failed unpaired_tool_call',
    'does-nothing task_failed task_rejected',
    'answers-late infra_failed execute_timeout',
    'never-stops infra_failed execute_timeout dispose_failed',
  ]);
  const evidence = {
    messages: { user: 1, assistant: 2, toolResult: 1 },
    tools: { calls: 1, results: 1, errors: 0 },
    files: { requested: 1, read: 1 },
    checks: { passed: 3, failed: 0 },
  };
  // Newer agents also record system messages.
  const { system: _, ...messages } = reports[0].evidence.messages;
  expect({ ...reports[0].evidence, messages }).toEqual(evidence);
  expect(reports[1].evidence).toEqual(reports[0].evidence);
}

describe('a real Pi agent: prompt, tool call, EvalTool writes the file, judge, report; then forged transcripts', () => {
  it('@mariozechner/pi-coding-agent 0.73, on the Node that runs these tests', async () => {
    expectWholeChain(await judged(process.execPath, ROOT, '@mariozechner'));
  });

  // `node scripts/pi-current.mjs` installs it.
  it.skipIf(!existsSync(CURRENT_NODE))('the current @earendil-works/pi-coding-agent, on Node 22', async () => {
    expectWholeChain(await judged(CURRENT_NODE, CURRENT, '@earendil-works'));
  });
});
