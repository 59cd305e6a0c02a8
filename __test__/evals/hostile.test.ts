import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type EvalCase, runEvalCase } from '../../index';
import { boom, calls, failures, result, says, scripted, session, user } from './scripted';

/** An object whose every property throws when it is read. */
const trap = (): any => new Proxy({}, { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom });
const throwing = (name: string, rest: object = {}) =>
  Object.defineProperty({ ...rest }, name, { get: boom, enumerable: true });
const codes = async (evalCase: unknown) => failures(await runEvalCase(evalCase as EvalCase));

describe('a case never makes runEvalCase reject', () => {
  it('whatever its own properties do', async () => {
    expect(await codes(trap())).toEqual(['prepare/invalid_case']);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(await codes(revoked.proxy)).toEqual(['prepare/invalid_case']);
    for (const name of ['id', 'prompt', 'files', 'prepare', 'judge', 'timeoutMs']) {
      expect(await codes(throwing(name, scripted().evalCase))).toEqual(['prepare/invalid_case']);
    }
    expect((await runEvalCase(throwing('judge', scripted().evalCase) as EvalCase)).id).toBe('case');
  });

  it('whatever prepare gives', async () => {
    for (const prepared of [trap(), throwing('runtime'), throwing('cleanup'), { runtime: trap() }]) {
      expect(await codes(scripted({ case: { prepare: () => prepared } }).evalCase)).toEqual(['prepare/prepare_failed']);
    }
    const whole = await scripted().evalCase.prepare();
    for (const name of ['prompt', 'flush', 'dispose', 'session', 'getActiveLeafId']) {
      const prepared = { ...whole, runtime: throwing(name, whole.runtime) };
      expect(await codes(scripted({ case: { prepare: () => prepared } }).evalCase)).toEqual(['prepare/prepare_failed']);
    }
  });

  it('whatever the runtime gives', async () => {
    const messages = [user(), says()];
    const run = (runtime: Record<string, unknown>) => codes(scripted({ messages, runtime }).evalCase);
    const collect = ['collect/collect_failed'];
    expect(await run({ prompt: () => throwing('messages') })).toEqual(collect);
    expect(await run({ prompt: () => ({ messages, extra: throwing('a') }) })).toEqual(collect);
    expect(await run({ session: { entries: () => [trap()] } })).toEqual(collect);
    expect(await run({ session: { entries: () => new Proxy([], { get: boom }) } })).toEqual(collect);
    const [first, second] = session(messages);
    for (const entry of [
      throwing('id', second),
      throwing('parentId', second),
      throwing('type', second),
      throwing('message', second),
    ]) {
      expect(await run({ session: { entries: () => [first, entry] }, getActiveLeafId: () => 'entry-1' })).toEqual(
        collect,
      );
    }
    for (const name of ['role', 'content']) {
      const entry = { ...second, message: throwing(name, says()) };
      expect(await run({ session: { entries: () => [first, entry] }, getActiveLeafId: () => 'entry-1' })).toEqual(
        collect,
      );
    }
  });

  it('whatever a message holds', async () => {
    for (const message of [
      null,
      7,
      'text',
      { role: 'assistant' },
      { role: Symbol('role') },
      { role: ['user'] },
      { role: '__proto__' },
      { role: 'toString' },
    ]) {
      const report = await runEvalCase(scripted({ messages: [user(), says(), message] }).evalCase);
      expect(report.status === 'passed' || failures(report)[0] === 'collect/collect_failed', String(message)).toBe(
        true,
      );
    }
    const odd = { role: 'assistant', content: [null, 7, { type: 'toolCall' }, { type: 'toolCall', id: 7, name: {} }] };
    expect(await codes(scripted({ messages: [user(), odd, says()] }).evalCase)).toEqual([
      'protocol/unpaired_tool_call',
    ]);
    const lone = [user(), calls('\ud800', '\ud801'), result('\ud800'), result('\ud801'), says()];
    expect(await codes(scripted({ messages: lone }).evalCase)).toEqual([]);
  });

  it('awaits any thenable, also one that is no native promise', async () => {
    const later = (value: unknown) => ({ then: (resolve: (value: unknown) => void) => setImmediate(resolve, value) });
    const foreign = (value: unknown) => vm.runInNewContext('(value) => Promise.resolve(value)')(value);
    const messages = [user(), says()];
    for (const wrap of [later, foreign]) {
      const { evalCase } = scripted({ messages });
      const prepared: any = await evalCase.prepare();
      const wrapped = {
        runtime: {
          session: { entries: () => wrap(session(messages)) },
          getActiveLeafId: () => 'entry-1',
          prompt: () => wrap({ reason: 'stop', steps: 1, messages }),
          flush: () => wrap(undefined),
          dispose: () => wrap(undefined),
        },
        readFile: () => wrap('text'),
        cleanup: () => wrap(prepared.cleanup()),
      };
      Object.assign(evalCase, { prepare: () => wrap(wrapped), judge: () => wrap({ passed: true, checks: [true] }) });
      expect(await codes(evalCase)).toEqual([]);
    }
    const broken = {
      get then() {
        return boom();
      },
    };
    expect(await codes(scripted({ case: { prepare: () => broken } }).evalCase)).toEqual(['prepare/prepare_failed']);
    expect(await codes(scripted({ judge: () => broken }).evalCase)).toEqual(['judge/judge_failed']);
  });

  it('whatever is thrown', async () => {
    for (const thrown of [undefined, null, 'text', 7, Symbol('x'), trap(), { then: boom }]) {
      const fail = () => {
        throw thrown;
      };
      expect(await codes(scripted({ runtime: { prompt: fail } }).evalCase)).toEqual(['execute/execute_failed']);
      expect(await codes(scripted({ prepared: { cleanup: () => Promise.reject(thrown) } }).evalCase)).toEqual([
        'cleanup/cleanup_failed',
      ]);
    }
  });

  it('compares messages of another realm as strictly as its own', async () => {
    const [messages, entries] = vm.runInNewContext(
      `const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', content: [{ type: 'text', text: 'b' }] }];
       [messages, messages.map((message, place) => ({ type: 'message', id: 'e' + place, parentId: place ? 'e' + (place - 1) : null, message }))]`,
    );
    const runtime = { session: { entries: () => entries }, getActiveLeafId: () => 'e1', prompt: () => ({ messages }) };
    expect(await codes(scripted({ runtime }).evalCase)).toEqual([]);
    const prompt = () => ({ messages: structuredClone(messages) });
    expect(await codes(scripted({ runtime: { ...runtime, prompt } }).evalCase)).toEqual([
      'protocol/result_session_mismatch',
    ]);
  });

  it('believes no getter that says one thing to the check and another to the copy', async () => {
    let reads = 0;
    const honest = { ...says(), usage: 'small' };
    const lying = Object.defineProperty(says(), 'usage', {
      get: () => (reads++ === 0 ? 'small' : 'large'),
      enumerable: true,
    });
    const runtime = { prompt: () => ({ messages: [user(), honest] }) };
    expect(await codes(scripted({ messages: [user(), lying], runtime }).evalCase)).toEqual([
      'protocol/result_session_mismatch',
    ]);
    expect(reads).toBe(2);
  });
});
