// What the eval harness itself costs: trivial cases, and whether memory stays flat over many of them.
//   node benches/evals.mjs [--json]
import evalcell from '../index.js';

const { runEvalCase, runEvalSuite } = evalcell;
/** Milliseconds that a trivial case may cost. */
const BUDGET_MS = 0.3;
/** Growth of the heap over MEMORY_CASES cases that counts as flat, in MB. */
const FLAT_MB = 2;
const CASES = 1_000;
const MEMORY_CASES = 20_000;

/** Every step is there, and none does anything. */
function trivialCase() {
  const messages = [
    { role: 'user', content: 'please' },
    { role: 'assistant', content: [{ type: 'toolCall', id: 'call', name: 'write', arguments: {} }] },
    { role: 'toolResult', toolCallId: 'call', toolName: 'write', content: [], isError: false },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  ];
  const entries = messages.map((message, place) => ({
    type: 'message',
    id: `${place}`,
    parentId: place === 0 ? null : `${place - 1}`,
    message,
  }));
  return {
    id: 'trivial',
    prompt: 'please',
    files: ['answer.txt'],
    prepare: () => ({
      runtime: {
        session: { entries: () => entries },
        getActiveLeafId: () => '3',
        prompt: () => ({ reason: 'stop', steps: 2, messages }),
        flush() {},
        dispose() {},
      },
      readFile: () => '42',
      cleanup() {},
    }),
    judge: ({ files }) => ({ passed: files['answer.txt'] === '42', checks: [files['answer.txt'] === '42'] }),
  };
}

async function measure(run) {
  const cases = Array.from({ length: CASES }, trivialCase);
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const [started, used] = [performance.now(), process.cpuUsage()];
    await run(cases);
    const { user, system } = process.cpuUsage(used);
    rounds.push({ wallMs: (performance.now() - started) / CASES, cpuMs: (user + system) / 1_000 / CASES });
  }
  const median = (name) => rounds.map((round) => round[name]).sort((a, b) => a - b)[2];
  return { wallMs: median('wallMs'), cpuMs: median('cpuMs') };
}

async function memory() {
  globalThis.gc ??= (await import('node:vm')).runInNewContext(
    ((await import('node:v8')).setFlagsFromString('--expose-gc'), 'gc'),
  );
  const evalCase = trivialCase();
  const settled = async () => {
    // Finalizers of native values run between two turns of the loop.
    for (let turn = 0; turn < 5; turn++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage();
  };
  for (let run = 0; run < CASES; run++) await runEvalCase(evalCase);
  const before = await settled();
  for (let run = 0; run < MEMORY_CASES; run++) await runEvalCase(evalCase);
  const after = await settled();
  const growth = (name) => (after[name] - before[name]) / 1024 / 1024;
  return { heapGrowthMb: growth('heapUsed'), externalGrowthMb: growth('external'), rssGrowthMb: growth('rss') };
}

const single = await measure(async (cases) => {
  for (const evalCase of cases) await runEvalCase(evalCase);
});
const suite = await measure((cases) => runEvalSuite(cases));
const results = { budgetMs: BUDGET_MS, single, suite, memory: await memory() };
const good =
  single.wallMs <= BUDGET_MS && suite.wallMs <= BUDGET_MS && results.memory.heapGrowthMb + results.memory.externalGrowthMb <= FLAT_MB;
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ ...results, good }, null, 2));
} else {
  const line = (name, { wallMs, cpuMs }) => `${name.padEnd(14)} ${wallMs.toFixed(3)} ms a case (CPU ${cpuMs.toFixed(3)} ms)`;
  const { heapGrowthMb, externalGrowthMb, rssGrowthMb } = results.memory;
  console.log(line('runEvalCase', single));
  console.log(line('runEvalSuite', suite));
  console.log(
    `memory         ${heapGrowthMb.toFixed(2)} MB heap, ${externalGrowthMb.toFixed(2)} MB external, ${rssGrowthMb.toFixed(1)} MB RSS more after ${MEMORY_CASES} cases`,
  );
  console.log(good ? `within ${BUDGET_MS} ms, memory flat` : `NOT within ${BUDGET_MS} ms with flat memory`);
}
process.exitCode = good ? 0 : 1;
