import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CellResult } from '../index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = fileURLToPath(new URL('fixtures/hosts/cells.mjs', import.meta.url));
// `node scripts/bun.mjs` installs it.
const bun = `${root}.bun/node_modules/.evalcell-bun`;

async function run(...cells: (string | { code: string; timeout: number })[]): Promise<CellResult[]> {
  const rows = cells.map((cell) => (typeof cell === 'string' ? { code: cell } : cell));
  const { stdout } = await promisify(execFile)(bun, [program, JSON.stringify(rows)]);
  const lines = stdout.trim().split('\n').map((line) => JSON.parse(line));
  expect(lines.pop()).toEqual({ disposed: true });
  return lines;
}
const outputs = async (...cells: string[]) => (await run(...cells)).map((cell) => cell.output);

describe.skipIf(!existsSync(bun))('on Bun', () => {
  it('JavaScript and TypeScript cells keep their names, over awaits and from imports', async () => {
    expect(
      await outputs('const a = await tool.echo({ x: 1 }); let n = 1; enum E { A = 3 } import { sep } from "node:path"', '[a, ++n, E.A, sep]', 'class A {}; const n = 5; [typeof A, n, tool.echo.sync([1])]', 'Bun.version.length > 0'),
    ).toEqual(['', "[ { x: 1 }, 2, 3, '/' ]", "[ 'function', 5, [ 1 ] ]", 'true']);
  });

  it('everything a cell prints is captured, in order', async () => {
    expect(
      await outputs(
        'console.log("a", { b: 1 }); console.error("c"); console.info("d"); console.warn("e"); console.debug("f"); console.dir([1]); console.table([{ a: 1 }]); console.assert(false, "g"); console.group("h"); console.log("i"); console.groupEnd()',
        'process.stdout.write("a\\n"); process.stderr.write("b\\n"); fs.writeSync(1, "c\\n"); require("node:child_process").execSync("echo d", { stdio: "inherit" }); console.log("e")',
        'setTimeout(() => console.log("in a timer"), 1); await new Promise((resolve) => setTimeout(resolve, 20))',
        'const log = console.log; const write = process.stdout.write; process.stdout.write = (text) => write.call(process.stdout, `<${text.trim()}>\\n`); log("replaced"); process.stdout.write = write; 0',
      ),
    ).toEqual([
      ["a { b: 1 }", 'c', 'd', 'e', 'f', '[ 1 ]', '┌─────────┬───┐', '│ (index) │ a │', '├─────────┼───┤', '│    0    │ 1 │', '└─────────┴───┘', 'Assertion failed: g', 'h', '  i'].join('\n'),
      'a\nb\nc\nd\ne',
      'in a timer',
      '<replaced>\n0',
    ]);
  });

  it('errors show the cell’s lines and none of ours; nobody’s errors fail their cell', async () => {
    const cells = await run('\n  null.x', 'await 0;\nthrow new RangeError("behind an await")', 'Promise.reject(new Error("stray")); await new Promise(() => {})', 'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})', 'let a = ;', '"alive"');
    expect(cells.map(({ failure, state }) => [state, failure?.kind, failure?.line])).toEqual([
      ['kept', 'exception', 2],
      ['kept', 'exception', 2],
      ['kept', 'exception', 1],
      ['kept', 'exception', 1],
      ['kept', 'syntax', 1],
      ['kept', undefined, undefined],
    ]);
    for (const cell of cells) expect(cell.output).not.toContain('evalcell:');
  });

  it('a cell that waits is stopped without loss, and so is one that ends itself', async () => {
    const [, waits, , exits, after] = await run('var kept = 1', { code: 'await new Promise(() => {})', timeout: 0.2 }, 'kept', 'process.exit(3)', 'kept');
    expect(waits).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    expect(exits).toMatchObject({ state: 'kept', failure: { kind: 'exit', exitCode: 3 } });
    expect(after.output).toBe('1');
  });

  it('a cell that spins is ended with its worker, says so, and the session goes on', async () => {
    const [spins, after] = await run({ code: 'for (;;);', timeout: 0.2 }, '1 + 1');
    expect(spins).toMatchObject({ state: 'lost', failure: { kind: 'timeout' } });
    expect(after.output).toBe('2');
  });
});
