import { describe, expect, it } from 'vitest';
import { js, makeTool, py, runCell, runCells, textOf } from './support.js';

/** Runs the same thing in both languages. */
async function inBoth(tool: Parameters<typeof js>[0], script: string, program: string): Promise<[unknown, unknown]> {
  const first = await js(tool, script, { returns: 'json' });
  expect(first.failure, first.output).toBeUndefined();
  const second = await py(tool, program, { returns: 'json' });
  expect(second.failure, second.output).toBeUndefined();
  return [first.value, second.value];
}

const both = (value: unknown) => [value, value];

describe('tool calls', () => {
  it('a plain function gets the arguments and its value comes back as it is', async () => {
    const seen: unknown[] = [];
    const tool = makeTool({
      tools: {
        echo(args, context) {
          seen.push([args, typeof context.toolCallId, context.signal instanceof AbortSignal]);
          return args;
        },
      },
    });
    const value = { text: 'ä😀', list: [1, 2.5, null, true, { deep: [] }], empty: {} };
    const json = JSON.stringify(value);
    const python = `import json\ntool.echo(json.loads(${JSON.stringify(json)}))`;
    expect(await inBoth(tool, `await tool.echo(${json})`, python)).toEqual(both(value));
    expect(seen).toEqual([[value, 'string', true], [value, 'string', true]]);
  });

  it('Python takes keyword arguments or one dict, JavaScript one object', async () => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    expect(await inBoth(tool, `[await tool.echo({ x: 1 }), await tool.echo()]`, `[tool.echo(x=1), tool.echo()]`)).toEqual(both([{ x: 1 }, {}]));
    expect((await py(tool, `tool.echo({'x': 1})`, { returns: 'json' })).value).toEqual({ x: 1 });
  });

  it('bad argument shapes raise a TypeError that names the expected form', async () => {
    const tool = makeTool({ tools: { slow: () => new Promise(() => {}) } });
    for (const code of [`await tool.slow(1000)`, `await tool.slow('x')`, `await tool.slow({}, {})`, `await tool.slow(null)`]) {
      const { failure } = await js(tool, code);
      expect(failure, code).toMatchObject({ kind: 'exception', name: 'TypeError' });
      expect(failure?.message).toContain('tool.slow({');
    }
    for (const code of [`tool.slow(1, 2, bogus=3)`, `tool.slow(1000)`, `tool.slow({}, x=1)`]) {
      const { failure } = await py(tool, code);
      expect(failure, code).toMatchObject({ kind: 'exception', name: 'TypeError' });
      expect(failure?.message).toContain('tool.slow(');
    }
  });

  it('undefined of the host arrives as undefined and None, null as null and None', async () => {
    const tool = makeTool({ tools: { nothing() {}, none: () => null } });
    expect(await inBoth(tool, `[(await tool.nothing()) === undefined, (await tool.none()) === null]`, `[tool.nothing() is None, tool.none() is None]`)).toEqual(both([true, true]));
  });

  it('a Pi-style tool result comes back as its text, or with details or images as {text, details, images}', async () => {
    const calls: unknown[][] = [];
    const result = (content: unknown, more = {}) => ({ name: 't', execute: async (...args: unknown[]) => (calls.push(args), { content, ...more }) });
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const tool = makeTool({
      tools: {
        text: result([{ type: 'text', text: 'one' }, { type: 'text', text: 'two' }]),
        details: result([{ type: 'text', text: 'one' }], { details: { exit: 0 } }),
        image: result([image]),
        bad: result([{ type: 'text', text: 'it broke' }], { isError: true }),
      },
    });
    expect(await inBoth(tool, `[await tool.text({ a: 1 }), await tool.details(), await tool.image()]`, `[tool.text(a=1), tool.details(), tool.image()]`)).toEqual(
      both(['one\ntwo', { text: 'one', details: { exit: 0 }, images: [] }, { text: '', details: null, images: [{ data: 'AAAA', mimeType: 'image/png' }] }]),
    );
    const [id, params, signal, onUpdate] = calls[0];
    expect([typeof id, params, signal instanceof AbortSignal, typeof onUpdate]).toEqual(['string', { a: 1 }, true, 'function']);
    expect(new Set(calls.map(([id]) => id)).size).toBe(calls.length);
    expect(await inBoth(tool, `await tool.bad().catch((error) => [error.name, error.tool, error.message])`,
      `try:\n    tool.bad()\nexcept ToolError as error:\n    seen = [type(error).__name__, error.tool, str(error)]\nseen`)).toEqual(both(['ToolError', 'bad', 'it broke']));
  });

  it('a host error is raised in the cell as ToolError with the host message and the name of the tool', async () => {
    const tool = makeTool({ tools: { 'my-tool': () => { throw new RangeError('out of range') } } });
    expect(await inBoth(tool, `await tool['my-tool']().catch((error) => [error instanceof ToolError, error instanceof Error, error.tool, error.message])`,
      `try:\n    tool.my_tool()\nexcept ToolError as error:\n    seen = [True, isinstance(error, Exception), error.tool, str(error)]\nseen`)).toEqual(both([true, true, 'my-tool', 'out of range']));
  });

  it('a host that throws synchronously, rejects with null, or returns a thenable that throws, is survived', async () => {
    const hostile: Record<string, (args: unknown) => unknown> = {
      bad() { throw new Error('x') },
      badp: async () => { throw null },
      weird: () => ({ get then() { throw 1 } }),
      getter() { throw { get message() { throw 2 } } },
      symbol() { throw Symbol('s') },
      revoked() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy },
      cycle() { const value: Record<string, unknown> = {}; value.self = value; return value },
      date: () => ({ when: [new Date(0)] }),
      trap: () => new Proxy({}, { ownKeys() { throw new Error('trap') } }),
      double: () => ({ then(resolve: (value: unknown) => void, reject: (why: unknown) => void) { resolve(1); reject(2); resolve(3) } }),
    };
    const tool = makeTool({ tools: hostile });
    const names = Object.keys(hostile);
    const [first, second] = await inBoth(
      tool,
      `const seen = []; for (const n of ${JSON.stringify(names)}) { try { seen.push([n, 'value', await tool[n]()]) } catch (error) { seen.push([n, error.name, error.message]) } } seen`,
      `seen = []\nfor n in ${JSON.stringify(names)}:\n    try:\n        seen.append([n, 'value', getattr(tool, n)()])\n    except Exception as e:\n        seen.append([n, type(e).__name__, str(e)])\nseen`,
    );
    expect(second).toEqual(first);
    expect(first).toEqual([
      ['bad', 'ToolError', 'x'], ['badp', 'ToolError', 'null'], ['weird', 'ToolError', '1'], ['getter', 'ToolError', 'an error'], ['symbol', 'ToolError', 'Symbol(s)'], ['revoked', 'ToolError', 'an error'],
      ['cycle', 'ToolError', 'not lossless JSON at result.self: a cycle'], ['date', 'ToolError', 'not lossless JSON at result.when[0]: an instance of Date'], ['trap', 'ToolError', 'not lossless JSON at result: a value that cannot be read (trap)'], ['double', 'value', 1],
    ]);
  });

  it('values from tools are of the same realm as the cell', async () => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    const code = `const got = await tool.echo([1]); let deep = true;
      try { (await import('node:assert')).default.deepStrictEqual(got, [1]) } catch { deep = false }
      [got instanceof Array, got.constructor === Array, Object.getPrototypeOf((await tool.echo({ a: {} })).a) === Object.prototype, deep]`;
    expect((await js(tool, code, { returns: 'json' })).value).toEqual([true, true, true, true]);
  });

  it('tool.x.sync and tool.x.aio force the blocking and the awaitable form', async () => {
    const tool = makeTool({ tools: { echo: async (args) => args } });
    expect((await js(tool, `[tool.echo.sync({ a: 1 }), await tool.echo.aio({ a: 2 })]`, { returns: 'json' })).value).toEqual([{ a: 1 }, { a: 2 }]);
    expect((await py(tool, `x = tool.echo.sync(a=1)\ny = await tool.echo.aio(a=2)\n[x, y]`, { returns: 'json' })).value).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('in Python a call is awaitable where an event loop runs and blocks elsewhere', async () => {
    const tool = makeTool({ tools: { echo: async (args) => args } });
    expect((await py(tool, `tool.echo(a=1)`, { returns: 'json' })).value).toEqual({ a: 1 });
    expect((await py(tool, `await tool.echo(a=1)`, { returns: 'json' })).value).toEqual({ a: 1 });
    expect((await py(tool, `import asyncio\nasync def main():\n    return await asyncio.gather(*(tool.echo(a=i) for i in range(3)))\nasyncio.run(main())`, { returns: 'json' })).value).toEqual([{ a: 0 }, { a: 1 }, { a: 2 }]);
    const { failure } = await py(tool, `import asyncio\nawait asyncio.sleep(0)\ntool.echo(a=1)\nNone`);
    expect(failure?.message ?? '').toMatch(/await/);
  });
});

