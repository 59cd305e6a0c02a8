import { chmodSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, runCells, textOf } from './support.js';

const LINES = 200_000;
const lines = (last: number) => Array.from({ length: last }, (_, i) => `${i}\n`).join('');
const PRINTS = {
  py: `for i in range(${LINES}): print(i)`,
  js: `for (let i = 0; i < ${LINES}; i++) console.log(i)`,
};

describe.each(Object.entries(PRINTS))('200 000 printed lines (%s)', (language, code) => {
  it('show their end and are whole in the artifact', async () => {
    const folder = makeFolder();
    const result = await runCells(makeTool({ artifactDir: folder }), [{ language, code }]);
    const { truncation } = result.details.meta!;
    expect(truncation).toMatchObject({ direction: 'tail', totalLines: LINES, totalBytes: lines(LINES).length });
    expect(readFileSync(truncation!.artifactPath, 'utf8')).toBe(lines(LINES));
    expect(statSync(truncation!.artifactPath).mode & 0o777).toBe(0o600);
    expect(textOf(result)).toContain(`${LINES - 1}\n`);
    expect(textOf(result)).toContain(truncation!.artifactPath);
    expect(Buffer.byteLength(textOf(result))).toBeLessThan(60_000);
  });

  it('are whole in the artifact also when a deadline cuts the cell off', async () => {
    const endless = language === 'py' ? 'i = 0\nwhile True:\n    print(i); i += 1' : 'for (let i = 0; ; i++) console.log(i)';
    const result = await runCells(makeTool({ artifactDir: makeFolder() }), [{ language, code: endless, timeout: 1 }]);
    expect(result.details.cells[0]).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    const { truncation } = result.details.meta!;
    const stream = readFileSync(truncation!.artifactPath, 'utf8');
    expect(stream.length).toBe(truncation!.totalBytes);
    const whole = stream.slice(0, stream.lastIndexOf('\n') + 1);
    expect(whole).toBe(lines(whole.split('\n').length - 1));
    expect(result.details.cells[0].output).toContain(whole.trimEnd().split('\n').at(-1));
  });
});

describe('artifacts', () => {
  const cut = { output: { maxLines: 3 } };
  const cells = [{ language: 'js', code: 'for (let i = 0; i < 9; i++) console.log(i)' }];

  it('are made only when something is hidden', async () => {
    const folder = makeFolder();
    const tool = makeTool({ artifactDir: folder });
    const result = await runCells(tool, cells);
    expect(result.details.meta?.truncation).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('go where the host says with allocateArtifact', async () => {
    const path = join(makeFolder(), 'mine.txt');
    const kinds: string[] = [];
    const tool = makeTool({ ...cut, allocateArtifact: async (kind) => (kinds.push(kind), { id: 'art-1', path }) });
    const result = await runCells(tool, cells);
    expect(kinds).toEqual(['output']);
    expect(result.details.meta!.truncation).toMatchObject({ artifactId: 'art-1', artifactPath: path });
    expect(readFileSync(path, 'utf8')).toBe(lines(9));
  });

  it('stay in a temporary file, with a notice, when the host gives no place', async () => {
    for (const allocateArtifact of [() => { throw new Error('quota'); }, async () => ({}) as never]) {
      const result = await runCells(makeTool({ ...cut, allocateArtifact }), cells);
      const { truncation } = result.details.meta!;
      expect(readFileSync(truncation!.artifactPath, 'utf8')).toBe(lines(9));
      expect(result.details.notice).toMatch(/quota|two strings/);
      expect(result.details.isError).toBeUndefined();
    }
  });

  it('never fail the call when the folder cannot be written', async () => {
    const folder = makeFolder();
    const file = join(folder, 'file');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, '');
    chmodSync(folder, 0o700);
    // A folder below a file can be made by nobody, not even by root.
    const result = await runCells(makeTool({ ...cut, artifactDir: join(file, 'below') }), cells);
    expect(result.details.cells[0].status).toBe('complete');
    expect(result.details.notice).toContain('could not be saved');
  });
});

describe('one call', () => {
  it('has one artifact for all its cells', async () => {
    const folder = makeFolder();
    const code = 'for (let i = 0; i < 3000; i++) console.log("x".repeat(30))';
    const result = await runCells(makeTool({ artifactDir: folder }), [
      { language: 'js', code },
      { language: 'js', code },
    ]);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(result.details.meta!.truncation!.totalLines).toBe(6_000);
  });
});
