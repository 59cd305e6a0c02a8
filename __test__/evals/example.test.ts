import { expect, it } from 'vitest';
import { writeAnswer } from '../../examples/write-answer';
import { describeEvals } from '../../lib/vitest.mjs';
import { node, ROOT } from './program';

describeEvals('the worked example', [writeAnswer], { trials: 2 });

it('runs as a program, and its second run is fresh', async () => {
  const { code, stdout, stderr } = await node(`${ROOT}/examples/run.mjs`, 'write-answer.ts');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatchInlineSnapshot(`
    "{
      "id": "write-answer",
      "status": "passed",
      "evidence": {
        "messages": {
          "user": 1,
          "assistant": 2,
          "toolResult": 1
        },
        "tools": {
          "calls": 1,
          "results": 1,
          "errors": 0
        },
        "files": {
          "requested": 1,
          "read": 1
        },
        "checks": {
          "passed": 3,
          "failed": 0
        }
      },
      "secondaryFailures": []
    }
    write-answer  passed (3 of 3 checks passed)
    write-answer  passed (3 of 3 checks passed)
    2 of 2 passed (pass rate 1.000, pass^2 1.000)
    "
  `);
});
