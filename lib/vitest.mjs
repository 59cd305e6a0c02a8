// `evalcell/vitest`: one vitest test per case and trial. A failing test says what the safe report says, and no more.
import { describe, it } from 'vitest';
import evalcell from '../index.js';

const { reportText, runEvalSuite } = evalcell;

/** See `vitest.d.mts`. */
export function describeEvals(name, cases, options = {}) {
  const { trials = 1, retryInfra = 0, timeoutMs, onReport, testTimeout = 0, ...unknown } = options;
  const names = Object.keys(unknown);
  if (names.length > 0) throw new TypeError(`describeEvals: unknown option ${names.join(', ')}`);
  const list = Array.from(cases);
  describe.sequential(name, () => {
    list.forEach((evalCase, caseIndex) => {
      for (let trial = 0; trial < trials; trial++) {
        it(titleOf(evalCase, caseIndex, trial, trials), { timeout: testTimeout }, async ({ task, signal }) => {
          const [report] = await runEvalSuite([evalCase], { retryInfra, timeoutMs, signal });
          if (report === undefined) throw safeError('the test was cancelled before its case had ended');
          task.meta.evalReport = report;
          await onReport?.(report, { caseIndex, trial });
          if (report.status !== 'passed') throw safeError(sentenceOf(report));
        });
      }
    });
  });
}

function titleOf(evalCase, caseIndex, trial, trials) {
  let id;
  try {
    id = evalCase.id;
  } catch {
    // The test of this case will say that it is invalid.
  }
  const title = typeof id === 'string' && id.trim() !== '' ? id : `case ${caseIndex + 1}`;
  return trials > 1 ? `${title} [trial ${trial + 1} of ${trials}]` : title;
}

/** The line of the text reporter, without the id: that is the test's title. */
const sentenceOf = (report) =>
  reportText([{ ...report, id: '' }])
    .split('\n', 1)[0]
    .trim();

/** An error that shows its message only: the harness's own stack would help nobody. */
function safeError(message) {
  const error = new Error(message);
  error.name = 'EvalFailure';
  error.stack = `EvalFailure: ${message}`;
  return error;
}