describe('tool names', () => {
  it('tool lists what exists, and tools may be added while kernels are warm', async () => {
    const tools: Record<string, (args: unknown) => unknown> = { b: () => 1, a: () => 2 };
    const tool = makeTool({ tools });
    expect((await js(tool, `Object.keys(tool)`, { returns: 'json' })).value).toEqual(['a', 'b']);
    expect((await py(tool, `dir(tool)`, { returns: 'json' })).value).toEqual(['a', 'b']);
    tools.c = () => 'new';
    delete tools.b;
    expect(await inBoth(tool, `[Object.keys(tool), await tool.c()]`, `[dir(tool), tool.c()]`)).toEqual(both([['a', 'c'], 'new']));
    expect((await py(tool, `repr(tool)`, { returns: 'json' })).value).toMatch(/a.*c/);
    expect(textOf(await runCells(tool, [{ language: 'js', code: `tool` }]))).toMatch(/a.*c/);
  });

  it('an unknown tool says which exist', async () => {
    const tool = makeTool({ tools: { alpha: () => 1, beta: () => 2 } });
    const [first, second] = await inBoth(tool, `await tool.nope({}).catch((error) => [error.name, error.message])`,
      `try:\n    tool.nope()\nexcept Exception as error:\n    seen = [type(error).__name__, str(error)]\nseen`);
    for (const [name, message] of [first, second] as [string, string][]) {
      expect(['ToolError', 'AttributeError']).toContain(name);
      expect(message).toMatch(/nope.*alpha.*beta/);
    }
  });

  it('hostile names are ordinary names, never a prototype accident', async () => {
    const names = ['__proto__', 'constructor', 'then', 'toString', 'hasOwnProperty', '__class__', '__init__', 'sync'];
    const tools = Object.create(null) as Record<string, () => string>;
    for (const name of names) Object.defineProperty(tools, name, { value: () => `called ${name}`, enumerable: true });
    const tool = makeTool({ tools });
    const list = JSON.stringify(names);
    const [first] = await inBoth(tool, `const seen = []; for (const n of ${list}) seen.push(await tool[n]({})); seen`, `1`);
    expect(first).toEqual(names.map((name) => `called ${name}`));
    const empty = makeTool({ tools: {} });
    const code = `const seen = []; for (const n of ${list}) { try { await tool[n]({}); seen.push(n) } catch (error) { if (!/nope|unknown|no tool|there are|is not a function/i.test(error.message)) seen.push(error.message) } } [seen, await tool === tool]`;
    expect((await js(empty, code, { returns: 'json' })).value).toEqual([[], true]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('a name that is no identifier is also reachable with _ for each bad character', async () => {
    const tool = makeTool({ tools: { 'my-tool': () => 1, '2fa': () => 2, 'a.b c': () => 3, größe: () => 4 } });
    expect(await inBoth(tool, `[await tool.my_tool(), await tool._2fa(), await tool.a_b_c(), await tool.größe(), await tool['my-tool']()]`,
      `[tool.my_tool(), tool._2fa(), tool.a_b_c(), tool.größe(), getattr(tool, 'my-tool')()]`)).toEqual(both([1, 2, 3, 4, 1]));
  });

  it('callTool is asked for names that are not in tools', async () => {
    const asked: string[] = [];
    const tool = makeTool({
      tools: { known: () => 'own' },
      callTool: async (name, args) => {
        asked.push(name);
        if (name === 'missing') throw new Error('no such tool');
        return { name, args };
      },
    });
    expect(await inBoth(tool, `[await tool.known(), await tool.other({ a: 1 })]`, `[tool.known(), tool.other(a=1)]`)).toEqual(both(['own', { name: 'other', args: { a: 1 } }]));
    expect(asked).toEqual(['other', 'other']);
    expect((await js(tool, `await tool.missing()`)).failure?.message).toContain('no such tool');
  });
});

describe('lossless JSON at the border', () => {
  it('an exact integer crosses digit for digit, in both directions', async () => {
    const tool = makeTool({ tools: { echo: (args) => args, big: () => ({ n: 2 ** 60 }) } });
    const program = `[str(tool.echo(n=n)['n']) for n in (2**53, 2**60, -(2**60), 10**22, 2**100)] + [str(tool.big()['n'])]`;
    expect((await py(tool, program, { returns: 'json' })).value).toEqual(
      [2n ** 53n, 2n ** 60n, -(2n ** 60n), 10n ** 22n, 2n ** 100n, 2n ** 60n].map(String),
    );
    expect((await js(tool, `(await Promise.all([2 ** 53, 2 ** 60, 1e300].map(async (n) => (await tool.echo({ n })).n === n))).every(Boolean)`, { returns: 'json' })).value).toBe(true);
  });

  it('what JSON cannot carry is refused by the sender with its place', async () => {
    const seen: unknown[] = [];
    const tool = makeTool({ tools: { echo: (args) => (seen.push(args), args), nan: () => ({ rows: [0, { id: NaN }] }), minus: () => [-0], large: () => 10n } });
    const script = (value: string) => `await tool.echo({ rows: [1, 2, 3, { id: ${value} }] }).catch((error) => [error.name, error.message])`;
    for (const [value, problem] of [['NaN', 'NaN'], ['-Infinity', '-Infinity'], ['-0', '-0'], ['10n', 'a BigInt'], ['() => 1', 'a function'], ['Symbol()', 'a symbol'], ['new Map()', 'an instance of Map'], ['[undefined]', 'undefined'], ['[1, , 2]', 'undefined']]) {
      const [name, message] = (await js(tool, script(value), { returns: 'json' })).value as string[];
      expect([value, name]).toEqual([value, 'TypeError']);
      expect(message).toContain('args.rows[3].id');
      expect(message).toContain(problem);
    }
    const program = (value: string) => `import math\ntry:\n    tool.echo(rows=[1, 2, 3, {'id': ${value}}])\nexcept Exception as error:\n    seen = str(error)\nseen`;
    for (const [value, problem] of [['math.nan', 'NaN'], ['-math.inf', '-Infinity'], ['-0.0', '-0'], ['2**53 + 1', '9007199254740993'], ["b'x'", 'bytes'], ['{1}', 'set'], ['len', 'function'], ['{1: 2}', 'key']]) {
      const message = (await py(tool, program(value), { returns: 'json' })).value as string;
      expect(message, value).toContain('args.rows[3].id');
      expect(message, value).toContain(problem);
    }
    expect(seen).toEqual([]);
    for (const [name, place] of [['nan', 'result.rows[1].id: NaN'], ['minus', 'result[0]: -0'], ['large', 'result: a BigInt']]) {
      expect((await js(tool, `await tool.${name}()`)).failure?.message, name).toContain(place);
      expect((await py(tool, `tool.${name}()`)).failure?.message, name).toContain(place);
    }
  });

  it('members that are undefined are left out, tuples become arrays, lone surrogates cross', async () => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    expect((await js(tool, `const got = await tool.echo({ a: undefined, s: '\\ud800x' }); [Object.keys(got), got.s === '\\ud800x']`, { returns: 'json' })).value).toEqual([['s'], true]);
    expect((await py(tool, `got = tool.echo(t=(1, (2,)), s='\\ud800x')\n[got['t'], got['s'] == '\\ud800x']`, { returns: 'json' })).value).toEqual([[1, [2]], true]);
  });

  it('depth is limited only by size: 10 000 levels cross', async () => {
    const tool = makeTool({ tools: { echo: (args) => args } });
    const script = `let d = 0; for (let i = 0; i < 10_000; i++) d = { d }; let got = await tool.echo(d), n = 0; while (typeof got === 'object') { got = got.d; n++ } n`;
    const program = `d = 0\nfor i in range(10_000):\n    d = {'d': d}\ngot, n = tool.echo(d), 0\nwhile isinstance(got, dict):\n    got, n = got['d'], n + 1\nn`;
    expect(await inBoth(tool, script, program)).toEqual(both(10_000));
  });

  it.each(['js', 'py'])('returns: json holds the value exactly or fails with the place, in %s', async (language) => {
    const tool = makeTool();
    const [good, bad] = language === 'js' ? ['({ a: 2 ** 60, u: undefined })', '({ rows: [0, { id: NaN }] })'] : ["{'a': 2**60}", "{'rows': [0, {'id': float('nan')}]}"];
    expect((await runCell(tool, language, good, { returns: 'json' })).value).toEqual({ a: 2 ** 60 });
    const cell = await runCell(tool, language, bad, { returns: 'json' });
    expect(cell.failure).toMatchObject({ kind: 'invalid-output', message: 'Output is not JSON at rows[1].id: NaN' });
    expect(cell.value).toBeUndefined();
  });
});
