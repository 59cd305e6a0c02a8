import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { js, makeFolder, makeTool } from './support.js';

// What people and models write: cells in order, and what the last one shows.
const PROGRAMS: [title: string, cells: string[], shows: string][] = [
  ['enums with computed members', ["enum E { Red, Green = 'g'.length + 5, Blue = Red | 4 }\n[E.Red, E.Green, E.Blue, E[6]]"], "[ 0, 6, 4, 'Green' ]"],
  ['an enum that is declared anew', ['enum E { A }', 'enum E { B = 5 }\nObject.keys(E)'], "[ '5', 'B' ]"],
  ['namespaces that merge', ['namespace N { export const a = 1 }\nnamespace N { export const b = N.a + 1 }\nnamespace A.B { export let c = N.b }\n[N.a, A.B.c]'], '[ 1, 2 ]'],
  ['parameter properties', ['class K { constructor(private x: number, readonly y = 2) {} sum() { return this.x + this.y } }\nnew K(1).sum()'], '3'],
  ['exports of every form', ["export const a = 1; export default function f() { return 2 }\nexport { a as b }; export * from 'node:path'\n[a, f()]"], '[ 1, 2 ]'],
  ['a default export as the value', ['export default { a: 1 }'], '{ a: 1 }'],
  ['a top-level return in a block', ['if (true) { return { a: 1 } }\n2'], '{ a: 1 }'],
  ['labelled loops', ['let n = 0; outer: for (let i = 0; i < 3; i++) { for (;;) { if (i === 1) break outer; n++; continue outer } }\nn'], '1'],
  ['await in patterns, templates, computed keys and heads', ["const { a = await 5, ...rest } = { b: await 6 };\nswitch (await 1) { case await 1: for (const x of await Promise.resolve([1])) var k = { [await 'k']: `${await x}` } }\n[a, rest, k]"], "[ 5, { b: 6 }, { k: '1' } ]"],
  ['for await over pairs, with break and continue', ["const seen = []; lbl: for await (const [k, { v }] of [['a', { v: 1 }], Promise.resolve(['b', { v: 2 }]), ['c', { v: 3 }]]) { if (k === 'a') continue; for (;;) { seen.push(k, v); break lbl } }\nseen"], "[ 'b', 2 ]"],
  ['a variable of the platform that becomes one’s own', ["const fetch = async () => 'mine'; let name = 'n', top = 't', self = 1, status = 2;", '[await fetch(), name, top, self, status]'], "[ 'mine', 'n', 't', 1, 2 ]"],
  ['a console of one’s own', ["const console = { log: (text) => globalThis.console.log('mine', text) }", "console.log('x')"], 'mine x'],
  ['a variable called process', ['const process = 5', 'process'], '5'],
  ['variables called Object, Promise and Array', ['const Object = 1, Promise = 2; let Array = class {}; [1].map((x) => x)', 'await 5; [Object, Promise]'], '[ 1, 2 ]'],
  ['words that are only sometimes keywords', ['let async = 1, of = 2, get = 3, as = 4, type = 5; var yield = 6, await = 7; [async, of, get, as, type, yield, await]'], '[\n  1, 2, 3, 4,\n  5, 6, 7\n]'],
  ['a generator that is kept', ['function* count() { let i = 0; while (true) yield i++ }\nconst it = count(); it.next()', '[it.next().value, it.next().value]'], '[ 1, 2 ]'],
  ['a class with private names that is declared again', ['class P { #x = 1; get x() { return this.#x } static has(o) { return #x in o } }\nconst p = new P()', 'class P { #x = 2; get x() { return this.#x } static has(o) { return #x in o } }\n[P.has(p), p.x, new P().x]'], '[ false, 1, 2 ]'],
  ['a closure and a variable that is declared again', ['let n = 0; const add = () => ++n; add()', 'let n = 5; [n, add(), n]'], '[ 5, 6, 6 ]'],
  ['debugger, a hashbang and a directive', ["#!/usr/bin/env node\n'use strict'\ndebugger\n(function () { return this })() === undefined"], 'true'],
  ['unicode escapes in names', ['const \\u0061bc = 1; var caf\\u{e9} = 2;\n[abc, café]'], '[ 1, 2 ]'],
  ['HTML-like comments', ['x = 1 <!-- one\n--> two\nx'], '1'],
  ['CRLF, a BOM and a lone CR', ['\ufeffconst a = 1;\r\nconst b = 2;\rnew Error().stack.match(/:\\d+:\\d+/)[0] + a + b'], "':3:112'"],
  ['sixty thousand numbers on one line', [`[${Array.from({ length: 60_000 }, (_, i) => i).join(',')}].length`], '60000'],
  ['five thousand declarations', [Array.from({ length: 5000 }, (_, i) => `const v${i} = ${i};`).join('\n'), 'v0 + v4999'], '4999'],
  ['code in strings', ["eval('var e = 1; require(\"node:path\").sep') + e + (0, eval)('typeof fs') + new Function('return typeof require')()"], "'/1objectfunction'"],
  ['destructuring without a declaration', ['x = 1; y = 2;\n[x, y] = [y, x]; ({ a: z = 3 } = {});\n[x, y, z]'], '[ 2, 1, 3 ]'],
  ['a with block', ['with ({ wx: 5 }) { var wv = wx }\nwv'], '5'],
  ['a regular expression of sets, a tagged template, a big number', ['[/[\\p{L}--[a-z]]/v.flags, String.raw`\\u{zz}`, 2n ** 64n]'], "[ 'v', '\\\\u{zz}', 18446744073709551616n ]"],
  ['super in a class whose base is declared anew', ["class B { hi() { return 'old' } } class D extends B { hi() { return super.hi() } }", "class B { hi() { return 'new' } }\nnew D().hi()"], "'old'"],
  ['functions as text, with names that the platform has', ['const fetch = () => 1; function f() { return fetch() }\nString(f)'], "'function f() { return fetch() }'"],
  ['standard input that has ended, in a later cell', ["for await (const chunk of process.stdin);", "await new Promise((resolve) => process.stdin.on('end', resolve).resume()); 'ended'"], "'ended'"],
  ['rejections that are handled later in the cell', ["const p = Promise.reject(new Error('x')); await p.catch((error) => error.message)"], "'x'"],
  ['built-ins that are replaced', ["Array.prototype.map = () => 'hacked'; Promise.prototype.then = () => 'broken'; JSON.stringify = () => 'x'; Object.prototype.polluted = 1; 0", 'const later = 1; 1 + later'], '2'],
  ['a global process that is gone', ['globalThis.process = undefined; globalThis.console = undefined; 0', 'await 4'], '4'],
];

