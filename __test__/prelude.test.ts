import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { js, makeFolder, makeTool, py, runCell, runCells, textOf } from './support.js';

describe('the prelude', () => {
  it('names of the user shadow prelude names in later cells, until reset', async () => {
    const tool = makeTool();
    await js(tool, `const path = { join: () => 'mine' }; const read = () => 'mine'; var tree = 5;`);
    expect((await js(tool, `[path.join('a', 'b'), read(), tree]`, { returns: 'json' })).value).toEqual(['mine', 'mine', 5]);
    expect((await js(tool, `typeof tree`, { returns: 'json', reset: true })).value).toBe('function');
    await py(tool, `def read(): return 'mine'\ntree = 5`);
    expect((await py(tool, `[read(), tree]`, { returns: 'json' })).value).toEqual(['mine', 5]);
    expect((await py(tool, `callable(tree)`, { returns: 'json', reset: true })).value).toBe(true);
  });

  it('helpers follow the current directory of the session, also after it moved', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'inner'));
    writeFileSync(join(cwd, 'inner', 'a.txt'), 'found');
    const tool = makeTool({ cwd });
    expect((await js(tool, `process.chdir('inner'); await read('a.txt')`, { returns: 'json' })).value).toBe('found');
    expect((await js(tool, `await read('a.txt')`, { returns: 'json' })).value).toBe('found');
    expect((await py(tool, `import os\nos.chdir('inner')\nread('a.txt')`, { returns: 'json' })).value).toBe('found');
    expect((await py(tool, `read('a.txt')`, { returns: 'json' })).value).toBe('found');
  });

  it('write takes bytes of every kind that the language has', async () => {
    const cwd = makeFolder();
    const tool = makeTool({ cwd });
    const value = await js(
      tool,
      `const bytes = new Uint8Array([0, 104, 105, 255, 0]);
       await write('array', bytes.subarray(1, 4));
       await write('buffer', Buffer.from([104, 105, 255]));
       await write('arraybuffer', bytes.slice(1, 4).buffer);
       await write('view', new DataView(bytes.buffer, 1, 3));
       await write('wide', new Uint16Array([0x6968]));
       await write('blob', new Blob([bytes.subarray(1, 4)]));
       await append('array', new Uint8Array([33]));`,
    );
    expect(value.failure).toBeUndefined();
    await py(tool, `write('bytes', b'hi\\xff')\nwrite('bytearray', bytearray(b'hi\\xff'))\nwrite('memory', memoryview(b'xhi\\xffx')[1:4])`);
    const hex = (name: string) => readFileSync(join(cwd, name)).toString('hex');
    for (const name of ['buffer', 'arraybuffer', 'view', 'blob', 'bytes', 'bytearray', 'memory']) expect([name, hex(name)]).toEqual([name, '6869ff']);
    expect(hex('array')).toBe('6869ff21');
    expect(hex('wide')).toBe('6869');
  });

  it('helpers take path objects, file URLs and iterables', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'a b.txt'), 'text');
    const tool = makeTool({ cwd });
    const script = `[await read(require('node:url').pathToFileURL(${JSON.stringify(join(cwd, 'a b.txt'))})), await counter(new Set(['x'])), await counter((function* () { yield 1; yield 1 })())]`;
    expect((await js(tool, script, { returns: 'json' })).value).toEqual(['text', [[1, 'x']], [[2, 1]]]);
    const program = `from pathlib import Path\n[read(Path('a b.txt')), counter({'x'}), counter(1 for _ in range(2))]`;
    expect((await py(tool, program, { returns: 'json' })).value).toEqual(['text', [[1, 'x']], [[2, 1]]]);
  });

  it('an argument that JSON cannot carry is refused with its place', async () => {
    const tool = makeTool();
    const script = `await counter(['a', { b: NaN }]).catch((error) => [error.name, error.message])`;
    expect((await js(tool, script, { returns: 'json' })).value).toEqual(['TypeError', 'not lossless JSON at counter arguments[0][1].b: NaN']);
    const program = `try:\n    counter(['a', {'b': float('nan')}])\nexcept TypeError as error:\n    message = str(error)\nmessage`;
    expect((await py(tool, program, { returns: 'json' })).value).toMatch(/not lossless JSON at .*\[0\]\[1\]\.b: NaN/);
  });

  it('env acts on the variables of the cell that asks, and on nobody else', async () => {
    const tool = makeTool({ env: { GIVEN: 'by the host' } });
    const both: [string, string][] = [
      ['js', `await env('MINE', 'x'); [process.env.MINE, await env('MINE'), await env('GIVEN'), (await env()).MINE, require('node:child_process').execSync('echo $MINE').toString()]`],
      ['py', `import os, subprocess\nenv('MINE', 'x')\n[os.environ['MINE'], env('MINE'), env('GIVEN'), env()['MINE'], subprocess.check_output('echo $MINE', shell=True, text=True)]`],
    ];
    for (const [language, code] of both) {
      expect((await runCell(tool, language, code, { returns: 'json' })).value).toEqual(['x', 'x', 'by the host', 'x', 'x\n']);
    }
    expect(process.env.MINE).toBeUndefined();
  });

  it('status events carry their fields and never contents', async () => {
    const cwd = makeFolder();
    const tool = makeTool({ cwd });
    const events = [
      { op: 'write', path: join(cwd, 'a.txt'), bytes: 6 },
      { op: 'read', path: join(cwd, 'a.txt'), bytes: 6, lines: 2 },
      { op: 'sort', lines: 2, reverse: false, unique: false },
      { op: 'uniq', lines: 2, groups: 2 },
      { op: 'counter', total: 2, unique: 1 },
      { op: 'diff', a: 'a', b: 'b', added: 1, removed: 1 },
      { op: 'tree', path: cwd, entries: 1, truncated: false },
      { op: 'env', action: 'set', key: 'SECRET' },
    ];
    const script = `await write('a.txt', 'ä\\nb\\n'); await read('a.txt'); await sort('b\\na'); await uniq('b\\na'); await counter(['a', 'a']);
      await diff('x\\n', 'y\\n'); await tree(); await env('SECRET', 'hidden')`;
    expect((await js(tool, `${script}; undefined`)).statusEvents).toEqual(events.map((event) => (event.op === 'write' || event.op === 'read' ? { ...event, bytes: 5 } : event)));
    const program = script.replaceAll('await ', '').replaceAll(/;\s*/g, '\n');
    const result = await runCells(tool, [{ language: 'py', code: `${program}\nNone` }]);
    expect(result.details.statusEvents?.map(({ op }) => op)).toEqual(events.map(({ op }) => op));
    expect(JSON.stringify(result.details.statusEvents)).not.toContain('hidden');
  });

  it('output reads the folder of the session file that the host names', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'session'));
    writeFileSync(join(folder, 'session', '0-Task.md'), 'done');
    const tool = makeTool({ sessionFile: join(folder, 'session.jsonl') });
    expect((await js(tool, `await output('0-Task')`, { returns: 'json' })).value).toBe('done');
    expect((await py(tool, `output('0-Task')`, { returns: 'json' })).value).toBe('done');
    const lonely = makeTool({ env: { PI_ARTIFACTS_DIR: '', PI_SESSION_FILE: '' } });
    expect((await js(lonely, `await output('0-Task')`)).failure?.message).toContain('PI_ARTIFACTS_DIR');
  });

  it.skipIf(process.getuid?.() === 0)('tree marks a folder that cannot be listed', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'closed'));
    chmodSync(join(cwd, 'closed'), 0o000);
    expect((await js(makeTool({ cwd }), `await tree()`, { returns: 'json' })).value).toBe('./\n└── closed/ [unreadable]');
    chmodSync(join(cwd, 'closed'), 0o700);
  });

  it('results of helpers are values of the cell itself', async () => {
    const tool = makeTool();
    expect((await js(tool, `(await counter(['a'])) instanceof Array && (await counter(['a']))[0] instanceof Array`, { returns: 'json' })).value).toBe(true);
  });
});

