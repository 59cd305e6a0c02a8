import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { alive } from './hosts.js';
import { makeFolder, makeTool, py, runCells, textOf } from './support.js';

const pidOf = (tool: ReturnType<typeof makeTool>) => tool.kernels().find(({ language }) => language === 'python')?.pid as number;
const GRACE = 3_500;
const short = { timeouts: { minMs: 100 } };

describe('a Python cell over its deadline', () => {
  it('that swallows every interrupt is killed, and the result says that its state is lost', async () => {
    const tool = makeTool(short);
    await py(tool, 'k = 41');
    const result = await runCells(tool, [{ language: 'py', timeout: 0.3, code: 'import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass' }]);
    const [cell] = result.details.cells;
    expect(cell.failure?.kind).toBe('timeout');
    expect(cell.state).toBe('lost');
    expect(textOf(result)).toMatch(/lost/);
    expect(cell.durationMs).toBeLessThan(300 + GRACE);
    expect((await py(tool, 'k')).failure?.name).toBe('NameError');
  });

  it.each([
    ['a sleep', 'import time\nprint("step 1 ok")\ntime.sleep(9)'],
    ['a loop', 'print("step 1 ok")\nwhile True: pass'],
    ['a plain await', 'import asyncio\nprint("step 1 ok")\nawait asyncio.sleep(9)'],
    ['a lock', 'import threading\nprint("step 1 ok")\nl = threading.Lock(); l.acquire(); l.acquire()'],
    ['a child', 'import subprocess\nprint("step 1 ok", flush=True)\nsubprocess.run(["sleep", "60"])'],
    ['a thread that goes on', 'import threading, time\nprint("step 1 ok")\nt = threading.Thread(target=time.sleep, args=(60,), daemon=True); t.start(); t.join()'],
  ])('in %s is stopped with its output and its variables kept', async (_, code) => {
    const tool = makeTool(short);
    await py(tool, 'k = 41');
    const cell = await py(tool, code, { timeout: 0.4 });
    expect(cell.output).toMatch(/^step 1 ok/);
    expect(cell.failure?.kind).toBe('timeout');
    expect(cell.state).toBe('kept');
    expect(cell.durationMs).toBeLessThan(400 + 1_000);
    expect((await py(tool, 'k + 1')).output).toBe('42');
  });

  it.each(['sum(range(10**11))', "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"])('in a C call ends within the grace: %s', async (code) => {
    const tool = makeTool(short);
    const cell = await py(tool, code, { timeout: 0.3 });
    expect(cell.failure?.kind).toBe('timeout');
    expect(cell.durationMs).toBeLessThan(300 + GRACE);
    expect((await py(tool, '1')).output).toBe('1');
  });

  it('runs no statement of its source afterwards', async () => {
    const tool = makeTool(short);
    await py(tool, 'box = []');
    await py(tool, "import time\ntime.sleep(1); box.append('late')", { timeout: 0.3 });
    expect((await py(tool, 'time.sleep(1); box')).output).toBe('[]');
  });

  it('takes the tree of its children along and spares a child in a session of its own until dispose', async () => {
    const tool = makeTool(short);
    await py(tool, "import subprocess\nsrv = subprocess.Popen(['sleep','300'], start_new_session=True); pl = subprocess.Popen(['sleep','301'])");
    const pids = JSON.parse((await py(tool, 'print([srv.pid, pl.pid])')).output) as number[];
    const cell = await py(tool, "subprocess.run('sh -c \"while :; do :; done & wait\"', shell=True)", { timeout: 0.3 });
    expect(cell.state).toBe('kept');
    expect((await py(tool, 'import time; time.sleep(.1); [srv.poll(), pl.poll()]')).output).toBe('[None, -9]');
    const group = pidOf(tool);
    const left = await py(tool, `import os\n[p for p in os.listdir('/proc') if p.isdigit() and p != str(os.getpid()) and os.path.exists(f'/proc/{p}/stat') and (lambda f: f[0] != 'Z' and f[2] == '${group}')(open(f'/proc/{p}/stat').read().rsplit(')', 1)[1].split())]`);
    expect(left.output).toBe('[]');
    await tool.dispose();
    expect(pids.filter(alive)).toEqual([]);
  });

  it('can be capped by the host, and an abort works at any time', async () => {
    const tool = makeTool({ timeouts: { minMs: 100, maxMs: 400 } });
    const cell = await py(tool, 'import time; time.sleep(7000)', { timeout: 7000 });
    expect(cell.failure?.kind).toBe('timeout');
    const controller = new AbortController();
    const patient = makeTool();
    await py(patient, '1');
    const call = runCells(patient, [{ language: 'py', code: 'import time\nprint("step 1 ok")\ntime.sleep(7000)', timeout: 600 }], controller.signal);
    await expect.poll(() => patient.kernels()[0].state).toBe('busy');
    controller.abort();
    const [aborted] = (await call).details.cells;
    expect(aborted.failure?.kind).toBe('abort');
    expect(aborted.state).toBe('kept');
  });
});

describe('the idle kernel', () => {
  it('ignores SIGINT', async () => {
    const tool = makeTool();
    await py(tool, 'k = 41');
    for (let i = 0; i < 20; i += 1) process.kill(pidOf(tool), 'SIGINT');
    expect((await py(tool, 'k + 1')).output).toBe('42');
    await py(tool, 'import asyncio\nawait asyncio.sleep(0)');
    for (let i = 0; i < 20; i += 1) process.kill(pidOf(tool), 'SIGINT');
    expect((await py(tool, 'k + 2')).output).toBe('43');
  });

  it('that a task hogs is freed for the next cell, with a notice', async () => {
    const tool = makeTool();
    const started = join(makeFolder(), 'started');
    await py(tool, `import asyncio\nk = 1\nasync def hog():\n    open(${JSON.stringify(started)}, 'w').close()\n    while True: pass\nt = asyncio.create_task(hog())`);
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 5_000, interval: 10 });
    const result = await runCells(tool, [{ language: 'py', code: 'k + 1' }]);
    expect(result.details.cells[0].output).toBe('2');
    expect(result.details.notice).toMatch(/background task.*interrupted/i);
    expect((await py(tool, 'k + 2')).output).toBe('3');
  });
});

describe('random interrupts', () => {
  it('never hit another cell', async () => {
    const rounds = Number(process.env.EVALCELL_SOAK ?? 200);
    const tool = makeTool();
    await py(tool, 'n = 0\nimport time, asyncio');
    const codes = ['n += 1\ntime.sleep(0.004)', 'n += 1\nfor i in range(30000): pass', 'n += 1\nawait asyncio.sleep(0.004)', 'n += 1\nprint("x" * 5000)'];
    let stopped = 0;
    for (let round = 0; round < rounds; round += 1) {
      const call = runCells(tool, [{ language: 'py', code: codes[round % codes.length] }]);
      const wait = Math.random() * 7;
      await new Promise((resolve) => setTimeout(resolve, wait));
      await tool.interrupt('python');
      const [cell] = (await call).details.cells;
      if (cell.status !== 'complete') {
        expect(cell.failure?.kind, JSON.stringify(cell)).toBe('abort');
        stopped += 1;
      }
      expect(cell.state, JSON.stringify(cell)).toBe('kept');
      // What follows a stop at once must be untouched by it.
      const next = await py(tool, `sum(range(2000)) + ${round}`);
      expect(next.output, JSON.stringify(next)).toBe(String(1999000 + round));
    }
    expect(tool.kernels()[0].executionCount).toBeGreaterThanOrEqual(rounds);
    expect(stopped).toBeGreaterThan(0);
  }, 600_000);
});
