import { describe, expect, it } from 'vitest';
import { type EvalObservation, runEvalCase, runEvalSuite } from '../../index';
import { failures, says, scripted, session, user } from './scripted';

/** Runs a case whose assistant message carries `details`, and gives what the judge saw of them. */
async function seenBy(details: unknown) {
  let seen: any;
  const message = { ...says(), details };
  const report = await runEvalCase(
    scripted({
      messages: [user(), message],
      judge: (observation) => {
        seen = observation.result.messages[1]!.details;
        return { passed: true, checks: [] };
      },
    }).evalCase,
  );
  expect(report.status).toBe('passed');
  return seen;
}

function expectFrozen(value: any, seen = new Set<unknown>()) {
  if (value === null || typeof value !== 'object' || seen.has(value)) return;
  seen.add(value);
  expect(Object.isFrozen(value)).toBe(true);
  for (const key of Reflect.ownKeys(value)) expectFrozen(value[key], seen);
}

describe('the observation', () => {
  it('is a deep copy, frozen all the way down', async () => {
    const messages = [user(), { ...says(), details: { rows: [{ cells: [1, { deep: true }] }] } }];
    let observation!: EvalObservation;
    const { evalCase } = scripted({
      messages,
      judge: (given) => {
        observation = given;
        return { passed: true, checks: [true] };
      },
    });
    expect((await runEvalCase(evalCase)).status).toBe('passed');
    expectFrozen(observation);
    expect(observation.result.messages).toEqual(messages);
    expect(observation.result.messages[1]).not.toBe(messages[1]);
    expect(observation.entries).toEqual(session(messages));
    expect(observation.files).toEqual({ 'answer.txt': 'content of answer.txt' });
    expect(() => (observation.entries[1]!.message!.details.rows[0].cells[1].deep = false)).toThrow(TypeError);
    expect(() => (observation.entries as unknown[]).push(1)).toThrow(TypeError);
    expect(Object.isFrozen(messages[0])).toBe(false);
  });

  it('holds the active path and the declared files, nothing else', async () => {
    let observation!: EvalObservation;
    const entries = session([user(), says()]);
    const all = [{ type: 'info', id: 'root', parentId: null }, { ...entries[0], parentId: 'root' }, entries[1]!];
    const sibling = { type: 'message', id: 'sibling', parentId: 'root', message: user('another') };
    const { evalCase, log } = scripted({
      files: ['__proto__', 'toString'],
      messages: [user(), says()],
      runtime: { session: { entries: () => [...all, sibling] } },
      judge: (given) => {
        observation = given;
        return { passed: true, checks: [] };
      },
    });
    expect(failures(await runEvalCase(evalCase))).toEqual([]);
    expect(observation.entries.map(({ id }) => id)).toEqual(['root', 'entry-0', 'entry-1']);
    expect(Object.entries(observation.files)).toEqual([
      ['__proto__', 'content of __proto__'],
      ['toString', 'content of toString'],
    ]);
    expect(Object.keys(observation).sort()).toEqual(['entries', 'files', 'result']);
    expect(log.filter((call) => call.startsWith('readFile'))).toEqual(['readFile __proto__', 'readFile toString']);
  });

  it('has maps, sets and dates that refuse to change, and typed arrays of its own', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const key = { name: 'key' };
    const seen = await seenBy({
      map: new Map([[key, { value: [1] }]]),
      set: new Set([{ member: 1 }]),
      date: new Date(0),
      bytes,
    });
    expect(seen.map).toEqual(new Map([[key, { value: [1] }]]));
    expect(seen.set).toEqual(new Set([{ member: 1 }]));
    for (const change of [
      () => seen.map.set('a', 1),
      () => seen.map.delete('a'),
      () => seen.map.clear(),
      () => seen.set.add(1),
      () => seen.set.clear(),
      () => seen.date.setFullYear(2000),
      () => (seen.map.extra = 1),
    ]) {
      expect(change).toThrow(TypeError);
    }
    const [[copiedKey, value]] = [...seen.map];
    expect(Object.isFrozen(copiedKey) && Object.isFrozen(value.value) && Object.isFrozen([...seen.set][0])).toBe(true);
    seen.bytes[0] = 9;
    expect(bytes[0]).toBe(1);
    expect(Object.isExtensible(seen.bytes)).toBe(false);
  });

  it('copies what structuredClone can copy: cycles, errors, regular expressions, bigints', async () => {
    const cycle: Record<string, unknown> = {
      name: 'cycle',
      big: 2n ** 70n,
      pattern: /a+/g,
      error: new RangeError('far'),
    };
    cycle.self = cycle;
    const seen = await seenBy(cycle);
    expect(seen.self).toBe(seen);
    expect([seen.big, seen.pattern, seen.error.message, Object.isFrozen(seen.error)]).toEqual([
      2n ** 70n,
      /a+/g,
      'far',
      true,
    ]);
  });

  it('survives values that are too deep to copy', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 200_000; level++) deep = [deep];
    const report = await runEvalCase(scripted({ messages: [user(), { ...says(), details: deep }] }).evalCase);
    expect(failures(report)).toEqual(['collect/collect_failed']);
  });

  it('is taken before files are read: what the agent still changes is not seen', async () => {
    const messages = [user(), says('first')];
    const { evalCase } = scripted({
      messages,
      prepared: {
        readFile: () => {
          (messages[1] as any).content[0].text = 'changed';
          return 'text';
        },
      },
      judge: ({ result, entries }) => {
        const texts = [result.messages[1]!.content[0].text, entries[1]!.message!.content[0].text];
        return { passed: true, checks: [texts.join() === 'first,first'] };
      },
    });
    expect((await runEvalCase(evalCase)).evidence.checks).toEqual({ passed: 1, failed: 0 });
  });
});

describe('the case', () => {
  it('may change its own fields while it runs: what it was at the start counts', async () => {
    const { evalCase, log } = scripted({ files: ['a'] });
    const { prepare } = evalCase;
    evalCase.prepare = function () {
      Object.assign(this, { id: 'other', prompt: 'other', files: ['other'], judge: undefined });
      return prepare.call(this);
    };
    const report = await runEvalCase(evalCase);
    expect([report.id, report.status]).toEqual(['case', 'passed']);
    expect(log).toContain('prompt please');
    expect(log).toContain('readFile a');
  });

  it('may return the same prepared value twice', async () => {
    const { evalCase } = scripted();
    const prepared = await evalCase.prepare();
    evalCase.prepare = () => prepared;
    const reports = await runEvalSuite([evalCase, evalCase]);
    expect(reports.map(({ status }) => status)).toEqual(['passed', 'passed']);
  });

  it('calls functions as methods of what they belong to', async () => {
    class Agent {
      #entries = session([user(), says()]);
      session = {
        owner: this,
        entries() {
          return this.owner.#entries;
        },
      };
      getActiveLeafId() {
        return this.#entries.at(-1)!.id;
      }
      prompt() {
        return { reason: 'stop', steps: 1, messages: this.#entries.map(({ message }) => message!) };
      }
      flush() {
        return void this.#entries;
      }
      dispose() {
        this.#entries = [];
      }
    }
    class Case {
      id = 'class';
      prompt = 'please';
      files = ['a'];
      #text = 'text';
      prepare() {
        return {
          case: this,
          runtime: new Agent(),
          readFile() {
            return this.case.#text;
          },
        };
      }
      judge({ files }: EvalObservation) {
        return { passed: true, checks: [files.a === this.#text] };
      }
    }
    expect((await runEvalCase(new Case())).status).toBe('passed');
  });
});
