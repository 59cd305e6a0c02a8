// The writers of lossless JSON and the host's side of the tool bridge, by themselves: no kernel runs.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import util from 'node:util';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { makeFolder, testPython } from './support.js';

const source = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
const load = (name: string) => (0, eval)(readFileSync(source(name), 'utf8'));
const lossless = load('kernel/js/runtime/lossless.js')(util);
const { encode, encodeDisplay } = lossless;
const hostTools = load('face/host_tools.js')(lossless);

const refusal = (value: unknown): string => {
  try {
    return `fine: ${encode(value, 'args')}`;
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
};

/** Runs Python with `lossless` imported from its source, gives what it prints. */
function python(program: string): string {
  const folder = JSON.stringify(source('kernel/python/runtime'));
  const head = `import sys; before = set(sys.modules); sys.path.insert(0, ${folder}); sys.dont_write_bytecode = True
import lossless; lossless.exact_source = open(${folder} + '/lossless_exact.py').read()
`;
  const { stdout, stderr, status } = spawnSync(testPython(), ['-c', head + program], { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(status, stderr).toBe(0);
  return stdout;
}

/** A small seeded generator: a failure can be looked at again. */
function generator(seed: number) {
  const next = () => ((seed = (seed * 1664525 + 1013904223) >>> 0) / 2 ** 32);
  const pick = <T>(values: T[]) => values[Math.floor(next() * values.length)];
  const value = (depth: number): unknown => {
    const kind = next();
    if (depth > 0 && kind < 0.25) return Array.from({ length: next() * 4 }, () => value(depth - 1));
    if (depth > 0 && kind < 0.5) return Object.fromEntries(Array.from({ length: next() * 4 }, () => [pick(['a', 'b-c', '', 'ä', '__proto', '0', '"\\']), value(depth - 1)]));
    return pick<unknown>([null, true, false, 0, -1, next(), next() * 1e300, 5e-324, 2 ** 53, 2 ** 60, -(2 ** 70), Math.floor(next() * 2 ** 53), '', 'text', '\ud800', '\udc00x', '😀', '\u0000\u001f"\\\u2028', 'é'.repeat(5)]);
  };
  return value;
}

describe('lossless JSON in JavaScript', () => {
  it('writes what JSON.stringify writes, and all digits of large integers', () => {
    const value = generator(1);
    for (let round = 0; round < 2_000; round++) {
      const made = value(4);
      expect(JSON.parse(encode(made))).toEqual(made);
    }
    expect(encode([2 ** 53, 2 ** 60, 1e22, -(2 ** 100)])).toBe('[9007199254740992,1152921504606846976,10000000000000000000000,-1267650600228229401496703205376]');
    expect(encode({ a: undefined, b: [{}] })).toBe('{"b":[{}]}');
  });

  it('refuses everything else, with its place', () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    class Point { x = 1 }
    const cases: [unknown, string][] = [
      [NaN, 'args: NaN'], [[1, -Infinity], 'args[1]: -Infinity'], [{ a: -0 }, 'args.a: -0'], [{ 'my-key': [10n] }, 'args["my-key"][0]: a BigInt'],
      [[undefined], 'args[0]: undefined'], [[1, , 2], 'args[1]: undefined'], [undefined, 'args: undefined'], [() => 1, 'args: a function'], [{ [Symbol()]: 1 }, 'args: a member whose key is a symbol'],
      [new Date(), 'args: an instance of Date'], [{ a: new Map() }, 'args.a: an instance of Map'], [new Point(), 'args: an instance of Point'], [Buffer.from('a'), 'args: an instance of Buffer'], [new Error('x'), 'args: an instance of Error'],
      [Promise.resolve(1), 'args: a Promise'], [Object(1), 'args: an instance of Number'], [cycle, 'args[0].cycle: a cycle'], [{ größe: { $x: NaN } }, 'args.größe.$x: NaN'],
      [{ get a() { throw new Error('no') } }, 'args.a: a getter that throws (no)'], [{ toJSON: () => 1 }, 'args.toJSON: a function'],
      [new Proxy({}, { ownKeys() { throw null } }), 'args: a value that cannot be read (null)'], [new Proxy({}, { getPrototypeOf() { throw 1 } }), 'args: a value that cannot be read (1)'],
    ];
    for (const [value, expected] of cases) expect(refusal(value)).toContain(`TypeError: not lossless JSON at ${expected}`);
  });

  it('plain objects are plain whatever their realm, and without prototype', () => {
    expect(encode(vm.runInNewContext('({ a: [1, { b: null }] })'))).toBe('{"a":[1,{"b":null}]}');
    expect(encode(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(encode(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
    expect(encode(new Proxy({ a: [1] }, {}))).toBe('{"a":[1]}');
  });

  it('is not changed by prototypes that a cell has changed', () => {
    const context = vm.createContext({ util, process, Buffer });
    const fresh = vm.runInContext(readFileSync(source('kernel/js/runtime/lossless.js'), 'utf8'), context)(util);
    context.encode = fresh.encode;
    expect(vm.runInContext(`String.prototype.toJSON = () => 'x'; Array.prototype.toJSON = () => 'y'; JSON.stringify = null; encode({ a: ['b'] })`, context)).toBe('{"a":["b"]}');
    expect(vm.runInContext(`Object.prototype.extra = 1; encode({ a: 1 })`, context)).toBe('{"a":1}');
  });

  it('a value that shares parts many times is refused at once, at the place where its text becomes too long', () => {
    const shared = (levels: number, part: unknown, wrap: (part: unknown) => unknown) => {
      for (let level = 0; level < levels; level++) part = wrap(part);
      return part;
    };
    const pair = (part: unknown) => [part, part];
    const tooLong = /^TypeError: not lossless JSON at args(\[[01]\]|\.l|\.r)+: a text of more than 67108864 characters$/;
    expect(refusal(shared(30, [], pair))).toMatch(tooLong);
    expect(refusal(shared(60, { a: 'b' }, (part) => ({ l: part, r: part })))).toMatch(tooLong);
    // Large integers, depth and displays take the slower way.
    expect(refusal(shared(30, [2 ** 60], pair))).toMatch(tooLong);
    expect(refusal(shared(100_000, [], pair))).toMatch(/more than 67108864 characters$/);
    expect(() => encodeDisplay(shared(30, [new Date()], pair))).toThrow('more than 67108864 characters');
    expect(refusal(Array(1_000).fill('x'.repeat(10_000_000)))).toMatch(/args\[6\]: a text of more than/);
    expect(refusal({ rows: new Array(70_000_000) })).toMatch(/args\.rows: a text of more than/);
    // What fits is written whole, whichever way.
    const fits = shared(12, [1], pair);
    expect(encode(fits)).toBe(JSON.stringify(fits));
    const large = shared(12, [2 ** 60], pair);
    expect(encode(large)).toBe(JSON.stringify(large).replaceAll('1152921504606847000', '1152921504606846976'));
  });

  it('depth is limited only by size', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { deep };
    expect(encode(deep)).toHaveLength(50_000 * 2 + 50_000 * 9 + 1);
    expect(encodeDisplay(deep)).toHaveLength(550_001);
  });

  it('in a display nothing is refused but a cycle', () => {
    const value = { a: NaN, b: -0, c: 5n, d() {}, e: undefined, f: [undefined], g: new Date(0), h: new URL('http://x/'), i: new Map(), get j() { throw new Error('no') } };
    expect(JSON.parse(encodeDisplay(value))).toEqual({
      a: 'NaN', b: '-0', c: '5', d: '[Function: d]', f: ['undefined'], g: '1970-01-01T00:00:00.000Z', h: 'http://x/', i: 'Map(0) {}', j: '[getter throws: no]',
    });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => encodeDisplay(cycle)).toThrow('cycle');
  });
});

describe('lossless JSON in Python', () => {
  it('reads what JavaScript writes and writes it back, the same by both of its ways', () => {
    const value = generator(2);
    const lines = Array.from({ length: 2_000 }, () => encode(value(5)));
    const file = join(makeFolder(), 'lines');
    writeFileSync(file, lines.join('\n'));
    const out = python(`
exact = lossless.exact()
for line in open(${JSON.stringify(file)}, newline='\\n').read().split('\\n'):
    value = lossless.decode(line)
    assert exact['decode'](line) == value, line
    text = lossless.encode(value)
    assert exact['write'](value, '', False) == text or '\\\\u' in text, line
    assert lossless.decode(text) == value, line
    print(text)
`);
    const back = out.trimEnd().split('\n');
    expect(back.map((line) => JSON.parse(line))).toEqual(lines.map((line) => JSON.parse(line)));
  });

  it('refuses everything else, with its place', () => {
    const cases: [string, string][] = [
      ["float('nan')", 'args: NaN'], ["[1, float('-inf')]", 'args[1]: -Infinity'], ["{'a': -0.0}", 'args.a: -0'], ["{'my-key': [2**53 + 1]}", 'args["my-key"][0]: 9007199254740993 is an integer'],
      ['10**400', 'args: 1000'], ['{1: 2}', 'args: the key 1 is not a string'], ["{'a': {None: 1}}", 'args.a: the key None'], ["b'x'", 'args: an instance of bytes'], ['{1}', 'args: an instance of set'], ["{'größe': object}", 'args.größe: an instance of type'],
      ['len', 'args: a function'], ['cycle', 'args[0].cycle: a cycle'],
    ];
    const program = `
cycle = []
cycle.append({'cycle': cycle})
for value in [${cases.map(([value]) => value).join(', ')}]:
    try:
        print('fine', lossless.encode(value, 'args'))
    except (TypeError, ValueError) as error:
        print(error)
`;
    const seen = python(program).trimEnd().split('\n');
    expect(seen.map((line, index) => line.slice(0, 25 + cases[index][1].length - 4))).toEqual(cases.map(([, expected]) => `not lossless JSON at ${expected}`.slice(0, 25 + expected.length - 4)));
  });

  it('subclasses, tuples and deep values are carried; text is always valid UTF-8', () => {
    const out = python(`
from collections import OrderedDict, namedtuple
from enum import IntEnum
class Color(IntEnum):
    RED = 3
class Text(str):
    pass
deep = 1
for i in range(20_000):
    deep = [deep] if i % 2 else {'d': deep}
text = lossless.encode(deep)
back = lossless.decode(text)
assert lossless.encode(back) == text and len(text) == 80_001, len(text)
print(lossless.encode([OrderedDict(a=1), namedtuple('P', 'x y')(1, 2.5), Color.RED, Text('t'), True]))
print(lossless.encode('é\\ud800').encode() and 'utf-8')
`);
    expect(out).toBe('[{"a":1},[1,2.5],3,"t",true]\nutf-8\n');
  });

  it('a value that shares parts many times is refused at once, at the place where its text becomes too long', () => {
    const out = python(`
def shared(levels, part, wrap=lambda part: [part, part]):
    for _ in range(levels):
        part = wrap(part)
    return part
def refusal(value, encode=lambda value: lossless.encode(value, 'args')):
    try:
        return len(encode(value))
    except ValueError as error:
        return error
print(refusal(shared(30, [])))
print(refusal(shared(60, {'a': 'b'}, lambda part: {'l': part, 'r': part})))
print(refusal(shared(30, [2**60])))
print(refusal(shared(100_000, [])))
print(refusal(shared(30, [object()]), lossless.encode_display))
print(refusal(['x' * 10_000_000] * 1_000))
class Fresh(list):
    def __iter__(self):
        return iter([[number] for number in range(3)])
import json
fits = shared(16, [1])
assert lossless.encode(fits) == json.dumps(fits, separators=(',', ':'))
large = shared(12, [2**60])
assert lossless.encode(large) == json.dumps(large, separators=(',', ':'))
print(lossless.encode(Fresh()))
`);
    const tooLong = 'a text of more than 67108864 characters';
    const lines = out.trimEnd().split('\n');
    for (const line of lines.slice(0, 3)) expect(line).toMatch(new RegExp(`^not lossless JSON at args(\\[[01]\\]|\\.l|\\.r)+: ${tooLong}$`));
    for (const line of lines.slice(3, 6)) expect(line).toContain(tooLong);
    expect(lines[5]).toContain('args[6]');
    expect(lines[6]).toBe('[[0],[1],[2]]');
  });

  it('in a display such values become their exact text, the same as in JavaScript', () => {
    const out = python(`
import math
print(lossless.encode_display({'a': math.nan, 'b': [math.inf, -math.inf, -0.0], 'big': 2**70, 'i': 2**53 + 1, 1: {1}, None: b'x', 'h': len(lossless.decode(lossless.encode_display(10**6000)))}))
`);
    expect(JSON.parse(out)).toEqual({ a: 'NaN', b: ['Infinity', '-Infinity', '-0'], big: 2 ** 70, i: '9007199254740993', 1: '{1}', null: "b'x'", h: expect.any(Number) });
  });

  it('costs no imports at start', () => {
    expect(python(`print(sorted(set(sys.modules) - before - {'__future__'}))`)).toBe("['_json', 'lossless']\n");
  });
});

describe('the host side of the tool bridge', () => {
  it('answers whatever the host does, and never rejects', async () => {
    const never = new Promise(() => {});
    const bridge = hostTools({
      tools: {
        ok: () => 1,
        hostile: { execute() { throw { get message() { throw 1 } } } },
        content: { execute: () => ({ content: [null] }) },
        block: { execute: () => ({ content: [{ type: 'text', get text() { throw new Error('text') } }] }) },
        empty() { throw new RangeError() },
        never: () => never,
      },
    });
    const ask = (name: string, json = '{}', cancellation = hostTools.createCancellation()) => bridge.call(name, json, { cancellation });
    expect(await ask('ok')).toEqual({ ok: true, json: '1' });
    expect(await ask('hostile')).toMatchObject({ ok: false });
    expect(await ask('content')).toEqual({ ok: true, json: '{"content":[null]}' });
    expect(await ask('block')).toEqual({ ok: false, message: 'text' });
    expect(await ask('empty')).toEqual({ ok: false, message: 'RangeError' });
    expect(await ask('ok', '{')).toMatchObject({ ok: false });
    for (const name of ['toString', '__proto__', 'constructor', 'hasOwnProperty', '']) expect((await ask(name)).message).toContain('available: block, content');
    const cancellation = hostTools.createCancellation();
    const pending = ask('never', '{}', cancellation);
    cancellation.cancel(new Error('enough'));
    expect(await pending).toEqual({ ok: false, message: 'tool `never` was cancelled' });
    expect(await ask('ok', '{}', cancellation)).toEqual({ ok: false, message: 'tool `ok` was cancelled' });
  });

  it('the signal of a call is made when a tool looks at it, and is aborted with the reason, before or after that', async () => {
    const seen: AbortSignal[] = [];
    let look: () => AbortSignal;
    const bridge = hostTools({
      tools: {
        looks: (_args: unknown, { signal }: { signal: AbortSignal }) => { seen.push(signal); return new Promise(() => {}); },
        keeps: (_args: unknown, context: { signal: AbortSignal }) => { look = () => context.signal; return new Promise(() => {}); },
      },
    });
    const reason = new Error('enough');
    for (const name of ['looks', 'keeps']) {
      const cancellation = hostTools.createCancellation();
      const pending = bridge.call(name, '{}', { cancellation });
      cancellation.cancel(reason);
      expect(await pending).toMatchObject({ ok: false });
    }
    for (const signal of [seen[0]!, look!()]) {
      expect(signal).toBeInstanceOf(AbortSignal);
      expect([signal.aborted, signal.reason]).toEqual([true, reason]);
    }
    expect(look!()).toBe(look!());
  });

  it('a record that cannot be read is a record without tools', async () => {
    const trap = new Proxy({}, { ownKeys() { throw new Error('trap') } });
    const bridge = hostTools({ tools: trap });
    expect(bridge.names()).toEqual([]);
    expect(await bridge.call('x', '{}', { cancellation: hostTools.createCancellation() })).toMatchObject({ ok: false });
    const getter = hostTools({ tools: { get bad() { throw new Error('no') }, good: () => 1, data: 5 } });
    expect(getter.names()).toEqual(['good']);
    expect(await getter.call('bad', '{}', { cancellation: hostTools.createCancellation() })).toMatchObject({ ok: false });
  });
});
