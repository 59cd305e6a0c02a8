import { describe, expect, it } from 'vitest';
import { runEvalCase } from '../../index';
import { boom, calls, failures, result, says, scripted, session, user } from './scripted';

async function codeOf(script: Parameters<typeof scripted>[0]) {
  const report = await runEvalCase(scripted(script).evalCase);
  return `${report.status} ${failures(report).join(' ')}`.trim();
}
const rejects = () => Promise.reject(new Error('boom'));
const entriesOf = (entries: unknown, leaf: unknown) => ({
  runtime: { session: { entries: () => entries }, getActiveLeafId: () => leaf },
});

describe('each failure has its phase and code', () => {
  it('prepare', async () => {
    expect(await codeOf({ case: { prepare: boom } })).toBe('infra_failed prepare/prepare_failed');
    expect(await codeOf({ case: { prepare: rejects } })).toBe('infra_failed prepare/prepare_failed');
  });

  it('execute', async () => {
    for (const fail of [boom, rejects]) {
      expect(await codeOf({ runtime: { prompt: fail } })).toBe('infra_failed execute/execute_failed');
      expect(await codeOf({ runtime: { flush: fail } })).toBe('infra_failed execute/execute_failed');
    }
  });

  it('collect', async () => {
    const failed = 'infra_failed collect/collect_failed';
    for (const fail of [boom, rejects]) {
      expect(await codeOf({ runtime: { session: { entries: fail } } })).toBe(failed);
      expect(await codeOf({ runtime: { getActiveLeafId: fail } })).toBe(failed);
      expect(await codeOf({ prepared: { readFile: fail } })).toBe(failed);
    }
    for (const entries of [null, undefined, 'entries', {}]) expect(await codeOf(entriesOf(entries, 'a'))).toBe(failed);
    for (const content of [null, undefined, 7, Buffer.from('text')]) {
      expect(await codeOf({ prepared: { readFile: () => content } })).toBe(failed);
    }
    // What cannot be cloned, in the result and on the path.
    const messages = [user(), says()];
    expect(await codeOf({ messages, runtime: { prompt: () => ({ messages, tool: () => {} }) } })).toBe(failed);
    expect(await codeOf({ messages: [user(), { ...says(), details: { call() {} } }] })).toBe(failed);
  });

  it('the active path', async () => {
    const missing = 'protocol_failed protocol/missing_active_leaf';
    const invalid = 'protocol_failed protocol/invalid_active_path';
    const [first, second] = session([user(), says()]);
    expect(await codeOf({ runtime: { getActiveLeafId: () => null } })).toBe(missing);
    expect(await codeOf({ runtime: { getActiveLeafId: () => undefined } })).toBe(missing);
    expect(await codeOf({ messages: [] })).toBe(missing);
    expect(await codeOf(entriesOf([], 'a'))).toBe(invalid);
    expect(await codeOf({ runtime: { getActiveLeafId: () => 'nowhere' } })).toBe(invalid);
    expect(await codeOf({ runtime: { getActiveLeafId: () => 7 } })).toBe(invalid);
    expect(await codeOf(entriesOf([first, { ...second, parentId: 'nowhere' }], 'entry-1'))).toBe(invalid);
    expect(await codeOf(entriesOf([{ ...first, parentId: 'entry-1' }, second], 'entry-1'))).toBe(invalid);
    expect(await codeOf(entriesOf([first, second, { ...second }], 'entry-1'))).toBe(invalid);
    expect(await codeOf(entriesOf([null, 7, second], 'entry-1'))).toBe(invalid);
  });

  it('the protocol', async () => {
    const stories: [unknown[], string][] = [
      [[{ role: 'system', content: 'x' }], 'missing_user_interaction'],
      [[user()], 'incomplete_user_interaction'],
      [[user(), user(), says()], 'incomplete_user_interaction'],
      [[says(), user(), says()], 'assistant_without_user'],
      [[calls('a'), result('a')], 'tool_call_without_user'],
      [[user(), calls('a', 'a'), result('a')], 'duplicate_tool_call'],
      [[user(), says(), result('a')], 'orphan_tool_result'],
      [[user(), calls('a'), result('a'), result('a')], 'duplicate_tool_result'],
      [[user(), calls('a'), result('a', 'bash')], 'tool_name_mismatch'],
      [[user(), calls('a')], 'unpaired_tool_call'],
      [[user(), calls('a'), says(), result('a')], 'unpaired_tool_call'],
      [[user(), calls('a'), user(), says()], 'unpaired_tool_call'],
    ];
    for (const [messages, code] of stories) expect(await codeOf({ messages })).toBe(`protocol_failed protocol/${code}`);
  });

  it('the result and the session, compared deeply and strictly', async () => {
    const mismatch = 'protocol_failed protocol/result_session_mismatch';
    const path = [user(), { ...says(), usage: { input: 0, when: new Date(0), seen: new Set([1]) } }];
    const compare = (messages: unknown) => codeOf({ messages: path, runtime: { prompt: () => ({ messages }) } });
    const changed = (usage: object) => [path[0], { ...path[1], usage: { ...(path[1] as any).usage, ...usage } }];
    expect(await compare(structuredClone(path))).toBe('passed');
    expect(await compare(changed({ input: 0 }))).toBe('passed');
    for (const usage of [
      { input: -0 },
      { input: '0' },
      { input: undefined },
      { extra: undefined },
      { when: new Date(1) },
      { seen: new Set([2]) },
    ]) {
      expect(await compare(changed(usage))).toBe(mismatch);
    }
    expect(await compare(changed({ when: new (class extends Date {})(0) }))).toBe(mismatch);
    for (const messages of [
      undefined,
      null,
      'messages',
      {},
      [],
      path.slice(0, 1),
      [...path, says()],
      path.toReversed(),
    ]) {
      expect(await compare(messages)).toBe(mismatch);
    }
    for (const result of [null, undefined, 7]) {
      expect(await codeOf({ runtime: { prompt: () => result } })).toBe(mismatch);
    }
  });

  it('the judge', async () => {
    for (const fail of [boom, rejects]) expect(await codeOf({ judge: fail })).toBe('infra_failed judge/judge_failed');
    for (const verdict of [
      undefined,
      null,
      true,
      {},
      { passed: true },
      { passed: true, checks: {} },
      { passed: 1, checks: [] },
      { passed: true, checks: [1] },
      { passed: true, checks: [true, false] },
      { passed: false, checks: [true] },
      { passed: false, checks: [] },
      { passed: true, checks: new Array(1) },
      {
        passed: true,
        get checks() {
          return boom();
        },
      },
    ]) {
      expect(await codeOf({ judge: () => verdict })).toBe('infra_failed judge/invalid_verdict');
    }
    expect(await codeOf({ judge: () => ({ passed: false, checks: [false] }) })).toBe('task_failed task/task_rejected');
    expect(await codeOf({ judge: () => ({ passed: true, checks: [] }) })).toBe('passed');
  });

  it('dispose and cleanup', async () => {
    for (const fail of [boom, rejects]) {
      expect(await codeOf({ runtime: { dispose: fail } })).toBe('infra_failed dispose/dispose_failed');
      expect(await codeOf({ prepared: { cleanup: fail } })).toBe('infra_failed cleanup/cleanup_failed');
    }
    expect(await codeOf({ prepared: { cleanup: undefined } })).toBe('passed');
  });
});

