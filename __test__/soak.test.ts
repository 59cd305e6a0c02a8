import { expect, it } from 'vitest';
import { KINDS, soak } from './soak/stops.mjs';

// The full soak is a script (see CONTRIBUTING.md); this is one round of it through every kind, and a few more at random.
it.skipIf(process.platform !== 'linux')('stops of every kind in one session keep its state, end on time, leave nothing behind, and everything works afterwards', async () => {
  const outcome = await soak({ stops: Object.keys(KINDS).length + 60, seed: Date.now() });
  expect(outcome).toMatchObject({ lost: [], wrong: [], broken: [] });
  expect(outcome.after.children).toBeLessThanOrEqual(outcome.before.children!);
  expect(outcome.after.threads).toBeLessThanOrEqual(outcome.before.threads! + 4);
  expect(outcome.disposed.descriptors).toBeLessThan(outcome.after.descriptors!);
}, 120_000);
