import { describe, expect, it } from 'vitest';
import {
  type EvalCase,
  type EvalReport,
  reportJson,
  reportJUnit,
  reportText,
  runEvalCase,
  runEvalSuite,
  summarize,
} from '../../index';
import { scripted } from './scripted';

const SECRET = 'sk-s3cr3t';

/** An error whose every part is secret. */
const secretError = () =>
  Object.assign(new Error(`message ${SECRET}`, { cause: new Error(`cause ${SECRET}`) }), {
    name: SECRET,
    stack: `stack ${SECRET}`,
    code: SECRET,
    phase: SECRET,
    errors: [SECRET],
  });
const fail = () => {
  throw secretError();
};

/** A conversation with a secret wherever a text can stand. */
const conversation = (change: (messages: any[]) => any[] = (messages) => messages) =>
  change([
    { role: 'system', content: SECRET },
    { role: 'user', content: SECRET, [SECRET]: SECRET },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: SECRET },
        { type: 'toolCall', id: `${SECRET}-1`, name: `${SECRET}-tool`, arguments: { path: `/home/${SECRET}` } },
      ],
      errorMessage: SECRET,
    },
    {
      role: 'toolResult',
      toolCallId: `${SECRET}-1`,
      toolName: `${SECRET}-tool`,
      content: [{ type: 'text', text: SECRET }],
      isError: true,
    },
    { role: 'assistant', content: [{ type: 'text', text: SECRET }], stopReason: SECRET },
  ]);

const entriesOf = (messages: any[]) =>
  messages.map((message, place) => ({
    type: 'message',
    id: `${SECRET}-${place}`,
    parentId: place === 0 ? null : `${SECRET}-${place - 1}`,
    message,
  }));

/** One case for each way a case can end. */
function everyEnding(): EvalCase[] {
  const base = (script: Parameters<typeof scripted>[0] = {}, messages = conversation()) =>
    scripted({
      id: 'public',
      prompt: SECRET,
      files: [`${SECRET}.txt`, `/home/${SECRET}`],
      messages,
      ...script,
      runtime: {
        session: { entries: () => entriesOf(messages) },
        getActiveLeafId: () => `${SECRET}-${messages.length - 1}`,
        prompt: () => ({ reason: SECRET, steps: 2, messages }),
        ...script.runtime,
      },
      prepared: { readFile: () => SECRET, ...script.prepared },
    }).evalCase;
  const without = (place: number) => conversation((messages) => messages.toSpliced(place, 1));
  const twice = (place: number) => conversation((messages) => messages.toSpliced(place, 0, messages[place]));
  return [
    base(),
    base({ id: 7 }),
    base({ files: [SECRET, SECRET] }),
    base({ case: { [SECRET]: SECRET, prepare: fail } }),
    base({ case: { prepare: () => ({ [SECRET]: fail, cleanup: fail }) } }),
    base({ runtime: { prompt: fail } }),
    base({ runtime: { flush: () => Promise.reject(secretError()) } }),
    base({ runtime: { session: { entries: fail } } }),
    base({ runtime: { getActiveLeafId: fail } }),
    base({ runtime: { getActiveLeafId: () => null } }),
    base({ runtime: { getActiveLeafId: () => SECRET } }),
    base({ runtime: { prompt: () => ({ reason: SECRET, steps: 1, messages: [SECRET] }) } }),
    base({ prepared: { readFile: fail } }),
    base({ judge: fail }),
    base({ judge: () => ({ passed: SECRET, checks: [SECRET] }) as any }),
    base({ judge: () => ({ passed: false, checks: [false], reason: SECRET }) as any }),
    base({ runtime: { dispose: fail }, prepared: { readFile: () => SECRET, cleanup: fail } }),
    base({}, [{ role: 'system', content: SECRET }]),
    ...[1, 2, 3, 4].map((place) => base({}, without(place))),
    ...[1, 2, 3].map((place) => base({}, twice(place))),
    base(
      {},
      conversation((messages) =>
        messages.map((message) => (message.toolName ? { ...message, toolName: SECRET } : message)),
      ),
    ),
    base({ case: { timeoutMs: 20 }, runtime: { prompt: () => new Promise(() => {}) } }),
  ];
}

describe('a report never contains what the agent, the case or an error said', () => {
  it('in any ending of a case, in any reporter, in anything an observer gets', async () => {
    const cases = everyEnding();
    const observed: unknown[] = [];
    const observe = (...values: unknown[]) => void observed.push(values);
    const reports = await runEvalSuite(cases, { retryInfra: 1, onReport: observe, onProgress: observe });
    expect(reports).toHaveLength(cases.length);
    for (const [place, evalCase] of cases.entries()) {
      const single = await runEvalCase(evalCase);
      expect(single).toEqual(reports[place]);
    }
    const outputs = [
      JSON.stringify(reports),
      JSON.stringify(observed),
      reportJson(reports),
      reportJUnit(reports),
      reportText(reports),
      JSON.stringify(summarize(reports)),
    ];
    for (const output of outputs) {
      expect(output).not.toContain('s3cr3t');
      expect(output).not.toMatch(/message |cause |stack |\/root|\/home|boom/);
    }
    // All ways a case can end are there: each code at least once.
    const codes = new Set(
      reports
        .flatMap(({ primaryFailure, secondaryFailures }) => [primaryFailure, ...secondaryFailures])
        .map((failure) => failure?.code),
    );
    expect([...codes].sort()).toMatchInlineSnapshot(`
      [
        "cleanup_failed",
        "collect_failed",
        "dispose_failed",
        "duplicate_tool_result",
        "execute_failed",
        "execute_timeout",
        "incomplete_user_interaction",
        "invalid_active_path",
        "invalid_case",
        "invalid_verdict",
        "judge_failed",
        "missing_active_leaf",
        "missing_user_interaction",
        "orphan_tool_result",
        "prepare_failed",
        "result_session_mismatch",
        "task_rejected",
        "tool_call_without_user",
        "tool_name_mismatch",
        "unpaired_tool_call",
        undefined,
      ]
    `);
  });

  it('has only the fields of the safe report, with counts and fixed names in them', async () => {
    for (const report of await runEvalSuite(everyEnding())) {
      expect(shapeOf(report)).toMatch(
        /^\{id:string,status:string,evidence:\{messages:\{user:number,assistant:number,toolResult:number(,system:number)?\},tools:\{calls:number,results:number,errors:number\},files:\{requested:number,read:number\},checks:\{passed:number,failed:number\}\},secondaryFailures:\[(\{phase:string,code:string\},?)*\](,primaryFailure:\{phase:string,code:string\})?\}$/,
      );
    }
  });

  it('rejections of misuse name options, never their secrets in cases', async () => {
    const error: Error = await runEvalSuite([{ id: SECRET } as any], { trials: 0 }).then(
      () => undefined as never,
      (error) => error,
    );
    expect(`${error.message} ${error.stack}`).not.toContain('s3cr3t');
  });
});

function shapeOf(value: EvalReport | unknown): string {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return typeof value;
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}:${shapeOf(member)}`)
    .join(',')}}`;
}
