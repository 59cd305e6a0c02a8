import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, py } from './support.js';

describe('names in Python cells', () => {
  it('variables() tells name, type, short text and size of the user\'s names, and runs none of their code', async () => {
    const tool = makeTool();
    await py(tool, `class Loud:\n    def __repr__(self): print('ran'); return 'loud'\n    def __len__(self): raise ValueError\nloud, n, rows, text = Loud(), 5, [1, 2], 'x' * 1000\nimport math\n_hidden = 1`);
    const rows = await tool.variables('python');
    expect(rows.map(({ name, type }) => [name, type])).toEqual([
      ['Loud', 'type'], ['loud', 'Loud'], ['math', 'module'], ['n', 'int'], ['rows', 'list'], ['text', 'str'],
    ]);
    expect(rows.find(({ name }) => name === 'rows')).toMatchObject({ repr: '[1, 2]', size: 2 });
    expect(rows.find(({ name }) => name === 'text')?.repr.length).toBeLessThan(100);
    expect((await py(tool, `None`)).output).toBe('');
  });

  it('__main__ holds the names of the user alone', async () => {
    const code = `import sys\n[name for name in vars(sys.modules['__main__']) if not name.startswith('__')]`;
    expect((await py(makeTool(), code, { returns: 'json' })).value).toEqual(['sys']);
  });

  it('inspect.getsource gives the source of functions, methods and classes of cells', async () => {
    const tool = makeTool();
    await py(tool, `import asyncio\nawait asyncio.sleep(0)\ndef f(a):\n    return a  # one\nclass K:\n    def m(self): return 2`);
    const value = (await py(tool, `import inspect\n[inspect.getsource(f), inspect.getsource(K.m), inspect.getsource(K)]`, { returns: 'json' })).value;
    expect(value).toEqual(['def f(a):\n    return a  # one\n', '    def m(self): return 2\n', 'class K:\n    def m(self): return 2\n']);
  });

  it('file names that are not UTF-8 are shown escaped, and the kernel lives', async () => {
    const tool = makeTool({ cwd: makeFolder() });
    const cell = await py(tool, `import os\nopen(b'n\\xe9.txt', 'w').close()\nprint(os.listdir('.'))\nos.listdir('.')`);
    expect(cell.output).toBe(`['n\\udce9.txt']\n['n\\udce9.txt']`);
    expect((await py(tool, `1 + 1`)).output).toBe('2');
  });

  it('a forked child never speaks the protocol: it is told that it cannot call tools', async () => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    const code = `import os\npid = os.fork()\nif pid == 0:\n    try: tool.echo(x=1)\n    except ToolError as error: print(error, flush=True)\n    os._exit(0)\nos.waitpid(pid, 0)[1]`;
    expect((await py(tool, code)).output).toBe('A process that a cell has forked cannot call tools.\n0');
    expect((await py(tool, `tool.echo(x=2)`, { returns: 'json' })).value).toEqual({ x: 2 });
  });
});
