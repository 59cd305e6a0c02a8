import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { js, makeFolder, makeTool, runCells } from './support.js';

describe('the process of a JavaScript cell', () => {
  it('captures every way to print, in order, and nothing reaches the host', async () => {
    const tool = makeTool({ cwd: makeFolder() });
    const cell = await js(
      tool,
      `process.stdout.write('no newline'); process.stderr.write(' err\\n'); console.table([{ a: 1 }]);
       fs.writeSync(1, 'one\\n'); fs.writeSync(2, Buffer.from('two\\n')); fs.writeFileSync(1, 'three\\n');
       await new Promise((r) => fs.write(1, 'four\\n', r));
       require('node:child_process').execSync('echo five; echo six >&2', { stdio: 'inherit' });
       await new Promise((r) => require('node:child_process').spawn('echo', ['seven'], { stdio: [0, 1, 2] }).on('close', r));
       fs.createWriteStream(null, { fd: 1 }).write('eight\\n');
       await new Promise((r) => setTimeout(r, 20));
       fs.writeFileSync('/dev/stdout', 'nine\\n'); console.error('ten'); undefined`,
    );
    const table = ['┌─────────┬───┐', '│ (index) │ a │', '├─────────┼───┤', '│ 0       │ 1 │', '└─────────┴───┘'];
    expect(cell.output.split('\n')).toEqual(['no newline err', ...table, 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']);
  });

  it('prints what node -e prints', async () => {
    const { execFileSync } = await import('node:child_process');
    const code = `console.log('%s is %d', 'x', 42, { a: [1, { b: { c: { d: 1 } } }] }, new Map([[1, new Set([2])]]), [undefined, null, -0, 10n, Symbol('s')]);
      console.group('group'); console.info('inner\\nlines'); console.groupEnd(); console.dir({ deep: { deep: { deep: { deep: 1 } } } }, { depth: 0 });
      console.log(class A {}, () => {}, function named() {}, /re/g, new Date(0), Promise.resolve(1), new Error('e').message, Buffer.from('hi'), new Proxy({ p: 1 }, {}));
      console.count(); console.count('x'); console.countReset(); console.count(); console.assert(1 === 2, 'assertion %s', 'text'); console.log(); console.log('100%', 1)`;
    const expected = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const cell = await js(makeTool(), code);
    expect(cell.output.replace(/^Assertion failed: assertion text\n/m, '')).toBe(expected.trimEnd());
  });

  it('has an empty descriptor 0', async () => {
    const tool = makeTool();
    expect((await js(tool, `[fs.readFileSync(0).length, fs.readFileSync('/dev/stdin').length, fs.readSync(0, Buffer.alloc(9)),
      require('node:child_process').execFileSync('cat', { stdio: ['inherit', 'pipe', 'pipe'] }).length,
      await new Promise((r) => { let n = 0; process.stdin.on('data', () => n++).on('end', () => r(n)); })]`)).output).toBe('[ 0, 0, 0, 0, 0 ]');
  });

  it('ends its cell, not the context, with process.exit: no catch, no finally, state kept', async () => {
    const tool = makeTool();
    const ended = await js(tool, 'var kept = 1; try { process.exit(3); } catch { kept = 2; } finally { kept = 3; } kept = 4;');
    expect(ended).toMatchObject({ status: 'error', state: 'kept', exitCode: 3, failure: { kind: 'exit', exitCode: 3 } });
    const fine = await js(tool, 'await null; setTimeout(() => { kept = 5; }, 1); process.exit();');
    expect(fine).toMatchObject({ status: 'complete', state: 'kept', exitCode: 0 });
    expect((await js(tool, 'await new Promise((r) => setTimeout(r, 20)); kept')).output).toBe('1');
  });

  it('keeps host and environment apart', async () => {
    const tool = makeTool({ env: { GIVEN: 'yes' } });
    const listeners = process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection');
    await js(tool, 'process.env.FROM_CELL = "1"; process.title; process.on("uncaughtException", () => {}); process.exitCode = 9');
    expect((await js(tool, '[process.env.GIVEN, process.env.FROM_CELL, process.argv.length]')).output).toBe("[ 'yes', '1', 1 ]");
    expect(process.env.FROM_CELL).toBeUndefined();
    expect(process.exitCode).toBeUndefined();
    expect(process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection')).toBe(listeners);
  });
});

describe('the directory of a JavaScript session', () => {
  it('is what relative paths mean, synchronously, asynchronously and in children; the host keeps its own', async () => {
    const cwd = makeFolder();
    const before = process.cwd();
    const tool = makeTool({ cwd });
    await js(
      tool,
      `fs.writeFileSync('sync.txt', '1'); await fs.promises.writeFile('promise.txt', '2'); await new Promise((r) => fs.writeFile('callback.txt', '3', r));
       const { writeFileSync } = await import('node:fs'); writeFileSync('named.txt', '4'); require('node:child_process').execSync('echo 5 > child.txt');
       await new Promise((r) => fs.createWriteStream('stream.txt').end('6', r)); await (await import('node:fs/promises')).copyFile('sync.txt', 'copy.txt');`,
    );
    const names = ['sync', 'promise', 'callback', 'named', 'child', 'stream', 'copy'];
    expect(names.map((name) => readFileSync(join(cwd, `${name}.txt`), 'utf8').trim())).toEqual(['1', '2', '3', '4', '5', '6', '1']);
    expect((await js(tool, `[process.cwd(), String(require('node:child_process').execSync('pwd')).trim(), fs.realpathSync.native('.'), require('node:path').resolve('x')]`)).output)
      .toContain(`'${cwd}/x'`);
    expect(process.cwd()).toBe(before);
  });

  it('moves with process.chdir, and refuses what is no directory', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'inner'));
    writeFileSync(join(cwd, 'inner', 'here.txt'), 'found');
    const tool = makeTool({ cwd });
    expect((await js(tool, `process.chdir('inner'); [fs.readFileSync('here.txt', 'utf8'), await fs.promises.readFile('here.txt', 'utf8'), await read('here.txt'),
      String(require('node:child_process').execSync('cat here.txt'))]`)).output).toBe("[ 'found', 'found', 'found', 'found' ]");
    const refused = await js(tool, `process.chdir('nowhere')`);
    expect(refused.failure).toMatchObject({ kind: 'exception', name: 'Error' });
    expect(refused.output).toContain('ENOENT');
  });

  it('is each session its own, also at once', async () => {
    const [a, b] = [makeFolder(), makeFolder()];
    const code = 'await new Promise((r) => setTimeout(r, 50)); fs.writeFileSync("mine", process.cwd()); process.cwd()';
    const [first, second] = await Promise.all([js(makeTool({ cwd: a }), code), js(makeTool({ cwd: b }), code)]);
    expect([first.output, second.output]).toEqual([`'${a}'`, `'${b}'`]);
    expect(existsSync(join(a, 'mine')) && existsSync(join(b, 'mine'))).toBe(true);
  });
});