describe('evidence', () => {
  it('counts what was known when the run ended, on the active path only', async () => {
    const path = [
      user(),
      { role: 'system', content: 'x' },
      calls('a', 'b'),
      result('a'),
      result('b', 'write', true),
      says(),
    ];
    const entries = session(path);
    const sibling = { type: 'message', id: 'sibling', parentId: 'entry-0', message: says('no') };
    const label = { type: 'label', id: 'label', parentId: 'entry-5', label: 'metadata' };
    const { evalCase } = scripted({
      files: ['a', 'b', 'c'],
      messages: path,
      runtime: { session: { entries: () => [sibling, ...entries, label] }, getActiveLeafId: () => 'label' },
      prepared: { readFile: (name: string) => (name === 'c' ? boom() : 'text') },
    });
    const report = await runEvalCase(evalCase);
    expect(failures(report)).toEqual(['collect/collect_failed']);
    expect(report.evidence).toEqual({
      messages: { user: 1, assistant: 2, toolResult: 2, system: 1 },
      tools: { calls: 2, results: 2, errors: 1 },
      files: { requested: 3, read: 2 },
      checks: { passed: 0, failed: 0 },
    });
  });

  it('counts the messages of a path that breaks the protocol', async () => {
    const report = await runEvalCase(scripted({ messages: [user(), calls('a'), says(), user()] }).evalCase);
    expect(report.evidence.messages).toEqual({ user: 2, assistant: 2, toolResult: 0 });
    expect(report.evidence.tools).toEqual({ calls: 1, results: 0, errors: 0 });
  });
});
