import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, py } from './support.js';

describe('shell commands in Python cells', () => {
  it('!cmd streams its output in order and sets _exit_code; a status that is not zero is no error', async () => {
    const tool = makeTool();
    const cell = await py(tool, `print('one')\n!echo two; echo three >&2; exit 3\nprint('four', _exit_code)`);
    expect([cell.status, cell.output]).toEqual(['complete', 'one\ntwo\nthree\nfour 3']);
  });

  it('x = !cmd gives the lines of its output', async () => {
    expect((await py(makeTool(), `x = !printf 'a\\nb\\n'\nx`, { returns: 'json' })).value).toEqual(['a', 'b']);
  });

  it('{expr} and $name are put in, also in functions; what is neither stays for the shell', async () => {
    const tool = makeTool({ env: { SHELL_ONLY: 'env' } });
    const code = `n = 3\ndef f(y):\n    !echo {y + n} $n '{y:>3}' {y!r} $SHELL_ONLY \${SHELL_ONLY} {1,2} '{"a": 1}' {{n}} $$n\nf(2)`;
    expect((await py(tool, code)).output).toBe(`5 3   2 2 env env {1,2} {"a": 1} {n}`);
    expect((await py(tool, `!echo a b | awk '{print $2}'`)).output).toBe('b');
    expect((await py(tool, `!echo {1 / 0}`)).failure?.name).toBe('ZeroDivisionError');
  });

  it('% and ! in strings, expressions and continued lines are untouched', async () => {
    const code = `text = """\n%ls\n!rm x\n"""\nx = (7\n%4)\ny = 7 \\\n%4\n!true\n[text, x, y, 5 % 3, 1 != 2, f"{'!'}", '%d!' % 5]  # %ls !ls`;
    expect((await py(makeTool(), code, { returns: 'json' })).value).toEqual(['\n%ls\n!rm x\n', 3, 3, 2, true, '!', '5!']);
  });

  it('children get an empty stdin', async () => {
    expect((await py(makeTool(), `!cat; echo end`)).output).toBe('end');
    expect((await py(makeTool(), `%%bash\ncat\nread line || echo end`)).output).toBe('end');
  });

  it('%%bash and %%sh run a script; a status that is not zero is an exception', async () => {
    const tool = makeTool();
    expect((await py(tool, `%%bash\nfor i in 1 2; do echo -n "$i"; done`)).output).toBe('12');
    expect((await py(tool, `%%sh\necho $0`)).output).toBe('sh');
    const cell = await py(tool, `%%bash\necho before\nexit 3`);
    expect(cell.output).toContain('before');
    expect(cell.failure).toMatchObject({ kind: 'exception', name: 'CalledProcessError' });
    expect(cell.failure?.message).toContain('exit status 3');
  });
});

