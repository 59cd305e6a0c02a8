import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, py, runCells, textOf } from './support.js';

const cell = (code: string) => [{ language: 'py', code }];

describe('what a Python cell shows', () => {
  it('is everything that was printed and then the value, in order; a ; silences the value alone', async () => {
    const tool = makeTool();
    expect((await py(tool, "print('one')\nprint('two')\n40 + 2")).output).toBe('one\ntwo\n42');
    expect((await py(tool, "[print('in'), 5][1];")).output).toBe('in');
    expect((await py(tool, "[print('in'), 5][1]")).output).toBe('in\n5');
  });

  it('is said to be nothing when it is nothing, and to be cut when it is cut', async () => {
    const tool = makeTool();
    expect(textOf(await runCells(tool, cell('x = 1')))).toBe('(no output)');
    const cut = await runCells(tool, cell("for i in range(20000): print('row', i)"));
    expect(cut.details.meta?.truncation).toMatchObject({ direction: 'tail', totalLines: 20_000, artifactPath: expect.any(String) });
    expect(textOf(cut)).toContain('row 19999');
    expect(textOf(cut)).toMatch(/20 000 lines/);
    expect(cut.details.isError).toBeUndefined();
  });

  it('survives as text where JSON has no number for it', async () => {
    const tool = makeTool({ tools: { echo: (args: unknown) => args } });
    const result = await runCells(tool, cell("import math\ndisplay({'a': math.nan, 'b': [math.inf, -math.inf], 'big': 2**70, 'i': 2**53 + 1})"));
    const text = textOf(result);
    for (const part of ['nan', 'inf', '-inf', '1180591620717411303424', '9007199254740993']) expect(text.toLowerCase()).toContain(part);
    expect(() => JSON.parse(JSON.stringify(result))).not.toThrow();
    expect((await py(tool, 'tool.echo(v=math.nan)')).failure?.message).toMatch(/args\.v.*nan/i);
    expect((await py(tool, 'tool.echo(n=2**53+1)')).failure?.message).toMatch(/args\.n.*9007199254740993/);
  });

  it('comes while the cell runs, without waiting for a line break', async () => {
    const tool = makeTool();
    const folder = makeFolder();
    // The child goes on only when the update with its last number was seen here.
    const child = `import os, sys, time\nfor i in range(4):\n    print(i, end=".", flush=True)\n    while not os.path.exists(${JSON.stringify(folder)} + f"/{i}"): time.sleep(.01)`;
    const seen: string[] = [];
    const result = await tool.execute('test', { cells: [{ language: 'py', code: `import subprocess, sys\nsubprocess.run([sys.executable, '-c', ${JSON.stringify(child)}]);`, timeout: 60 }] }, undefined, (partial) => {
      const text = textOf(partial);
      for (let i = 0; i < 4; i += 1) {
        if (text.includes(`${i}.`)) {
          seen[i] ??= text;
          writeFileSync(`${folder}/${i}`, '');
        }
      }
    });
    expect(textOf(result)).toBe('0.1.2.3.');
    expect(seen.slice(0, 3)).toEqual(['0.', '0.1.', '0.1.2.']);
  });

  it('never makes the host grow, also when it has no line breaks', async () => {
    const tool = makeTool();
    await py(tool, 'import sys\nsys.stdout.write("x" * 10**6);');
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    const code = 'for _ in range(300): sys.stdout.write("x" * 10**6);';
    const result = await tool.execute('test', { cells: [{ language: 'py', code, timeout: 120 }] }, undefined, () => {
      most = Math.max(most, process.memoryUsage().rss);
    });
    expect(result.details.meta?.truncation?.totalBytes).toBe(300_000_000);
    // The engine's own heap moves too; a copy of the stream would be twenty times as much.
    expect(most - before).toBeLessThan(100 * 2 ** 20);
  });
});

describe('asyncio in Python cells', () => {
  it('asyncio.run works, top-level await works, and a task survives to a later cell', async () => {
    const tool = makeTool();
    expect((await py(tool, 'import asyncio\nasync def f():\n    await asyncio.sleep(.01); return 5\nasyncio.run(f())')).output).toBe('5');
    expect((await py(tool, 'await f()')).output).toBe('5');
    await py(tool, 't = asyncio.create_task(f())');
    expect((await py(tool, 'await t')).output).toBe('5');
    expect((await py(tool, 'asyncio.run(f())')).output).toBe('5');
  });

  it('a task that failed and that nobody awaited is told with the next result, named by its cell', async () => {
    const tool = makeTool();
    await py(tool, 'import asyncio\nfailed = asyncio.Event()\nasync def boom():\n    failed.set()\n    raise ValueError("lost")\nt = asyncio.create_task(boom())');
    const result = await runCells(tool, cell('await failed.wait();'));
    expect(result.details.notice).toMatch(/^A task of \S+, line 5 failed and was never awaited: ValueError: lost$/);
    expect(result.details.isError).toBeUndefined();
    expect((await runCells(tool, cell('1'))).details.notice).toBeUndefined();
  });
});

describe('text of any alphabet', () => {
  it('is whole whatever the environment says, and children follow their own', async () => {
    const env = { LC_ALL: 'C', PYTHONIOENCODING: 'latin-1' };
    const tool = makeTool({ cwd: makeFolder(), env });
    expect((await py(tool, "print('h\\u00e9 \\u6f22 \\U0001f600 é 漢 😀')\nñ = 'ü'; ñ")).output).toBe("hé 漢 😀 é 漢 😀\n'ü'");
    expect((await py(tool, `import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print("\\\\u00e9")']).returncode`)).output).toMatch(/0$/);
    expect((await py(tool, 'print("漢")')).output).toBe('漢');
  });
});
