import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder, makeTool, runCells, textOf } from './support.js';

const FILES = {
  'broken.mjs': 'export const fine = 1;\nexport const broken = ;\n',
  'broken.cjs': 'let fine = 1;\nlet broken = ;\n',
  'broken.ts': 'let fine: number = 1;\nlet broken: = ;\n',
  'throws.mjs': 'export const fine = 1;\n\nnull.x;\n',
  'exports.mjs': 'export const a = 1;\n',
};

const THROWN = [
  "fs.readFileSync('nope')",
  "await fs.promises.readFile('nope')",
  "throw new Error('outer', { cause: new TypeError('why') })",
  "throw new Error('outer', { cause: { reason: 'text' } })",
  "throw new AggregateError([new Error('one'), new TypeError('two')], 'many')",
  "await Promise.any([Promise.reject(new Error('a')), Promise.reject(new Error('b'))])",
  "throw Object.assign(new Error('own fields'), { code: 'E_MINE', details: { list: [1, 2] } })",
  "class HttpError extends Error { constructor(status) { super('bad'); this.status = status } }\nthrow new HttpError(404)",
  "class Named extends Error { name = 'Named' }\nthrow new Named('with a name')",
  "class Stackless extends Error { constructor(text) { super(text); delete this.stack } }\nthrow new Stackless('no stack')",
  "const cyclic = new Error('cyclic'); cyclic.self = cyclic; throw cyclic",
  "throw new Error('several\\nlines')",
  'throw new Error',
  "throw { message: 'looks like one' }",
  "throw [new Error('in an array')]",
  "Buffer.alloc('x')",
  'structuredClone(() => 1)',
  "new URL('nope')",
  "eval('null.x')",
  "const name = 'no-such-package';\nawait import(name)",
  "\nimport missing from './missing.mjs'",
  "import { b } from './exports.mjs'",
  "import { broken } from './broken.mjs'",
  "require('./broken.cjs')",
  "import './broken.ts'",
  "\n\nawait import('./throws.mjs')",
  'const load = async (path) => import(path);\nawait load("./nope.js")',
  "await tool.unknown({})",
  "Promise.reject(Object.assign(new Error('nobody handles it'), { code: 'X' })); await new Promise(() => {})",
];

// Which functions of Node are in between, and where they stand, is each version's own.
const tidy = (text: string, folder: string) =>
  text.replaceAll(folder, '<folder>').replace(/\n +at [^\n]*node:[^\n{]*(?=\n)/g, '').replace(/\bpid: \d+/g, 'pid: <pid>');

it.each(THROWN)('a person reads this of %s', async (code) => {
  const cwd = makeFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const tool = makeTool({ cwd, tools: { known: () => 1 } });
  expect(`\n${tidy(textOf(await runCells(tool, [{ language: 'js', code }])), cwd)}\n`).toMatchSnapshot();
});

it('an error that the loader throws again names the cell that asked last', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'throws.mjs'), FILES['throws.mjs']);
  const tool = makeTool({ cwd });
  const { details } = await runCells(tool, [{ language: 'js', code: 'await import("./throws.mjs").catch(() => 0)' }]);
  expect(details.cells[0].output).toBe('0');
  const again = await runCells(tool, [{ language: 'js', code: '\nawait import("./throws.mjs")' }]);
  expect(again.details.cells[0].failure).toMatchObject({ line: 2, column: 7 });
  expect(again.details.cells[0].output).not.toContain('cell-1');
});

it('what a failed synchronous child wrote to its stderr is shown, and its error has it', async () => {
  const tool = makeTool();
  const code = `try { require('node:child_process').execSync('echo out; echo oops >&2; exit 3') } catch (error) { console.log([error.status, String(error.stdout), String(error.stderr)]) }`;
  const { details } = await runCells(tool, [{ language: 'js', code }]);
  expect(details.cells[0].output).toBe("oops\n[ 3, 'out\\n', 'oops\\n' ]");
});
