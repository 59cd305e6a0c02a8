import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from './hosts.js';
import { js, makeFolder, makeTool, py, runCells, textOf } from './support.js';

const pidOf = (tool: ReturnType<typeof makeTool>) => tool.kernels().find(({ language }) => language === 'python')?.pid as number;
const INPUT = 'Kernel requested stdin; interactive input is not supported.';

describe('stdin', () => {
  it.each(['input("name? ")', 'import getpass; print("name? ", end="", flush=True); getpass.getpass("")'])('is empty: %s fails at once', async (code) => {
    const cell = await py(makeTool(), code);
    expect(cell.failure).toMatchObject({ kind: 'stdin', message: INPUT });
    expect(cell.output).toContain('name? ');
    expect(cell.state).toBe('kept');
  });

  it('reads as empty, in the cell and in its children', async () => {
    const tool = makeTool();
    expect((await py(tool, 'import sys\nrepr(sys.stdin.read())')).output).toBe(`"''"`);
    expect((await py(tool, 'got = sys.stdin.readline()')).status).toBe('complete');
    expect((await py(tool, 'repr(got)')).output).toBe(`"''"`);
    expect((await py(tool, 'import subprocess\nsubprocess.run(["cat"], timeout=3).returncode')).output).toBe('0');
  });
});

describe('a cell that ends itself', () => {
  it.each([
    ['import sys\nsys.exit()', undefined],
    ['exit()', undefined],
    ['quit(0)', undefined],
    ['import sys\nsys.exit(3)', 3],
    ['exit(3)', 3],
    ['raise SystemExit(3)', 3],
  ])('by %j ends the cell and keeps its state', async (code, exitCode) => {
    const tool = makeTool();
    await py(tool, 'kept = 1');
    const cell = await py(tool, `print("b")\n${code}\nprint("never")`);
    expect(cell.output.startsWith('b')).toBe(true);
    expect(cell.output).not.toContain('never');
    expect(cell.state).toBe('kept');
    if (exitCode === undefined) expect(cell.status).toBe('complete');
    else expect(cell.failure).toMatchObject({ kind: 'exit', exitCode });
    expect((await py(tool, 'kept')).output).toBe('1');
  });

  it('by sys.exit with a text prints it', async () => {
    const cell = await py(makeTool(), 'print("b"); import sys; sys.exit("bye")');
    expect(cell.output).toMatch(/^b\nbye/);
    expect(cell.exitCode).toBe(1);
    expect(cell.state).toBe('kept');
  });
});

