import { describe, expect, it } from 'vitest';
import { js, makeTool } from './support.js';

describe('the context of JavaScript cells', () => {
  it('is one realm', async () => {
    const tool = makeTool({ tools: { echo: (args: unknown) => args } });
    expect(
      (
        await js(
          tool,
          `[[] instanceof Array, structuredClone({}) instanceof Object, new Uint8Array(1) instanceof Uint8Array, Buffer.from('a') instanceof Uint8Array,
            (await tool.echo([1])) instanceof Array, require('node:os').cpus() instanceof Array, (() => { try { fs.readFileSync('/nowhere') } catch (e) { return e instanceof Error } })(),
            (() => { require('node:assert').deepStrictEqual([1], [1]); return true })(), JSON.parse('{}') instanceof Object].every(Boolean)`,
        )
      ).output,
    ).toBe('true');
  });

  it('has everything a Node module has', async () => {
    const names = `process Buffer fetch URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event EventTarget structuredClone crypto performance
      setTimeout setInterval setImmediate clearTimeout queueMicrotask atob btoa Blob File FormData Headers Request Response ReadableStream WritableStream CompressionStream
      MessageChannel BroadcastChannel WebAssembly Intl console global globalThis require module exports __dirname __filename fs tool display print read write`;
    const cell = await js(makeTool(), `${JSON.stringify(names)}.trim().split(/\\s+/).filter((name) => { try { return (0, eval)('typeof ' + name) === 'undefined' } catch { return true } })`);
    // `File` became a global in Node 20.
    expect(cell.output).toBe('[]');
  });

  it('lets a name of the user shadow the prelude and the platform, until a reset', async () => {
    const tool = makeTool();
    await js(tool, 'const path = { join: () => "mine" }; const fs = "my fs"; function read() { return "my read" } let URL = 5;');
    expect((await js(tool, '[path.join("a", "b"), fs, read(), URL, new (require("node:url").URL)("a:b").href]')).output).toBe("[ 'mine', 'my fs', 'my read', 5, 'a:b' ]");
    expect((await js(tool, '(await import("node:url")).pathToFileURL("/x").href + typeof fetch + (await (await fetch("data:,x")).text())')).output).toBe("'file:///xfunctionx'");
    await tool.reset('js');
    expect((await js(tool, '[typeof path, typeof fs.readFileSync, typeof URL]')).output).toBe("[ 'undefined', 'function', 'function' ]");
  });

  it('shows functions as they were written', async () => {
    const tool = makeTool();
    const source = 'function twice(x) { return x * 2 }';
    expect((await js(tool, `${source}\nconst arrow = async (x) => { if (x) return import("node:os") };\n[String(twice), arrow.toString(), String(Math.max)]`)).output).toBe(
      `[\n  '${source}',\n  'async (x) => { if (x) return import("node:os") }',\n  'function max() { [native code] }'\n]`,
    );
  });

  it('shows promises, timers and handles as a plain program does, wherever they stand', async () => {
    const tool = makeTool();
    expect((await js(tool, '[Promise.resolve(1), new Map([[Promise.resolve(2), { deep: [Promise.resolve(3)] }]])]')).output).toBe(
      '[ Promise { 1 }, Map(1) { Promise { 2 } => { deep: [Array] } } ]',
    );
    const handles = `var { inspect } = require('node:util');
      var all = [setTimeout(() => {}), setImmediate(() => {}), new MessageChannel().port1, new (require('node:net').Socket)(), require('node:child_process').spawn('true'),
        new (require('node:async_hooks').AsyncResource)('mine'), require('node:fs').createReadStream('/dev/null'), (async () => {})()];
      all.filter((one) => /cell-|kResourceStore/.test(inspect(one, { depth: 6, showHidden: true })))`;
    expect((await js(tool, handles)).output).toBe('[]');
    expect((await js(tool, 'inspect(setTimeout(() => {}))')).output).not.toContain('TimersList {');
  });

  it('shows loops in functions as they were written', async () => {
    const source = 'function loops(rows) { for (const row of rows) if (row) String(row); while (rows.pop()) { String(rows); } do rows.push(); while (0) }';
    expect((await js(makeTool(), `${source}\nString(loops) === ${JSON.stringify(source)} || String(loops)`)).output).toBe('true');
  });

  it('lists its variables with type, short text and size', async () => {
    const tool = makeTool();
    await js(tool, 'let text = "abc"; const list = [1, 2, 3]; var map = new Map([[1, 2]]); class Shape {} function area() {} const bytes = new Uint8Array(10); const promise = Promise.resolve(1)');
    const rows = await tool.variables('js');
    expect(rows).toEqual(
      expect.arrayContaining([
        { name: 'text', type: 'string', repr: "'abc'", size: 3 },
        { name: 'list', type: 'Array', repr: '[ 1, 2, 3 ]', size: 3 },
        { name: 'map', type: 'Map', repr: 'Map(1) { 1 => 2 }', size: 1 },
        { name: 'Shape', type: 'function', repr: '[class Shape]' },
        { name: 'bytes', type: 'Uint8Array', repr: expect.any(String), size: 10 },
        { name: 'promise', type: 'Promise', repr: 'Promise { 1 }' },
      ]),
    );
    expect(rows.map((row) => row.name)).not.toContain('fs');
  });

  it('gives a value as data exactly, or says what is wrong with it', async () => {
    const tool = makeTool();
    expect((await js(tool, '({ rows: [{ id: 2 ** 53 }], text: "\\u2028" })', { returns: 'json' })).value).toEqual({ rows: [{ id: 2 ** 53 }], text: '\u2028' });
    expect((await js(tool, '({ rows: [{ id: NaN }] })', { returns: 'json' })).failure).toMatchObject({ kind: 'invalid-output', message: 'Output is not JSON at rows[0].id: NaN' });
    expect((await js(tool, '"x".repeat(40000)', { returns: 'json' })).failure).toMatchObject({ kind: 'output-limit' });
    expect((await js(tool, 'let none;', { returns: 'json' })).value).toBeUndefined();
  });

  it('shows a last value that is a promise when it has settled', async () => {
    const tool = makeTool();
    expect((await js(tool, 'Promise.resolve([1])')).output).toBe('[ 1 ]');
    expect((await js(tool, 'new Promise((r) => setTimeout(r, 20, "later"))')).output).toBe("'later'");
    expect((await js(tool, 'Promise.reject(new TypeError("no"))')).failure).toMatchObject({ name: 'TypeError' });
  });
});

