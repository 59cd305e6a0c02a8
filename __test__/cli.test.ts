import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from './support.js';

const BIN = join(__dirname, '..', 'bin', 'evalcell.js');
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function evalcell(args: string[], { input = '', cwd = makeFolder(), env = {} }: { input?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { input, cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
  return { status, stdout, stderr, cwd };
}

function file(name: string, text: string) {
  const cwd = makeFolder();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const NOTEBOOK = '*** Cell py:"load" t:10s\nx = 2\nprint("from python")\n*** Cell js:"show"\n40 + 2\n*** End\n';

describe('evalcell run', () => {
  it('prints like a notebook: title, status, output; plain text in a pipe', () => {
    const { status, stdout, stderr } = evalcell(['run', 'a.cells'], { cwd: file('a.cells', NOTEBOOK) });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/load[\s\S]*from python[\s\S]*show[\s\S]*42/);
    expect(stdout).toMatch(/\d ?m?s/);
    expect(stdout).not.toContain('\u001b');
  });

  it('has no colours with NO_COLOR, whatever the terminal says', () => {
    const { stdout } = evalcell(['run', '-'], { input: NOTEBOOK, env: { NO_COLOR: '1', TERM: 'xterm-256color' } });
    expect(stdout).not.toContain('\u001b');
  });

  it('--json prints the result object and nothing else', () => {
    const { status, stdout } = evalcell(['run', '--json', '-'], { input: NOTEBOOK });
    expect(status).toBe(0);
    const { details } = JSON.parse(stdout);
    expect(details.cells.map((cell: { title: string; status: string }) => [cell.title, cell.status])).toEqual([['load', 'complete'], ['show', 'complete']]);
  });

  it.each([
    ['a.py', 'a: int = 20\nprint(a + 1)', '21'],
    ['a.js', 'const a = 20; a + 1', '21'],
    ['a.ts', 'const a: number = 20; a + 1', '21'],
  ])('runs %s as one cell', (name, text, output) => {
    const { status, stdout } = evalcell(['run', name], { cwd: file(name, text) });
    expect(status).toBe(0);
    expect(stdout).toContain(output);
    expect(stdout).toContain(name);
  });

  it('ends with 1 when a cell failed, and shows what it printed before', () => {
    const { status, stdout } = evalcell(['run', '-'], { input: '*** Cell py\nprint("before")\n1/0\n*** Cell js\n"never"\n' });
    expect(status).toBe(1);
    expect(stdout).toMatch(/before[\s\S]*ZeroDivisionError/);
    expect(stdout).not.toContain('never');
  });

  it.each([
    [['run'], 'name one file'],
    [['run', 'a', 'b'], 'name one file'],
    [['run', 'none.cells'], 'none.cells cannot be read'],
    [['run', '--nope', '-'], '--nope'],
    [['run', '--timeout', 'soon', '-'], '--timeout must be a number of seconds'],
    [['run', '--tools', 'none.mjs', '-'], '--tools none.mjs cannot be loaded'],
    [['run', '--cwd', '/nowhere', '-'], '/nowhere'],
    [['repl', '--language', 'ruby'], '--language must be py or js'],
    [['doctor', 'x'], 'there is no `x`'],
    [['nope'], 'there is no command `nope`'],
  ])('ends with 2 for bad usage, in one sentence without a stack: %j', (args, message) => {
    const { status, stdout, stderr } = evalcell(args, { input: '*** Cell js\n1\n' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('ends with 2 for cell text that cannot be read, naming line and token', () => {
    const { status, stderr } = evalcell(['run', '-'], { input: '*** Cell py t:forever\n1\n' });
    expect(status).toBe(2);
    expect(stderr).toContain('line 1: invalid duration `forever`');
  });

  it('saves displayed images and names them', () => {
    const { status, stdout, cwd } = evalcell(['run', '-'], { input: `*** Cell js\ndisplay({ type: 'image', mimeType: 'image/png', data: '${PNG}' })\n` });
    expect(status).toBe(0);
    const path = join(cwd, 'evalcell-1.png');
    expect(stdout).toContain(`image 1: ${path}`);
    expect(existsSync(path) && readFileSync(path).toString('base64')).toBe(PNG);
  });

  it('gives cells the functions of a module', () => {
    const cwd = file('tools.mjs', 'export const double = ({ n }) => n * 2;');
    const { stdout } = evalcell(['run', '--tools', 'tools.mjs', '-'], { cwd, input: '*** Cell js\nawait tool.double({ n: 21 })\n' });
    expect(stdout).toContain('42');
  });

  it.each(['run', 'repl', 'evals', 'doctor'])('%s --help shows its options and ends with 0', (command) => {
    const { status, stdout } = evalcell([command, '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain(`Usage: evalcell ${command}`);
  });
});

describe('evalcell repl', () => {
  it('reads cells from a pipe, one a line, and prints their text alone', () => {
    const input = 'x = 20\nx + 1\n.js\nconst y = 2\ny * 4\nfor (const i of [1, 2]) \\\n  print(i)\n.py\n.vars\n1/0\nx\n';
    const { status, stdout } = evalcell(['repl', '--language', 'py'], { input });
    expect(status).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual(['21', '8', '1', '2']);
    expect(stdout).toMatch(/^x: int = 20$/m);
    expect(stdout).toMatch(/ZeroDivisionError[\s\S]*20/);
  });

  it('.exit leaves, and a line that goes on at the end of the input still runs', () => {
    expect(evalcell(['repl', '--language', 'js'], { input: '1 + 1\n.exit\n"never"\n' }).stdout).toBe('2\n');
    expect(evalcell(['repl', '--language', 'js'], { input: '20 + \\\n  3\\' }).stdout).toBe('23\n');
  });
});

describe('evalcell doctor', () => {
  it('says which Python was found and why, versions, and that nothing would fail', () => {
    const { status, stdout } = evalcell(['doctor']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^evalcell {3}\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^node +v\d+/m);
    expect(stdout).toMatch(/^python +\/\S+ \(.+\)$/m);
    expect(stdout).toMatch(/version 3\.\d+\.\d+/);
    expect(stdout).toContain('Nothing would fail.');
  });

  it('says what was tried and what would fail, and ends with 1', () => {
    const { status, stdout } = evalcell(['doctor', '--json', '--python', '/nowhere/python3']);
    expect(status).toBe(1);
    const { python, warnings } = JSON.parse(stdout);
    expect(python).toEqual({ enabled: true, tried: [{ path: '/nowhere/python3', why: 'not found' }] });
    expect(warnings).toEqual([expect.stringContaining('no Python 3 was found')]);
  });
});
