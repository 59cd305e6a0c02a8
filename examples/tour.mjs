// The tour as a host program: what an agent does with `EvalTool`. It sends the cells of tour.cells in order; when one fails, it
// reads the result and goes on with the rest, as a model would, and finds every variable where it was.
import { readFileSync } from 'node:fs';
import { EvalTool, parseEvalInput, renderCall, renderResult } from '../index.js';

const FAILING = ['Rain by month, with a mistake', 'A loop that never ends'];

const text = readFileSync(new URL('tour.cells', import.meta.url), 'utf8');
const look = { width: process.stdout.columns ?? 100, color: process.stdout.isTTY === true && !process.env.NO_COLOR };
const print = (lines) => console.log(lines.join('\n'));

const tool = new EvalTool({
  cwd: new URL('..', import.meta.url).pathname,
  tools: {
    month_name: ({ month }) => new Intl.DateTimeFormat('en', { month: 'long' }).format(new Date(2000, month - 1)),
  },
});

const failed = [];
for (const { code, language, title, timeoutMs } of parseEvalInput(text).cells) {
  const cells = [{ code, language, title, timeout: timeoutMs / 1000 }];
  print(renderCall({ cells }, look));
  const result = await tool.execute('tour', { cells });
  print([...renderResult(result, look), '']);
  const { status, state } = result.details.cells[0];
  if (status === 'error') failed.push(title);
  if (state !== 'kept') throw new Error(`${title}: the variables should have survived`);
}
await tool.dispose();

// Two cells fail on purpose; anything else is news.
if (String(failed) !== String(FAILING)) throw new Error(`These cells failed: ${failed.join(', ')}`);
console.log(`Done: ${FAILING.length} cells failed, as they should; no variable was lost.`);