describe('the death of the kernel', () => {
  it.each([
    ['os._exit', 'import os; os._exit(4)', /code 4/],
    ['a segfault', 'import ctypes; ctypes.string_at(0)', /signal 11/],
    ['kill -9', 'import os; os.kill(os.getpid(), 9)', /signal 9/],
    ['an abort', 'import os; os.abort()', /signal 6/],
  ])('by %s ends the cell at once, with the output so far; the next one has a fresh kernel and a notice', async (_, code, how) => {
    const tool = makeTool();
    await py(tool, 'k = 1');
    const result = await runCells(tool, [{ language: 'py', code: `print("before", flush=True)\n${code}` }]);
    const [cell] = result.details.cells;
    expect(cell.output).toMatch(/^before/);
    expect(cell.failure?.kind).toBe('kernel-exit');
    expect(textOf(result)).toMatch(how);
    expect(cell.state).toBe('lost');
    const next = await runCells(tool, [{ language: 'py', code: '"k" in globals()' }]);
    expect(next.details.cells[0].status).toBe('complete');
    expect(textOf(next)).toContain('False');
    expect(next.details.notice).toMatch(/[Pp]ython.*lost|variables/);
    expect((await runCells(tool, [{ language: 'py', code: '1' }])).details.notice).toBeUndefined();
  });

  it('happens once: what was dispatched is never run again', async () => {
    const cwd = makeFolder();
    const tool = makeTool({ cwd });
    await py(tool, "import os\nwith open('once.txt','a') as f: f.write('x')\nos.kill(os.getpid(), 9)");
    expect((await py(tool, '1')).output).toBe('1');
    expect(readFileSync(join(cwd, 'once.txt'), 'utf8')).toBe('x');
  });

  it('is noticed at once also when a process that it left keeps the pipes open', async () => {
    const tool = makeTool();
    const started = Date.now();
    const cell = await py(tool, 'import subprocess, os\nprint("before", flush=True)\nsubprocess.Popen(["sleep", "30"], start_new_session=True)\nos._exit(7)');
    expect(cell.failure?.kind).toBe('kernel-exit');
    expect(cell.output).toMatch(/^before/);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('from outside, between two cells, is told with the next result', async () => {
    const tool = makeTool();
    await py(tool, 'k = 1');
    process.kill(pidOf(tool), 'SIGKILL');
    await expect.poll(() => tool.kernels().length).toBe(0);
    const next = await runCells(tool, [{ language: 'py', code: '"k" in globals()' }]);
    expect(textOf(next)).toContain('False');
    expect(next.details.notice).toMatch(/signal 9/);
  });
});

describe('forks and threads', () => {
  it('a fork never speaks the protocol, and its output is the cell’s', async () => {
    const tool = makeTool();
    const code = 'import os\npid = os.fork()\nif pid == 0:\n    print("child")\n    os._exit(5)\n_, status = os.waitpid(pid, 0)\nprint("parent", os.waitstatus_to_exitcode(status))';
    expect((await py(tool, code)).output).toBe('child\nparent 5');
    expect((await py(tool, 'display({"a": 1})\n2')).output).toContain('2');
  });

  it('a forked child that runs on into the cell’s end ends there', async () => {
    const tool = makeTool();
    const cell = await py(tool, 'import os\npid = os.fork()\nx = pid == 0\nif pid: os.waitpid(pid, 0)\nx');
    expect(cell.output.trimEnd().endsWith('False')).toBe(true);
    expect((await py(tool, '1')).output).toBe('1');
  });

  it('multiprocessing with fork works', async () => {
    const code = 'import multiprocessing as m\ndef f(x): return x * x\nwith m.get_context("fork").Pool(2) as pool:\n    print(pool.map(f, range(5)))';
    expect((await py(makeTool(), code)).output).toBe('[0, 1, 4, 9, 16]');
  });

  it('what threads print after their cell is kept and labelled', async () => {
    const tool = makeTool();
    await py(tool, 'import threading\ngo, gone = threading.Event(), threading.Event()\ndef bg():\n    go.wait()\n    for i in range(5): print("bg", i)\n    gone.set()\nthreading.Thread(target=bg, daemon=True).start()');
    const second = await runCells(tool, [{ language: 'py', code: 'go.set(); gone.wait(); "second"' }]);
    for (let i = 0; i < 5; i += 1) expect(textOf(second)).toContain(`bg ${i}`);
    expect(textOf(second)).toContain('second');
    const flag = join(makeFolder(), 'printed');
    await py(tool, `import time\ngone.clear()\ndef late():\n    go.wait(); time.sleep(.2)\n    print("late", flush=True); open(${JSON.stringify(flag)}, "w").close()\ngo.clear(); threading.Thread(target=late).start(); go.set()`);
    await expect.poll(() => existsSync(flag)).toBe(true);
    const third = await runCells(tool, [{ language: 'py', code: '"third"' }]);
    expect(textOf(third)).toMatch(/background[\s\S]*late[\s\S]*third/i);
  });

  it('20 threads that write lines at once lose none and mix no bytes inside one', async () => {
    const code = 'import threading, sys\ndef f(n):\n    for i in range(200): sys.stdout.write(f"{n}-{i}\\n")\nts = [threading.Thread(target=f, args=(n,)) for n in range(20)]\n[t.start() for t in ts]; [t.join() for t in ts];';
    const lines = (await py(makeTool({ output: { maxLines: 10_000 } }), code)).output.split('\n').filter(Boolean);
    expect(lines).toHaveLength(4000);
    expect(lines.every((line) => /^\d+-\d+$/.test(line))).toBe(true);
  });
});

describe('start-up', () => {
  const wrapper = (script: string) => {
    const file = join(makeFolder(), 'python3');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const starts = (interpreter: string, python = {}) => py(makeTool({ python: { interpreter, ...python } }), '1+1', { timeout: 1 });

  it('has a budget of its own, and never the cell’s', async () => {
    expect((await starts(wrapper('sleep 1.3; exec python3 "$@"'))).output).toBe('2');
  });

  it('tells a slow start from one that exited, with what it said', async () => {
    const slow = await starts(wrapper('exec sleep 60'), { startupTimeoutMs: 300 });
    expect(slow.failure?.message).toMatch(/Slow start: Python was not ready after 0\.\d s/);
    const exited = await starts(wrapper('echo broken >&2; exit 3'));
    expect(exited.failure?.message).toMatch(/Python exited with code 3 before it was ready[\s\S]*broken/);
  });

  it('that fails never shows the environment', async () => {
    const tool = makeTool({ env: { MY_VALUE: 's3cret' }, python: { interpreter: wrapper('exit 3') } });
    expect(JSON.stringify(await runCells(tool, [{ language: 'py', code: '1' }]))).not.toContain('s3cret');
  });

  it('that dies twice is final until a reset', async () => {
    const folder = makeFolder();
    const interpreter = wrapper(`echo x >> ${folder}/count; [ -f ${folder}/good ] || exit 3; exec python3 "$@"`);
    const tool = makeTool({ python: { interpreter } });
    await py(tool, '1');
    await py(tool, '1');
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\nx\n');
    appendFileSync(join(folder, 'good'), '');
    await tool.reset('python');
    expect((await py(tool, '1')).output).toBe('1');
  });

  it('that finds no Python says what was tried', async () => {
    const tool = makeTool({ python: { interpreter: '/nowhere/python3' } });
    await expect(py(tool, '1')).rejects.toMatchObject({ code: 'EVAL_PYTHON_UNAVAILABLE', message: expect.stringContaining('/nowhere/python3 (not found)') });
  });

  it('of a shim is reported as the interpreter it stands for', async () => {
    const tool = makeTool();
    await py(tool, '1');
    const [kernel] = tool.kernels();
    expect(kernel.executable).toBe((await py(tool, 'import sys; print(sys.executable)')).output);
    expect(kernel.version).toMatch(/^3\.\d+\.\d+$/);
  });
});

describe('limits and environment', () => {
  it('python.limits bound the address space and the processor time', async () => {
    const tool = makeTool({ python: { limits: { addressSpaceBytes: 1 << 30, cpuSeconds: 1 } } });
    expect((await py(tool, 'x = bytearray(2**31)')).failure?.name).toBe('MemoryError');
    const cell = await py(tool, 'while True: pass');
    expect(cell.failure?.kind).toBe('kernel-exit');
    expect(cell.durationMs).toBeLessThan(20_000);
  });

  it('LC_ALL=C does not change what is printed', async () => {
    const tool = makeTool({ env: { LC_ALL: 'C' } });
    expect((await py(tool, 'print("é ☃ 𝄞")\n"ü"')).output).toBe("é ☃ 𝄞\n'ü'");
    expect((await py(tool, 'import subprocess\nsubprocess.run(["printf", "é\\n"]);')).output).toBe('é');
  });

  it('secrets of the host reach neither language', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { OPENAI_API_KEY: 's3cret', MYSQL_PWD: 's3cret', HTTPS_PROXY: 'http://u:s3cret@proxy:1/' });
    try {
      const tool = makeTool();
      expect((await py(tool, "import os; [k for k, v in os.environ.items() if 's3cret' in v]")).output).toBe('[]');
      expect((await js(tool, "Object.entries(process.env).filter(([k, v]) => v.includes('s3cret'))")).output).toBe('[]');
      expect((await py(tool, "os.environ['PATH'] != '' and os.environ['HTTPS_PROXY']")).output).toBe("'http://proxy:1/'");
      const allowing = makeTool({ envFilter: { allow: ['MYSQL_PWD'], deny: ['HOME'] }, env: { MINE: '1' } });
      for (const run of [py, js]) {
        const code = run === py ? 'import os; [os.environ.get(k) for k in ("MYSQL_PWD", "OPENAI_API_KEY", "HOME", "MINE")]' : '[process.env.MYSQL_PWD, process.env.OPENAI_API_KEY, process.env.HOME, process.env.MINE].map(v => v ?? null)';
        expect((await run(allowing, code)).output).toMatch(/^\[ ?'s3cret', (None|null), (None|null), '1' ?\]$/);
      }
    } finally {
      process.env = before;
    }
  });
});

describe('retention', () => {
  it('closes an idle kernel and says so with the next result', async () => {
    const tool = makeTool({ idleTimeoutMs: 50 });
    await py(tool, 'k = 1');
    await expect.poll(() => tool.kernels().length, { timeout: 5_000 }).toBe(0);
    const next = await runCells(tool, [{ language: 'py', code: '"k" in globals()' }]);
    expect(textOf(next)).toContain('False');
    expect(next.details.notice).toMatch(/without use/);
  });

  it('lets the longest idle go while more than maxKernels are idle', async () => {
    const tools = [1, 2, 3].map(() => makeTool({ maxKernels: 2 }));
    for (const tool of tools) await py(tool, 'k = 1');
    await expect.poll(() => tools.map((tool) => tool.kernels().length), { timeout: 5_000 }).toEqual([0, 1, 1]);
  });

  it("kernelMode 'per-call' makes a fresh kernel for each cell and leaves none", async () => {
    const tool = makeTool({ python: { kernelMode: 'per-call' } });
    await py(tool, 'k = 1');
    expect(tool.kernels()).toEqual([]);
    const next = await runCells(tool, [{ language: 'py', code: '"k" in globals()' }]);
    expect(textOf(next)).toBe('False');
    expect(next.details.notice).toBeUndefined();
  });
});

describe('big payloads', () => {
  it('1 MB of source, 1 MB of output, 5 MB to a tool and back cross without a deadlock', async () => {
    const tool = makeTool({ tools: { echo: (args: unknown) => args } });
    const comments = `# ${'c'.repeat(98)}\n`.repeat(10_500);
    const cell = await py(tool, `print('y'*10**6); len(tool.echo(s='z'*5*10**6)['s'])\n${comments}`, { timeout: 60 });
    expect(cell.status).toBe('complete');
    expect(cell.output.trimEnd().endsWith('5000000')).toBe(true);
  });
});

describe('dispose', () => {
  it('settles queued cells as aborted; no process is left and later calls are refused', async () => {
    const tool = makeTool();
    await py(tool, 'k = 1');
    const pid = pidOf(tool);
    const calls = [2, 0, 0].map((seconds) => runCells(tool, [{ language: 'py', code: `import time; time.sleep(${seconds}); 1` }]));
    await expect.poll(() => tool.kernels()[0].state).toBe('busy');
    await tool.dispose();
    expect(alive(pid)).toBe(false);
    expect(tool.kernels()).toEqual([]);
    const results = await Promise.all(calls);
    expect(results.every(({ details }) => details.isError)).toBe(true);
    expect(results.map(({ details }) => details.cells[0].status)).toEqual(['error', 'pending', 'pending']);
    await expect(py(tool, '1')).rejects.toMatchObject({ code: 'EVAL_DISPOSED' });
  });
});
