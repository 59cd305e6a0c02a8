// What tools are given and give back: values that are hard to carry, in both directions and both languages.
import { describe, expect, it } from 'vitest';
import { js, makeTool, py } from './support.js';

const DEPTH = 100_000;

/** Nested arrays, made and measured without recursion. */
const nested = (depth: number) => {
  let value: unknown[] = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
};
const depthOf = (value: unknown) => {
  let depth = 0;
  for (let at = value; Array.isArray(at); at = at[0]) depth += 1;
  return depth;
};
const shared = (levels: number) => {
  let value: unknown = [];
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
};

const tools = {
  shared: () => shared(30),
  depth: ({ value }: { value: unknown }) => depthOf(value),
  nested: () => nested(DEPTH),
  seen: (args: unknown) => JSON.stringify(args),
};

const MAKE = {
  js: { run: js, nested: 'let value = []; for (let i = 1; i < 100000; i++) value = [value];', shared: 'let value = []; for (let i = 0; i < 30; i++) value = [value, value];' },
  py: { run: py, nested: 'value = []\nfor _ in range(99999): value = [value]\n', shared: 'value = []\nfor _ in range(30): value = [value, value]\n' },
};

describe.each(Object.entries(MAKE))('values of tool calls (%s)', (language, make) => {
  const call = (name: string, argument = '') => (language === 'js' ? `await tool.${name}({ ${argument} })` : `tool.${name}({${argument && '"value": value'}})`);
  const caught = (code: string) =>
    language === 'js' ? `try { ${code} } catch (error) { console.log(error.message) }` : `try:\n    ${code}\nexcept Exception as error:\n    print(error)`;

  it('that share parts many times are refused with their place, in both directions', async () => {
    const tool = makeTool({ tools });
    const given = await make.run(tool, caught(call('shared')));
    expect(given.output).toMatch(/not lossless JSON at result(\[[01]\])+: a text of more than 67108864 characters/);
    const taken = await make.run(tool, `${make.shared}\n${caught(call('depth', 'value'))}`);
    expect(taken.output).toMatch(/not lossless JSON at args\.value(\[[01]\])+: a text of more than 67108864 characters/);
  });

  it('may be 100 000 levels deep, in both directions, and when they are displayed or returned', async () => {
    const tool = makeTool({ tools, output: { maxValueBytes: 1_000_000 } });
    const taken = await make.run(tool, `${make.nested}\n${call('depth', 'value')}`);
    expect(taken.output).toBe(String(DEPTH));
    const measure = language === 'js' ? 'let depth = 0; for (let at = back; at; at = at[0]) depth++; depth' : 'depth = 0\nwhile True:\n    depth += 1\n    if not back: break\n    back = back[0]\ndepth';
    const given = await make.run(tool, `${language === 'js' ? 'const ' : ''}back = ${call('nested')}\n${measure}`);
    expect(given.output).toBe(String(DEPTH));
    const { details } = await tool.execute('id', { cells: [{ language, code: `${make.nested}\ndisplay(value)` }, { language, code: 'value', returns: 'json' }] }, undefined, () => {});
    expect(details.cells.map((cell) => cell.status)).toEqual(['complete', 'complete']);
    expect(depthOf(details.jsonOutputs![0])).toBe(DEPTH);
    expect(depthOf(details.cells[1].value)).toBe(DEPTH);
  });
});

describe('a kernel that sends what is not lossless JSON', () => {
  it('is refused before the host sees it', async () => {
    const tool = makeTool({ tools });
    const forge = (args: string) => `
import sys
bridge = sys.modules['_evalcell'].bridge
try:
    print(bridge.call_blocking('seen', ${JSON.stringify(args)}))
except Exception as error:
    print(error)`;
    expect((await py(tool, forge('{"a": [1e400]}'))).output).toContain('not lossless JSON at args.a[0]');
    expect((await py(tool, forge('{"a": 9007199254740993}'))).output).toContain('not lossless JSON at args.a');
    expect((await py(tool, forge('{"a": 1}'))).output).toBe('{"a":1}');
  });
});
