import { expect, it } from 'vitest';
import { writeAnswer } from '../../examples/write-answer';
import { describeEvals } from '../../lib/vitest.mjs';
import { node, ROOT } from './program';

describeEvals('the worked example', [writeAnswer], { trials: 2 });

it('runs as a program, and its second run is fresh', async () => {
  const { code, stdout, stderr } = await node(`${ROOT}/examples/run.mjs`, 'write-answer.ts');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatchInlineSnapshot();
});
