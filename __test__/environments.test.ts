import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { alive } from './hosts.js';
import { js, makeTool, py } from './support.js';

const program = new URL('fixtures/hosts/thread.mjs', import.meta.url);
const threads: Worker[] = [];

afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

function startThread(name: string) {
  const thread = new Worker(program, { workerData: { name } });
  threads.push(thread);
  const next = async (key: string): Promise<any> => {
    for (;;) {
      const [message] = await once(thread, 'message');
      if (message.error) throw new Error(message.error);
      if (key in message) return message[key];
    }
  };
  return {
    thread,
    next,
    run(...cells: { language: string; code: string }[]): Promise<string> {
      const text = next('text');
      thread.postMessage({ cells });
      return text;
    },
  };
}

const both = [
  { language: 'py', code: 'print(tool.whoami())' },
  { language: 'js', code: 'console.log(await tool.whoami())' },
];
const whoBoth = (name: string) => `[1/2]\n${name}\n\n[2/2]\n${name}`;

describe('several environments in one process', () => {
  it('work at once, and the end of one costs the others nothing', async () => {
    const tool = makeTool({ tools: { whoami: () => 'main' } });
    const [one, two] = [startThread('one'), startThread('two')];
    expect(await one.run(...both)).toBe(whoBoth('one'));
    expect(await two.run(...both)).toBe(whoBoth('two'));
    expect((await py(tool, 'print(tool.whoami())')).output).toBe('main');
    await one.thread.terminate();
    expect((await js(tool, 'console.log(await tool.whoami())')).output).toBe('main');
    expect(await two.run(...both)).toBe(whoBoth('two'));
    const three = startThread('three');
    expect(await three.run(...both)).toBe(whoBoth('three'));
  });

  it('share no kernels, whatever their sessions are called', async () => {
    const tool = makeTool({ sessionId: 'same' });
    await js(tool, 'var here = 1');
    const thread = startThread('other');
    expect(await thread.run({ language: 'js', code: 'typeof here' })).toBe("'undefined'");
  });

  it.skipIf(process.platform !== 'linux')('take their processes along when they are terminated in the middle of a cell', async () => {
    const busy = startThread('busy');
    const pid = Number(await busy.run({ language: 'py', code: 'import os; os.getpid()' }));
    expect(alive(pid)).toBe(true);
    busy.thread.postMessage({ cells: [{ language: 'py', code: 'while True: print("x" * 100)' }] });
    await busy.next('update');
    await busy.thread.terminate();
    await expect.poll(() => alive(pid), { interval: 10, timeout: 2_000 }).toBe(false);
  });

  it('survive a terminate while JavaScript prints and spins', async () => {
    for (let round = 0; round < 3; round++) {
      const busy = startThread('busy');
      await busy.run({ language: 'js', code: '1' });
      busy.thread.postMessage({ cells: [{ language: 'js', code: 'for (;;) console.log("x".repeat(100))' }] });
      await busy.next('update');
      await busy.thread.terminate();
    }
    expect((await js(makeTool(), '"alive"')).output).toBe("'alive'");
  });
});

describe('callbacks', () => {
  it('are let go when the call settles', async () => {
    const tool = makeTool();
    await js(tool, '1');
    const closures: WeakRef<object>[] = [];
    for (let i = 0; i < 200; i++) {
      const big = { bytes: new Uint8Array(100_000) };
      closures.push(new WeakRef(big));
      await tool.execute('id', { cells: [{ language: 'js', code: '1' }] }, new AbortController().signal, () => void big);
    }
    const { runInNewContext } = await import('node:vm');
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await expect.poll(() => (collect(), closures.filter((closure) => closure.deref()).length), { timeout: 10_000 }).toBeLessThan(5);
  });

  it('of a tool that is dropped without dispose end its kernels', async () => {
    let pid = 0;
    await (async () => {
      const { EvalTool } = await import('../index.js');
      const dropped = new EvalTool();
      pid = Number((await py(dropped, 'import os; os.getpid()')).output);
    })();
    const { runInNewContext } = await import('node:vm');
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await expect.poll(() => (collect(), alive(pid)), { timeout: 10_000 }).toBe(false);
  });
});