describe('the memory of JavaScript cells', () => {
  const WAYS = [
    'const hog = []; for (;;) hog.push(new Array(1e6).fill(hog.length))',
    'let a = [1]; for (;;) a = a.concat(a)',
    'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })',
    'const o = {}; for (let i = 0; ; i++) o["k" + i] = i',
    'Array.from({ length: 3e8 }, (_, i) => ({ i }))',
    'const parts = []; for (let i = 0; ; i++) parts.push(("x".repeat(1000) + i).split(""))',
    'const all = []; for (;;) { await null; all.push(new Array(1e6).fill(1)) }',
    'new Array(5e8).fill(0)',
  ];

  it.each(WAYS)('is bounded: %s ends the kernel, not the host', async (code) => {
    const tool = makeTool({ js: { limits: { maxOldGenerationSizeMb: 64 } } });
    const cell = await js(tool, code, { timeout: 50 });
    expect(cell).toMatchObject({ state: 'lost', failure: { kind: 'kernel-exit' } });
    expect(cell.failure!.message).toContain('heap limit is 64 MB');
    expect((await js(tool, '"alive"')).output).toBe("'alive'");
  });

  it('bounds array buffers at allocation', async () => {
    const tool = makeTool({ js: { limits: { maxArrayBufferMb: 128 } } });
    const cell = await js(tool, 'const list = []; for (;;) list.push(new Uint8Array(1e7))');
    expect(cell).toMatchObject({ state: 'kept', failure: { kind: 'exception', name: 'RangeError' } });
    expect((await js(tool, 'list.length > 5 && list.length < 14')).output).toBe('true');
    expect((await js(tool, 'list.length = 0; for (let i = 0; i < 100; i++) Buffer.alloc(2e7); "reused"')).output).toBe("'reused'");
    const small = await js(tool, 'const many = []; for (;;) many.push(Buffer.alloc(50_000))');
    expect(small).toMatchObject({ state: 'lost', failure: { kind: 'kernel-exit' } });
  });
});
