import { describe, expect, it } from 'vitest';
import { alive, startHost } from './hosts.js';

// Everything a cell started must be gone within 2 s of the host's end, whatever that end was.
const gone = (pids: number[]) =>
  expect.poll(() => pids.filter(alive), { interval: 10, timeout: 2_000, message: 'processes that outlived the host' }).toEqual([]);

const busyCells = [
  ['py', 'print("running", flush=True)\nsum(range(10**11))'],
  ['py', 'import time\nprint("running", flush=True)\nwhile True:\n    try: time.sleep(1)\n    except BaseException: pass'],
  ['js', 'console.log("running"); for (;;);'],
  ['js', 'console.log("running"); require("child_process").spawnSync("sleep", ["303"])'],
] as const;

describe.skipIf(process.platform !== 'linux')('the end of the host', () => {
  it('comes by itself after the last call, without dispose, and takes every process along', async () => {
    const host = startHost('natural');
    const pids = await host.said('pids');
    expect(pids).toHaveLength(4);
    await host.said('done');
    expect(await host.ended).toEqual({ code: 0, signal: null });
    await gone(pids);
  });

  it.each(busyCells)('by process.exit() in the middle of a cell leaves nothing behind (%s: %s)', async (language, code) => {
    const host = startHost('exit', language, code);
    const pids = await host.said('pids');
    expect(await host.ended).toEqual({ code: 3, signal: null });
    await gone(pids);
  });

  it.each(busyCells)('by kill -9 leaves nothing behind (%s: %s)', async (language, code) => {
    const host = startHost('busy', language, code);
    const pids = await host.said('pids');
    await host.said('running');
    expect(pids.filter(alive)).toHaveLength(4);
    host.child.kill('SIGKILL');
    expect((await host.ended).signal).toBe('SIGKILL');
    await gone(pids);
  });

  it('by an uncaught error leaves nothing behind', async () => {
    const host = startHost('throw');
    const pids = await host.said('pids');
    expect((await host.ended).code).toBe(1);
    await gone(pids);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s leaves nothing behind', async (signal) => {
    const host = startHost('busy', ...busyCells[0]);
    const pids = await host.said('pids');
    await host.said('running');
    host.child.kill(signal);
    expect((await host.ended).signal).toBe(signal);
    await gone(pids);
  });
});
