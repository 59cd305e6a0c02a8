// A scripted world for eval cases: what each step does can be replaced, and every call is written down.
import type {
  AgentMessage,
  EvalCase,
  EvalObservation,
  PreparedEval,
  Runtime,
  SessionEntry,
  TaskVerdict,
} from '../../index';

export const user = (text = 'please') => ({ role: 'user', content: text });
export const says = (text = 'done') => ({ role: 'assistant', content: [{ type: 'text', text }] });
export const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'toolCall', id, name: 'write', arguments: { path: 'answer.txt' } })),
});
export const result = (id: string, name = 'write', isError = false) => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: name,
  content: [{ type: 'text', text: 'ok' }],
  isError,
});

/** A session that holds these messages, one after the other. */
export const session = (messages: readonly unknown[]): SessionEntry[] =>
  messages.map((message, place) => ({
    type: 'message',
    id: `entry-${place}`,
    parentId: place === 0 ? null : `entry-${place - 1}`,
    message: message as AgentMessage,
  }));

export interface Script {
  id?: unknown;
  prompt?: unknown;
  files?: unknown;
  messages?: readonly unknown[];
  /** Replaces steps of the case (`prepare`, `judge`), the prepared value and the runtime. */
  case?: Record<string, unknown>;
  prepared?: Record<string, unknown>;
  runtime?: Record<string, unknown>;
  judge?: (observation: EvalObservation) => unknown;
}

/** The case, and the calls that were made of it, in order. */
export function scripted(script: Script = {}): { evalCase: EvalCase; log: string[] } {
  const log: string[] = [];
  const noted = (name: string, value: unknown) =>
    typeof value === 'function'
      ? function (this: unknown, ...values: unknown[]) {
          log.push(name + (typeof values[0] === 'string' ? ` ${values[0]}` : ''));
          return Reflect.apply(value, this, values);
        }
      : value;
  const watch = (object: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, noted(name, value)]));
  const messages = script.messages ?? [user(), calls('call-1'), result('call-1'), says()];
  const prepare = (): PreparedEval => {
    const entries = session(messages);
    const runtime = watch({
      prompt: async () => ({ reason: 'stop', steps: 2, messages: [...messages] }),
      flush: async () => {},
      getActiveLeafId: () => entries.at(-1)?.id ?? null,
      dispose: async () => {},
      ...script.runtime,
    });
    const prepared = {
      runtime: { session: watch({ entries: async () => entries }), ...runtime } as unknown as Runtime,
      ...watch({ readFile: async (name: string) => `content of ${name}`, cleanup: async () => {}, ...script.prepared }),
    };
    return prepared as unknown as PreparedEval;
  };
  const evalCase = {
    id: 'case',
    prompt: 'please',
    files: ['answer.txt'],
    ...Object.fromEntries(Object.entries(script).filter(([name]) => ['id', 'prompt', 'files'].includes(name))),
    ...watch({
      prepare,
      judge: script.judge ?? ((): TaskVerdict => ({ passed: true, checks: [true] })),
      ...script.case,
    }),
  };
  return { evalCase: evalCase as unknown as EvalCase, log };
}

/** `phase/code` of each failure, the first one first. */
export const failures = (report: import('../../index').EvalReport) =>
  [report.primaryFailure, ...report.secondaryFailures].flatMap((failure) =>
    failure ? [`${failure.phase}/${failure.code}`] : [],
  );

export const boom = () => {
  throw new Error('boom');
};
