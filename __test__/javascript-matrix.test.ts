import { describe, expect, it } from 'vitest';
import type { CellResult, EvalTool } from '../index.js';
import { bindingCases, HOST_ENDS, OWN_ENDS, type BindingCase } from './fixtures/transform/binding-cases.mjs';
import { js, makeTool } from './support.js';

// All of it with EVALCELL_MATRIX=all. The step of the sample shares no factor with the sizes of the matrix, so that every
// kind meets every end.
const EVERY = process.env.EVALCELL_MATRIX === 'all' ? 1 : 13;
const LANES = 4;
const MINUTES = 60_000;

const cases = bindingCases({ ...OWN_ENDS, ...HOST_ENDS }).filter((_, index) => index % EVERY === 0);

/** One session, and what its cells' last statement calls. */
function openLane() {
  let onReached = () => {};
  const tool = makeTool({
    timeouts: { minMs: 1 },
    tools: {
      reached: () => {
        onReached();
        return new Promise(() => {});
      },
    },
  });
  /** Runs a cell to the end from outside that its case wants. */
  async function run({ source, failure }: BindingCase): Promise<CellResult> {
    const controller = new AbortController();
    // A deadline that came before the cell's last statement has tested nothing: again with more time.
    for (let timeout = failure?.kind === 'timeout' ? 0.03 : 60; ; timeout *= 2) {
      let reached = false;
      onReached = () => {
        reached = true;
        if (failure?.kind === 'abort') controller.abort();
      };
      const { details } = await tool.execute('test', { cells: [{ language: 'js', code: source, timeout }] }, controller.signal);
      const [cell] = details.cells;
      if (reached || cell.failure?.kind !== 'timeout') return cell;
    }
  }
  return { tool, run };
}

/** What is wrong with one case: nothing, when all is right. */
async function differences(tool: EvalTool, run: (one: BindingCase) => Promise<CellResult>, one: BindingCase): Promise<string[]> {
  const wrong: string[] = [];
  if (one.earlier !== undefined) await js(tool, one.earlier);
  const cell = await run(one);
  const { kind, message, bound, notReached } = cell.failure ?? {};
  // Sentences about deadlines are tested elsewhere.
  const found = [cell.status, cell.state, kind, one.failure?.message && message, bound, notReached];
  const wanted = one.failure ? ['error', 'kept', one.failure.kind, one.failure.message, one.bound, one.notReached] : ['complete', 'kept', undefined, undefined, undefined, undefined];
  if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${one.title}: ${JSON.stringify(found)}\n${cell.output}`);
  for (const [step, code] of one.steps) {
    const later = await js(tool, code);
    if (later.output !== 'true') wrong.push(`${one.title}: ${step}: ${later.output}`);
  }
  return wrong;
}

describe('the binding matrix', () => {
  it(`holds in real sessions, whatever ends the cell (${cases.length} cases)`, { timeout: EVERY === 1 ? 30 * MINUTES : 2 * MINUTES }, async () => {
    const waiting = cases.values();
    const wrong: string[] = [];
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        const { tool, run } = openLane();
        for (const one of waiting) wrong.push(...(await differences(tool, run, one)));
      }),
    );
    expect(wrong).toEqual([]);
  });
});
