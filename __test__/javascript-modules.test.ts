import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { js, makeFolder, makeTool } from './support.js';

/** A session in a folder with these files. */
function project(files: Record<string, string>) {
  const cwd = makeFolder();
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  for (const [name, text] of Object.entries(files)) put(name, text);
  const tool = makeTool({ cwd });
  return { cwd, put, run: async (code: string) => (await js(tool, code)).output };
}

describe('modules of JavaScript cells', () => {
  it('resolve from the session directory in every form', async () => {
    const { run, cwd } = project({
      'node_modules/dep/index.js': 'module.exports = 7',
      'node_modules/esm/package.json': '{ "name": "esm", "type": "module", "exports": { ".": "./main.js", "./sub": { "import": "./sub.js" } } }',
      'node_modules/esm/main.js': 'export default 8; export const named = 9',
      'node_modules/esm/sub.js': 'export const sub = 10',
      'file.mjs': 'export const here = import.meta.url',
      'data.json': '{ "answer": 42 }',
    });
    expect(await run('[require("dep"), (await import("dep")).default, (await import("./node_modules/dep/index.js")).default]')).toBe('[ 7, 7, 7 ]');
    expect(await run('import dep from "dep"; import esm, { named as n } from "esm"; import * as all from "esm"; import { sub } from "esm/sub"; import "dep"; [dep, esm, n, all.named, sub]'))
      .toBe('[ 7, 8, 9, 9, 10 ]');
    expect(await run('import data from "./data.json" with { type: "json" }; data.answer')).toBe('42');
    expect(await run('require.resolve("dep")')).toBe(`'${cwd}/node_modules/dep/index.js'`);
    expect(await run('(await import(require("node:url").pathToFileURL("file.mjs"))).here === new URL("file.mjs", import.meta.url).href')).toBe('true');
    expect(await run('[import.meta.dirname, __dirname, import.meta.resolve("dep")]')).toContain(`'${cwd}',`);
  });

  it('work inside eval and new Function', async () => {
    const { run } = project({ 'node_modules/dep/index.js': 'module.exports = 7' });
    expect(
      await run(`[typeof (await import('node:fs')).readFileSync, typeof (await (0, eval)("import('node:path')")).join,
        typeof (await new Function("return import('node:os')")()).cpus, (await eval("import('dep')")).default]`),
    ).toBe("[ 'function', 'function', 'function', 7 ]");
  });

  it('are loaded fresh when they or anything local they import changed, and keep their instance when not', async () => {
    const { run, put } = project({
      'count.mjs': 'export let count = 0; export const up = () => ++count',
      'outer.mjs': 'import { inner } from "./inner.mjs"; export const outer = inner + 1',
      'inner.mjs': 'export const inner = 1',
      'outer.cjs': 'exports.outer = require("./inner.cjs") + 1',
      'inner.cjs': 'module.exports = 1',
    });
    const all = '[(await import("./count.mjs")).up(), (await import("./outer.mjs")).outer, require("./outer.cjs").outer]';
    expect(await run(all)).toBe('[ 1, 2, 2 ]');
    expect(await run(all)).toBe('[ 2, 2, 2 ]');
    put('inner.mjs', 'export const inner = 10');
    put('inner.cjs', 'module.exports = 100');
    expect(await run(all)).toBe('[ 3, 11, 101 ]');
    put('inner.mjs', 'export const inner = 20; export const more = 1');
    expect(await run('import { outer } from "./outer.mjs"; import { more } from "./inner.mjs"; [outer, more]')).toBe('[ 21, 1 ]');
    expect(await run(all)).toBe('[ 4, 21, 101 ]');
  });

  it('may be TypeScript files, by path', async () => {
    const { run } = project({
      'types.ts': 'import type { Shape } from "./shape"; export enum Level { Low = 1, High = 5 } export const area = (s: Shape): number => s.w * Level.High',
      'main.mts': 'import { area } from "./types.ts"; export const result: number = area({ w: 2 })',
      'common.cts': 'const x: number = 3; module.exports = { x }',
    });
    expect(await run('import { Level, area } from "./types.ts"; [Level.High, area({ w: 2 } as any), (await import("./main.mts")).result, require("./common.cts").x]'))
      .toBe('[ 5, 10, 10, 3 ]');
  });

  it('keep live bindings and cycles', async () => {
    const { run } = project({
      'live.mjs': 'export let n = 1; export const set = (value) => { n = value }',
      'a.mjs': 'import { b } from "./b.mjs"; export const a = () => b',
      'b.mjs': 'import { a } from "./a.mjs"; export const b = 5; export const viaA = () => a()',
    });
    expect(await run('import { n, set } from "./live.mjs"; set(2); n')).toBe('2');
    expect(await run('set(3); n')).toBe('3');
    expect(await run('n = 4')).toContain('TypeError: Assignment to constant variable.');
    expect(await run('import { viaA } from "./b.mjs"; viaA()')).toBe('5');
  });

  it('that are missing, or lack the name, say so at the place of the import, and nothing is set', async () => {
    const tool = makeTool({ cwd: makeFolder() });
    const missing = await js(tool, 'var before = 1;\nimport { x } from "no-such-package";');
    expect(missing.failure).toMatchObject({ kind: 'exception', line: 2, bound: [] });
    expect(missing.failure!.notReached).toContain('x');
    expect(missing.output).toContain("Cannot find package 'no-such-package'");
    const lacking = await js(tool, 'import { nope } from "node:fs"');
    expect(lacking.output).toContain("The requested module 'node:fs' does not provide an export named 'nope'");
    expect((await js(tool, 'typeof x + typeof nope + typeof before')).output).toBe("'undefinedundefinedundefined'");
  });

  it('load late, after their cell has ended', async () => {
    const { run } = project({});
    await run('var late = new Promise((r) => setTimeout(() => import("node:os").then((os) => r(typeof os.cpus)), 30)); 0');
    expect(await run('await late')).toBe("'function'");
  });

  it('follow process.chdir', async () => {
    const { run } = project({ 'sub/x.mjs': 'export const x = "sub"', 'sub/y.js': 'module.exports = "sub"' });
    expect(await run('process.chdir("sub"); [(await import("./x.mjs")).x, require("./y.js"), __dirname.endsWith("sub")]')).toBe("[ 'sub', 'sub', true ]");
  });
});
