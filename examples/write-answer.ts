// An eval case from end to end: an agent is asked to write a file, does it with EvalTool, and is judged from outside.
//
// The agent here is scripted: what a model would answer is written down below. Everything else is what a real agent has:
// a session of entries, tool calls with results, a flush, a dispose. Run it:
//   node examples/write-answer.ts            (Node 22.18 or newer)
//   node examples/run.mjs write-answer.ts    (Node 20)
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
// In your project: from 'evalcell'.
import { EvalTool, reportText, runEvalSuite } from '../index.js';
import type { AgentMessage, AgentRunResult, EvalCase, Runtime, SessionEntry } from '../index.js';

/** What the model says, one answer for each time it is asked. */
const SCRIPT: AgentMessage[] = [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I will compute the answer and write it down.' },
      {
        type: 'toolCall',
        id: 'call-1',
        name: 'eval',
        arguments: {
          input: [
            "*** Cell js:'Write the answer'",
            "const { writeFile } = require('node:fs/promises');",
            "await writeFile('answer.txt', String(6 * 7));",
          ].join('\n'),
        },
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'answer.txt holds the answer.' }] },
];

/** The smallest agent that is one: it asks its model, runs the tools the model calls, and goes on until none is called. */
class ScriptedAgent implements Runtime {
  readonly #tool: EvalTool;
  readonly #script: AgentMessage[];
  readonly #entries: SessionEntry[] = [];
  readonly session = { entries: () => this.#entries };

  constructor(cwd: string, script: readonly AgentMessage[]) {
    this.#tool = new EvalTool({ cwd, languages: { python: false } });
    this.#script = structuredClone([...script]);
  }

  getActiveLeafId() {
    return this.#entries.at(-1)?.id ?? null;
  }

  async prompt(text: string): Promise<AgentRunResult> {
    const messages: AgentMessage[] = [];
    const record = (message: AgentMessage) => {
      messages.push(message);
      this.#entries.push({
        type: 'message',
        id: `entry-${this.#entries.length + 1}`,
        parentId: this.getActiveLeafId(),
        message,
      });
    };
    record({ role: 'user', content: text });
    let steps = 0;
    for (let answer = this.#script.shift(); answer !== undefined; answer = this.#script.shift()) {
      steps += 1;
      record(answer);
      for (const call of answer.content.filter(({ type }: { type: string }) => type === 'toolCall')) {
        const { content, details } = await this.#tool.execute(call.id, call.arguments);
        record({ role: 'toolResult', toolCallId: call.id, toolName: call.name, content, isError: details.isError === true });
      }
    }
    return { reason: 'stop', steps, messages };
  }

  /** Everything is in the session already: a real agent would wait for its session file here. */
  async flush() {}

  async dispose() {
    await this.#tool.dispose();
  }
}

export const writeAnswer: EvalCase = {
  id: 'write-answer',
  prompt: 'Compute 6 times 7 and write the result into answer.txt.',
  files: ['answer.txt'],
  timeoutMs: 60_000,

  // A fresh folder and a fresh agent for every run: what an earlier run left cannot pass for this one's work.
  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'write-answer-'));
    return {
      runtime: new ScriptedAgent(folder, SCRIPT),
      // A file that is not there is a failed task, not a broken harness: the judge sees an empty one.
      readFile: (file) => readFile(join(folder, file), 'utf8').catch(() => ''),
      cleanup: () => rm(folder, { recursive: true, force: true }),
    };
  },

  // The judge sees the outcome, not the agent: the declared files, the path of the session, the result.
  judge({ files, entries, result }) {
    const checks = [
      files['answer.txt'] === '42',
      entries.some(({ message }) => message?.role === 'toolResult' && message.isError === false),
      result.reason === 'stop',
    ];
    return { passed: checks.every(Boolean), checks };
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // Twice: the second run starts from nothing again.
  const reports = await runEvalSuite([writeAnswer], { trials: 2 });
  console.log(JSON.stringify(reports[0], null, 2));
  process.stdout.write(reportText(reports));
  process.exitCode = reports.every(({ status }) => status === 'passed') ? 0 : 1;
}
