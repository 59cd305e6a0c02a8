import { describe, expectTypeOf, it } from 'vitest';
import {
  type AgentRunResult,
  type EvalCase,
  type EvalReport,
  type EvalStatus,
  type Runtime,
  type SessionEntry,
  runEvalCase,
  runEvalSuite,
  summarize,
} from '../../index';
import { createPiRuntime } from '../../lib/pi.mjs';

describe('types', () => {
  it('are what the documentation says', () => {
    expectTypeOf(runEvalCase).parameters.toEqualTypeOf<[evalCase: EvalCase]>();
    expectTypeOf(runEvalCase).returns.toEqualTypeOf<Promise<EvalReport>>();
    expectTypeOf(runEvalSuite).returns.toEqualTypeOf<Promise<EvalReport[]>>();
    expectTypeOf<EvalReport['status']>().toEqualTypeOf<EvalStatus>();
    expectTypeOf<EvalReport['evidence']['messages']['system']>().toEqualTypeOf<number | undefined>();
    expectTypeOf(summarize).parameter(0).toEqualTypeOf<readonly EvalReport[]>();
    expectTypeOf(createPiRuntime).returns.toEqualTypeOf<Runtime>();
  });

  it('take messages that an agent describes with interfaces of its own', () => {
    interface OwnMessage {
      role: 'user' | 'assistant';
      content: { type: 'text'; text: string }[];
      timestamp: number;
    }
    expectTypeOf<{ reason: string; steps: number; messages: OwnMessage[] }>().toExtend<AgentRunResult>();
    interface OwnEntry {
      type: 'message';
      id: string;
      parentId: string | null;
      message: OwnMessage;
    }
    expectTypeOf<OwnEntry>().toExtend<SessionEntry>();
  });
});