describe('programs as people write them', () => {
  it.each(PROGRAMS)('%s', async (_title, cells, shows) => {
    const tool = makeTool();
    let last;
    for (const code of cells) last = await js(tool, code);
    expect(last!.output).toBe(shows);
  });

  it('what cannot be is refused with its place', async () => {
    const tool = makeTool();
    for (const [code, message, line, column] of [
      ['const a = 1\n@dec class D {}', 'Decorators are not supported', 2, 1],
      ['const el = <div>hi</div>', 'JSX is not supported', 1, 12],
      ['const undefined = 1', 'already been declared', 1, 7],
      ['let a = 1\nlet a = 2', 'already been declared', 2, 5],
      ['“hello”', 'Invalid', 1, 1],
      [`${'x = 1; '.repeat(20_000)}let = = 5`, 'Unexpected token', 1, 140_007],
      ['['.repeat(200_000), 'nested too deeply', 1, 1],
    ] as const) {
      const { failure } = await js(tool, code);
      expect(failure).toMatchObject({ kind: 'syntax', line, column, bound: [], message: expect.stringContaining(message) });
    }
  });

  it('what this Node does not know yet is refused in the cell’s own words', async () => {
    const tool = makeTool();
    const cell = await js(tool, 'await 0;\nfunction f() { using r = null; return 1 }\nf()');
    // Node 24 knows it.
    if (cell.status === 'complete') return expect(cell.output).toBe('1');
    expect(cell.failure).toMatchObject({ kind: 'syntax', line: 2, column: 22 });
    expect(cell.output).toMatch(/^cell-1:2\nfunction f\(\) \{ using r = null; return 1 \}\n {21}\^\n\nSyntaxError: .*this version of Node does not know `using`/);
  });

  it('a name that somebody nailed to the global object cannot be declared, and nothing has run', async () => {
    const tool = makeTool();
    await js(tool, "Object.defineProperty(globalThis, 'nailed', { value: 1 })");
    expect((await js(tool, 'var ran = 1; const nailed = 2')).failure).toMatchObject({ name: 'SyntaxError', notReached: ['ran', 'nailed'] });
    expect((await js(tool, 'nailed')).output).toBe('1');
  });

  it('frames of ours stay out also where somebody else writes stacks', async () => {
    const tool = makeTool();
    const cell = await js(tool, 'delete Error.prepareStackTrace;\nawait 0; throw Object.assign(new Error("mine"), { code: "C" })');
    expect(cell.output).toBe("Error: mine\n    at cell-1:2:30 {\n  code: 'C'\n}");
  });
});