describe('processes and threads that cells start', () => {
  const alive = (pid: number) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  it.skipIf(process.platform !== 'linux')('carry the tag, lead a group of their own, end with their cell when it is stopped, and all with dispose', async () => {
    const controller = new AbortController();
    const tool = makeTool({ tools: { started: () => controller.abort() } });
    const start = `const { spawn } = require('node:child_process');
      var pids = [spawn('sleep', ['301']).pid, spawn('sh', ['-c', 'sleep 302 & echo $!; wait']).on('spawn', () => {}).pid, spawn('sleep', ['303'], { detached: true }).pid];
      display(pids);`;
    const cells = [{ language: 'js', code: start }, { language: 'js', code: `${start} await tool.started()` }];
    const [first, second] = (await runCells(tool, cells, controller.signal)).details.jsonOutputs as number[][];
    // The first cell ended by itself: its children live. The second was stopped: only the one in its own session lives.
    expect(first.map(alive)).toEqual([true, true, true]);
    await expect.poll(() => second.map(alive)).toEqual([false, false, true]);
    expect(readFileSync(`/proc/${first[0]}/environ`, 'utf8')).toMatch(/EVALCELL_KERNEL=/);
    expect(readFileSync(`/proc/${first[0]}/stat`, 'utf8').split(') ')[1].split(' ')[2]).toBe(String(first[0]));
    await tool.dispose();
    expect([...first, ...second].map(alive)).toEqual([false, false, false, false, false, false]);
  });

  it('print into the cell from nested workers', async () => {
    const tool = makeTool();
    const cell = await js(tool, `await new Promise((r) => new (require('node:worker_threads').Worker)('console.log("from a worker", process.cwd())', { eval: true }).on('exit', r)); await new Promise((r) => setTimeout(r, 20))`);
    expect(cell.output).toBe(`from a worker ${process.cwd()}`);
  });
});
