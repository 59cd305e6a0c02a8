import { describe, expect, it } from 'vitest';
import { type CellInput, type EvalInput, type EvalResult, type EvalToolOptions } from '../index.js';
import { makeFolder, makeTool } from './support.js';

// Whole results, as a host gets them: read the snapshots. Times, paths and process ids are made equal.

const c = (language: string, code: string, more: Partial<CellInput> = {}): CellInput => ({ language, code, ...more });
const cells = (...list: CellInput[]): EvalInput => ({ cells: list });

interface Golden {
  options?: EvalToolOptions;
  /** Runs before, in the same session. */
  before?: EvalInput;
  input: EvalInput;
}

const tools = {
  add: ({ a, b }: { a: number; b: number }) => a + b,
  fail: () => {
    throw new Error('the disk is full');
  },
  hang: () => new Promise(() => {}),
};
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC';

const GOLDEN: Record<string, Golden> = {
  'a value in Python': { input: cells(c('py', '40 + 2')) },
  'a value in JavaScript': { input: cells(c('js', '({ answer: 40 + 2, list: [1, "two"] })')) },
  'no output': { input: cells(c('py', 'x = 1')) },
  'printed text, then a value': { input: cells(c('py', 'print("one")\nprint("two")\n42')) },
  'titles, languages and an empty cell among several': {
    input: cells(c('py', 'print("a")', { title: 'first' }), c('js', 'let b = 1', { title: 'second' }), c('js', 'b')),
  },
  'cell text with headers': { input: { input: '*** Cell py:"sum" t:5s\nsum(range(10))\n*** Cell js:"text"\n`${6 * 7}`\n*** End\n' } },
  'cell text that was cut off': { input: { input: '*** Cell py\n1\n*** Cell py\n2\n*** Abort\n' } },
  'text before the first header': { input: { input: 'Here is the code:\n*** Cell js\n1\n' } },
  'an exception in Python': { input: cells(c('py', 'def f(d):\n    return d["k"]\n\nprint("before")\nf({})')) },
  'an exception in JavaScript': { input: cells(c('js', 'console.log("before");\nfunction f(d) {\n  return d.k.l;\n}\nf({})')) },
  'an exception in the second of three cells': { input: cells(c('js', '1'), c('js', 'throw new RangeError("no")', { title: 'bad' }), c('js', '3')) },
  'names that were not reached': { input: cells(c('py', 'body = "first"\nint("x"); total = 2')) },
  'names that were not reached in JavaScript': { input: cells(c('js', 'let body = "first"; JSON.parse("{"); const total = 2')) },
  'a syntax error in Python': { input: cells(c('py', 'x = 1\nprint("a)')) },
  'a syntax error in JavaScript': { input: cells(c('js', 'const x = 1;\nconst y = ;')) },
  'a timeout while running code': { input: cells(c('js', 'console.log("started"); for (;;);', { timeout: 1 })) },
  'a timeout in a plain await': { input: cells(c('js', 'await new Promise(() => {})', { timeout: 1 })) },
  'a timeout while waiting for a tool': { options: { tools }, input: cells(c('py', 'tool.hang()', { timeout: 1 })) },
  'a timeout in the second of two Python cells': { input: cells(c('py', 'x = 1'), c('py', 'while True: pass', { timeout: 1 })) },
  'interactive input': { input: cells(c('py', 'name = input("name? ")')) },
  'an exit in Python': { input: cells(c('py', 'import sys\nprint("bye")\nsys.exit(3)')) },
  'an exit in JavaScript': { input: cells(c('js', 'console.log("bye"); process.exit(3)')) },
  'an exit with code 0': { input: cells(c('py', 'import sys\nsys.exit()')) },
  'a kernel that dies': { input: cells(c('py', 'import os, sys\nprint("before", flush=True)\nos.kill(os.getpid(), 9)')) },
  'the cell after a kernel died': { before: cells(c('py', 'x = 1\nimport os\nos._exit(4)')), input: cells(c('py', '"again"')) },
  'a fresh runtime': { before: cells(c('js', 'var x = 1')), input: cells(c('js', 'typeof x', { reset: true })) },
  'JSON values in both languages': {
    input: cells(c('py', '{"a": [1, 2.5, None, True], "big": 2**60}', { returns: 'json' }), c('js', '({ a: [1, 2.5, null, true] })', { returns: 'json' })),
  },
  'a value that is no JSON': { input: cells(c('js', '({ rows: [0, 1, 2, { id: NaN }] })', { returns: 'json' })) },
  'a value over the limit': { input: cells(c('py', '"x" * 40_000', { returns: 'json' })) },
  'displayed JSON': { input: cells(c('js', 'display({ a: 1 }); display([1, 2]); "end"')) },
  'displayed JSON in Python': { input: cells(c('py', 'display({"a": 1})\nprint("between")\ndisplay([1, 2])')) },
  'an image alone': { input: cells(c('js', `display({ type: 'image', data: '${PNG}', mimeType: 'image/png' })`)) },
  'a tool call and a tool that fails': {
    options: { tools },
    input: cells(c('js', 'await tool.add({ a: 1, b: 2 })'), c('py', 'tool.add(a=3, b=4)'), c('py', 'tool.fail()')),
  },
  'output that is cut': { options: { output: { maxLines: 5 } }, input: cells(c('py', 'for i in range(20): print("row", i)')) },
  'output that is cut in the middle': {
    options: { output: { maxBytes: 120, headBytes: 40 } },
    input: cells(c('js', 'for (let i = 0; i < 50; i++) console.log(`row ${i}`)')),
  },
};

function normalized(result: EvalResult, folder: string): unknown {
  const text = JSON.stringify(result, (name, value) => (name === 'durationMs' ? 0 : name === 'artifactId' ? 'ID' : value), 2)
    .replaceAll(JSON.stringify(folder).slice(1, -1), 'FOLDER')
    .replaceAll(/FOLDER\/[\w.-]+/g, 'FOLDER/ARTIFACT')
    .replaceAll(/aborted after \d+ ms/g, 'aborted after N ms');
  return JSON.parse(text);
}

describe.each(Object.entries(GOLDEN))('%s', (_title, { options, before, input }) => {
  it('has this result', async () => {
    const folder = makeFolder();
    const tool = makeTool({ ...options, artifactDir: folder });
    if (before) await tool.execute('before', before);
    expect(normalized(await tool.execute('golden', input), folder)).toMatchSnapshot();
  });
});