describe('display in JavaScript', () => {
  it('objects and arrays become JSON outputs, images images, scalars text', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      { language: 'js', code: `display({ a: [1] }); display([]); display('text'); display(5); display(null); display({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' });` },
    ]);
    expect(result.details.jsonOutputs).toEqual([{ a: [1] }, []]);
    expect(result.details.images).toEqual([{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }]);
    expect(textOf(result)).toContain('text\n5\nnull');
  });

  it('functions, proxies, cycles, BigInt, Map and Set give readable text, never an error', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      {
        language: 'js',
        code: `const cycle = { name: 'me' }; cycle.self = cycle;
          for (const value of [function f() {}, new Proxy({ p: 1 }, { get() { throw 1 }, ownKeys() { throw 1 } }), cycle, 2n ** 64n, new Map([['k', 1]]), new Set([7]), Symbol('s'), new Date(0), /x/g, new Error('oops'),
            { get bad() { throw new Error('no') } }, Object.create(null), class A {}, new Uint8Array(2), Promise.resolve(1), new Proxy(() => {}, {}), { [Symbol.for('nodejs.util.inspect.custom')]() { throw 1 } }]) display(value);`,
      },
    ]);
    expect(result.details.isError).toBeUndefined();
    for (const part of ['[Function: f]', '{ p: 1 }', '[Circular *1]', '18446744073709551616', "Map(1) { 'k' => 1 }", 'Set(1) { 7 }', 'Symbol(s)', '1970-01-01', '/x/g', 'oops', '[class A]', 'Uint8Array(2)', 'Promise {']) {
      expect(textOf(result)).toContain(part);
    }
  });

  it('inside a JSON output nothing is refused: such values become their exact text', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      { language: 'js', code: `display({ a: NaN, b: [Infinity, -Infinity, -0], c: 2n ** 70n, d: undefined, e: [undefined], f: new Map([[1, 2]]) })` },
    ]);
    expect(result.details.jsonOutputs).toEqual([
      { a: 'NaN', b: ['Infinity', '-Infinity', '-0'], c: '1180591620717411303424', e: ['undefined'], f: 'Map(1) { 1 => 2 }' },
    ]);
  });
});

describe('display in Python', () => {
  it('nan, inf and large integers survive in the shown text, and the output is valid JSON', async () => {
    const tool = makeTool();
    const result = await runCells(tool, [
      { language: 'py', code: `import math\ndisplay({'a': math.nan, 'b': [math.inf, -math.inf], 'big': 2**70, 'i': 2**53 + 1})` },
    ]);
    expect(result.details.isError).toBeUndefined();
    expect(result.details.jsonOutputs).toEqual([{ a: 'NaN', b: ['Infinity', '-Infinity'], big: 1180591620717411303424, i: '9007199254740993' }]);
    for (const part of ['NaN', 'Infinity', '1180591620717411303424', '9007199254740993']) expect(textOf(result)).toContain(part);
  });
});