describe('magics in Python cells', () => {
  it('an unknown magic fails with a clear UsageError', async () => {
    const tool = makeTool();
    for (const [code, message] of [['x = 1\n%nosuch 1', 'There is no magic %nosuch'], ['%%nosuch\nx', 'There is no cell magic %%nosuch'], ['x = 2\n%%bash\nls', 'must stand on the first line']]) {
      const { failure } = await py(tool, code);
      expect(failure, code).toMatchObject({ kind: 'exception', name: 'UsageError' });
      expect(failure?.message).toContain(message);
    }
    expect((await py(tool, 'x', { returns: 'json' })).value).toBe(2);
  });

  it('%cd, %pwd, %ls, %env and %set_env do what they say, also where a value is assigned', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'file.txt'), 'text');
    const tool = makeTool({ cwd });
    expect((await py(tool, `here = %pwd\nhere`, { returns: 'json' })).value).toBe(cwd);
    expect((await py(tool, `%ls`)).output).toBe('file.txt');
    await py(tool, `%cd /`);
    expect((await py(tool, `import os\nos.getcwd()`, { returns: 'json' })).value).toBe('/');
    await py(tool, `%cd -`);
    expect((await py(tool, `read('file.txt')`, { returns: 'json' })).value).toBe('text');
    expect((await py(tool, `name = 'x y'\n%env A=1\n%set_env B {name}\n[os.environ['A'], os.environ['B']]`, { returns: 'json' })).value).toEqual(['1', 'x y']);
    expect((await py(tool, `%env A`)).output).toBe(`'1'`);
  });

  it('%time and %%time tell how long it took and keep names, awaits and values', async () => {
    const tool = makeTool();
    expect((await py(tool, `%time a = 5\n%time a + 1`)).output).toMatch(/Wall time: .*\n6$/s);
    expect((await py(tool, `import asyncio\n%time await asyncio.sleep(0, 'slept')`)).output).toMatch(/Wall time.*\n'slept'$/s);
    expect((await py(tool, `%%time\nb = a\nb * 2`)).output).toMatch(/^10\n.*Wall time/s);
    expect((await py(tool, `%timeit -n 10 -r 2 a + b`)).output).toMatch(/per loop \(mean ± std. dev. of 2 runs, 10 loops each\)$/);
    expect((await py(tool, `%%timeit -n 10 -r 2 q = a\nq + b`)).output).toMatch(/10 loops each\)$/);
  });

  it('%who, %whos and %reset list and remove the names of the user', async () => {
    const tool = makeTool();
    await py(tool, `a, b = 1, 'two'`);
    expect((await py(tool, `%who`)).output).toBe('a\tb');
    expect((await py(tool, `%whos`)).output).toMatch(/Variable\s+Type\s+Value\na\s+int\s+1\nb\s+str\s+'two'/);
    expect((await py(tool, `%reset\n%who`)).output).toContain('empty');
  });

  it('%load runs a file as the cell, %run as a script, %%writefile writes one', async () => {
    const cwd = makeFolder();
    const tool = makeTool({ cwd });
    await py(tool, `%%writefile script.py\nimport sys\nseen = [sys.argv, __name__]\nseen`);
    expect(readFileSync(join(cwd, 'script.py'), 'utf8')).toBe('import sys\nseen = [sys.argv, __name__]\nseen\n');
    expect((await py(tool, `%run script.py A "b c"\nseen`, { returns: 'json' })).value).toEqual([['script.py', 'A', 'b c'], '__main__']);
    expect((await py(tool, `%load script.py`)).output).toBe(`[[''], '__main__']`);
    expect((await py(tool, `%load missing.py`)).failure).toMatchObject({ kind: 'exception', name: 'FileNotFoundError' });
    await py(tool, `%%writefile -a script.py\n1 / 0`);
    const { failure, output } = await py(tool, `%run script.py`);
    expect(failure).toMatchObject({ name: 'ZeroDivisionError', line: 1 });
    expect(output).toContain('File "script.py", line 4');
  });

  it('%%capture keeps what a cell and its children write and show', async () => {
    const tool = makeTool();
    expect((await py(tool, `%%capture out\nprint('in')\n!echo child\ndisplay({'a': 1})\n5`)).output).toBe('');
    expect((await py(tool, `out.stdout`, { returns: 'json' })).value).toBe('in\nchild\n5\n');
    expect((await py(tool, `out.show()`)).output).toContain('child');
    expect((await py(tool, `%%capture out\nprint('lost?')\n1 / 0`)).failure?.name).toBe('ZeroDivisionError');
    expect((await py(tool, `out.stdout`, { returns: 'json' })).value).toBe('lost?\n');
  });

  it('%pip runs pip of this interpreter, and fails when pip does', async () => {
    const tool = makeTool();
    expect((await py(tool, `%pip --version`)).output).toMatch(/^pip \d/);
    expect((await py(tool, `%pip no-such-command`)).failure).toMatchObject({ kind: 'exception', name: 'CalledProcessError' });
  });
});
