import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EvalTool, type CellInput, type CellResult, type EvalResult, type EvalToolOptions } from '../index.js';

const tools: EvalTool[] = [];
const folders: string[] = [];

/** A tool that is disposed after the test. */
export function makeTool(options: EvalToolOptions = {}): EvalTool {
  const tool = new EvalTool(options);
  tools.push(tool);
  return tool;
}

/** A folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evalcell-test-'));
  folders.push(folder);
  return folder;
}

export async function disposeAll(): Promise<void> {
  await Promise.all(tools.splice(0).map((tool) => tool.dispose()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Runs cells in one call. */
export const runCells = (tool: EvalTool, cells: CellInput[], signal?: AbortSignal): Promise<EvalResult> =>
  tool.execute('test', { cells }, signal);

/** Runs one cell and returns its row. */
export async function runCell(tool: EvalTool, language: string, code: string, more: Partial<CellInput> = {}): Promise<CellResult> {
  const { details } = await runCells(tool, [{ language, code, ...more }]);
  return details.cells[0];
}

export const js = (tool: EvalTool, code: string, more: Partial<CellInput> = {}) => runCell(tool, 'js', code, more);
export const py = (tool: EvalTool, code: string, more: Partial<CellInput> = {}) => runCell(tool, 'py', code, more);

/** The text block of a result. */
export const textOf = (result: EvalResult): string => (result.content[0] as { text: string }).text;

/** The path of the Python that has the tests' packages. */
export const testPython = (): string => {
  const path = process.env.EVALCELL_TEST_PYTHON;
  if (!path) throw new Error('EVALCELL_TEST_PYTHON is not set; run the tests with `npm test`.');
  return path;
};