describe('modules as people write them', () => {
  const project = (files: Record<string, string>) => {
    const cwd = makeFolder();
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    };
    for (const [name, text] of Object.entries(files)) put(name, text);
    return { tool: makeTool({ cwd }), put };
  };

  it('packages of ES modules only, and of CommonJS that says it is an ES module', async () => {
    const { tool } = project({
      'node_modules/esm-only/package.json': '{"name":"esm-only","type":"module","exports":{".":{"import":"./index.js"}}}',
      'node_modules/esm-only/index.js': 'export const v = 1; export default class D {}',
      'node_modules/old/index.js': 'exports.a = 1; exports.default = 2; Object.defineProperty(exports, "__esModule", { value: true })',
    });
    expect((await js(tool, 'import D, { v } from "esm-only"; import old, { a } from "old"; [D.name, v, old.default, a]')).output).toBe("[ 'D', 1, 2, 1 ]");
    expect((await js(tool, 'require("esm-only")')).failure).toMatchObject({ kind: 'exception', line: 1 });
  });

  it('cycles, fresh where something in them changed', async () => {
    const { tool, put } = project({
      'a.cjs': 'exports.early = 1; exports.b = require("./b.cjs").v',
      'b.cjs': 'exports.v = require("./a.cjs").early + 1',
      'x.mjs': 'import { y } from "./y.mjs"; export function x() { return y }',
      'y.mjs': 'import { x } from "./x.mjs"; export const y = typeof x',
      'mixed.mjs': 'import { createRequire } from "node:module"; export const b = createRequire(import.meta.url)("./a.cjs").b',
    });
    const look = 'import { x } from "./x.mjs"; import { b } from "./mixed.mjs"; [require("./a.cjs").b, x(), b]';
    expect((await js(tool, look)).output).toBe("[ 2, 'function', 2 ]");
    put('b.cjs', 'exports.v = require("./a.cjs").early + 100');
    put('y.mjs', 'import { x } from "./x.mjs"; export const y = "changed"');
    expect((await js(tool, look)).output).toBe("[ 101, 'changed', 101 ]");
  });

  it('errors name files as they are called on disk, with the hint that Node has', async () => {
    const { tool, put } = project({ 'm.mjs': 'export default 1', 'lib/index.js': '' });
    await js(tool, 'import "./m.mjs"');
    put('m.mjs', '\nthrow new Error("in a changed file")');
    expect((await js(tool, 'import "./m.mjs"')).output).toMatch(/^Error: in a changed file\n    at file:.*\/m\.mjs:2:7\n/);
    const hinted = await js(tool, 'import "./lib"');
    expect(hinted.output).toMatch(/\[cell\]\nDid you mean to import ".*lib\/index\.js"\?\n    at cell-3:1:1/);
  });
});
