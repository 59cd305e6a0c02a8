import { describe, expect, it } from 'vitest';
import { runEvalCase } from '../../index';
import { fixture, node } from './program';
import { scripted } from './scripted';

describe('while a case runs', () => {
  it('the process stays alive, also when the case waits on nothing that keeps it so; after it the process ends', async () => {
    for (const limit of ['none', 'timeout']) {
      const started = performance.now();
      const { code, stdout, stderr } = await node(fixture('waits-on-nothing.mjs'), limit);
      expect([code, stdout, stderr]).toEqual([0, 'passed', '']);
      expect(performance.now() - started).toBeLessThan(30_000);
    }
  });

  it('nothing of a run is kept after it', async () => {
    const run = async () => {
      const world = { bytes: new Uint8Array(1024) };
      const { evalCase } = scripted({
        judge: (observation) => ({ passed: Boolean(observation && world), checks: [] }),
      });
      Object.assign(evalCase, { world });
      await runEvalCase(evalCase);
      return [new WeakRef(world), new WeakRef(evalCase)];
    };
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const kept = await run();
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    expect(kept.map((reference) => reference.deref())).toEqual([undefined, undefined]);
  });
});
