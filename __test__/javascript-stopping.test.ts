import { describe, expect, it } from 'vitest';
import { js, makeFolder, makeTool } from './support.js';

// Short deadlines: what is promised is what happens after them, not how long they are.
const QUICK = { minMs: 1 };
const stopping = () => makeTool({ cwd: makeFolder(), timeouts: QUICK, tools: { slow: () => new Promise(() => {}) } });

const CONTEXTS = `
  var kept = 1;
  var storage = new (require('node:async_hooks').AsyncLocalStorage)();
  storage.enterWith({ from: 'an earlier cell' });
  require('node:async_hooks').createHook({ init() {}, before() {}, after() {} }).enable();
  var many = Array.from({ length: 2e3 }, (_, i) => ({ i, text: 'x'.repeat(10) }));
  var text = JSON.stringify(many);
  var http = require('node:http');
  var server = http.createServer((_, response) => response.end('ok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  var port = server.address().port;`;

const SPINNING = [
  'for (;;);',
  'await null; for (;;);',
  'for (;;) await null;',
  'storage.run({ from: "this cell" }, () => { for (;;); })',
  'setTimeout(() => { for (;;); }, 0); await new Promise(() => {})',
  'setImmediate(() => { for (;;); }); await new Promise(() => {})',
  'setImmediate(() => {}); setImmediate(() => { for (;;); }); setImmediate(() => {}); await new Promise(() => {})',
  'process.nextTick(() => { for (;;); }); 1',
  'Promise.resolve().then(() => { for (;;); }); 1',
  'queueMicrotask(function again() { queueMicrotask(again); }); await new Promise(() => {})',
  'process.nextTick(function again() { process.nextTick(again); }); await new Promise(() => {})',
  'require("node:fs").readFile("/etc/hostname", () => { for (;;); }); await new Promise(() => {})',
  'http.get({ port, host: "127.0.0.1" }, () => { for (;;); }); await new Promise(() => {})',
  'require("node:child_process").exec("true", () => { for (;;); }); await new Promise(() => {})',
  'for await (const each of (async function* () { for (;;) yield 1; })());',
  '/(a+)+b/.test("a".repeat(40))',
  'for (;;) JSON.stringify(many)',
  'for (;;) structuredClone(many)',
  'await null; for (;;) { JSON.parse(text) }',
  'while (true) text.split("").sort()',
  'do structuredClone(many); while (true)',
  'for (const _ of { *[Symbol.iterator]() { for (;;) yield 1; } }) structuredClone(many)',
  '(function f() { for (;;) for (let i = 0; i < 3; i++) [...many, ...many] })()',
  'for (;;) many.slice().sort((a, b) => b.i - a.i)',
  'for (;;) Array.from({ length: 1e6 }, (_, i) => i)',
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  'require("node:child_process").spawnSync("sleep", ["60"])',
  'try { for (;;); } catch { kept = 2; } finally { kept = 3; }',
  '(function f() { try { f(); } finally { f(); } })()',
];
const WAITING = ['await new Promise(() => {})', 'await tool.slow({})', 'tool.slow.sync({})', 'try { await new Promise(() => {}); } finally { kept = 4; }'];

describe('a deadline in JavaScript', () => {
  it('stops whatever spins or waits, keeps the bindings, also under an AsyncLocalStorage and async hooks, and leaves a context where everything works', async () => {
    const tool = stopping();
    await js(tool, CONTEXTS, { timeout: 30 });
    for (const code of [...SPINNING, ...WAITING]) {
      const stopped = await js(tool, code, { timeout: 0.05 });
      expect(stopped, code).toMatchObject({ status: 'error', state: 'kept', failure: { kind: 'timeout' } });
      expect((await js(tool, 'kept')).output, `after ${code}`).toBe('1');
    }
    const after = await js(
      tool,
      `[await new Promise((r) => setTimeout(r, 1, 'timer')), await (await fetch('data:,fetch')).text(),
        await new Promise((r) => http.get({ port, host: '127.0.0.1' }, (answer) => answer.on('data', (bytes) => r('http ' + bytes)))),
        typeof (await fs.promises.readdir('.')).length, (await import('node:os')).EOL, String(require('node:child_process').execSync('echo child')),
        await new Promise((r) => require('node:stream').Readable.from(['stream']).on('data', r)), storage.getStore()].join()`,
      { timeout: 30 },
    );
    expect(after.output).toBe("'timer,fetch,http ok,number,\\n,child\\n,stream,'");
  });

  it('is told with what the cell was doing', async () => {
    const tool = stopping();
    const doing = async (code: string) => (await js(tool, code, { timeout: 0.05 })).failure!.message;
    expect(await doing('for (;;);')).toContain('while running code');
    expect(await doing('await new Promise(() => {})')).toContain('a plain await');
    expect(await doing('await tool.slow({})')).toContain('`slow`');
  });

  it('never loses what was printed before it', async () => {
    const tool = stopping();
    const spun = await js(tool, 'console.log("one"); process.stdout.write("two"); for (;;);', { timeout: 0.1 });
    expect(spun.output).toBe('one\ntwo');
  });

  it('keeps every name that was bound before it, and says which were not', async () => {
    const tool = stopping();
    const stopped = await js(tool, 'const a = 1; let b = 2; a1 = 3; for (;;); let c = 4;', { timeout: 0.05 });
    expect(stopped.failure).toMatchObject({ bound: ['a', 'b', 'a1'], notReached: ['c'] });
    expect((await js(tool, '[a, b, a1, typeof c]')).output).toBe("[ 1, 2, 3, 'undefined' ]");
    expect((await js(tool, 'const c = 5, a = 6; [a, c]')).output).toBe('[ 6, 5 ]');
  });

  it('holds under a running cell: timers of the host keep firing', async () => {
    const tool = stopping();
    await js(tool, '1');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await js(tool, 'for (;;);', { timeout: 0.3 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(50);
  });
});

// Each would add to `hits` some time after its deadline.
const LATE = {
  'after an await': 'await later(250); hits++',
  'in a then callback': 'later(250).then(() => { hits++ }); await forever',
  'in a chain of then callbacks': '(function next() { return later(5).then(() => { if (passed()) hits++; return next(); }); })(); await forever',
  'in an interval': 'setInterval(() => { if (passed()) hits++; }, 5); await forever',
  'in an immediate': '(function next() { if (passed()) hits++; setImmediate(next); })(); await forever',
  'in a microtask': 'setTimeout(() => queueMicrotask(() => { hits++ }), 250); await forever',
  'in a tick': 'setTimeout(() => process.nextTick(() => { hits++ }), 250); await forever',
  'in a file system callback': '(function next() { fs.stat(".", () => { if (passed()) hits++; next(); }); })(); await forever',
  'on a socket': `const net = require("node:net"); const server = net.createServer((socket) => setInterval(() => socket.write("x"), 5)).listen(0, () =>
      net.connect(server.address().port).on("data", () => { if (passed()) hits++; })); await forever`,
  'at the exit of a child': 'require("node:child_process").exec("sleep 0.25", () => { hits++ }); await forever',
  'at a message of a nested worker': `new (require("node:worker_threads").Worker)("setInterval(() => require('node:worker_threads').parentPort.postMessage(1), 5)", { eval: true })
      .on("message", () => { if (passed()) hits++; }); await forever`,
  'in catch and finally': 'try { await new Promise((_, reject) => setTimeout(reject, 250)); } catch { hits++ } finally { hits++ }',
  'in catch and finally around a loop': 'try { for (;;); } catch { hits++ } finally { hits++ }',
  'in a generator': 'function* steps() { for (;;) { if (passed()) hits++; yield; } } const each = steps(); setInterval(() => each.next(), 5); await forever',
  'in an async generator': 'for await (const _ of (async function* () { for (;;) { await later(5); if (passed()) hits++; yield; } })());',
  'in an event listener': 'const events = new (require("node:events")); events.on("x", () => { if (passed()) hits++; }); setInterval(() => events.emit("x"), 5); await forever',
  'in a function of an earlier cell': 'await earlier(passed)',
  'in an arrow without a body': 'setTimeout(() => hits++, 250); await forever',
  'in methods and getters': 'const o = { get x() { return hits++ }, m() { hits++ } }; setTimeout(() => { o.x; o.m(); }, 250); await forever',
};

describe('after a cell was reported as stopped', () => {
  it.each(Object.entries(LATE))('nothing of it runs %s', async (_where, code) => {
    const tool = stopping();
    await js(
      tool,
      `var hits = 0; var later = (ms) => new Promise((r) => setTimeout(r, ms)); var forever = new Promise(() => {});
       async function earlier(passed) { for (;;) { await later(5); if (passed()) hits++; } }`,
    );
    const stopped = await js(tool, `const begun = Date.now(); const passed = () => Date.now() - begun > 250;\n${code}`, { timeout: 0.03 });
    expect(stopped).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    expect((await js(tool, 'await later(400); hits')).output).toBe('0');
  });

  it.each([
    ['a rejection', 'Promise.reject(new Error("stray"))'],
    ['a throw in a timer', 'setTimeout(() => { throw new Error("stray") })'],
  ])('or failed by %s that nobody handled while it waited, nothing of it runs', async (_what, stray) => {
    const tool = stopping();
    await js(tool, 'var hits = 0, release; var released = new Promise((r) => { release = r; })');
    const failed = await js(tool, `setInterval(() => hits++, 1); ${stray}; try { await released; hits++; const late = 1; } finally { hits++; }`);
    expect(failed).toMatchObject({ state: 'kept', failure: { kind: 'exception', message: 'stray' } });
    await js(tool, 'hits = 0; release()');
    expect((await js(tool, 'await new Promise((r) => setTimeout(r, 20)); hits')).output).toBe('0');
  });

  it('while its imports were loading, it does not begin', async () => {
    const folder = makeFolder();
    const tool = makeTool({ cwd: folder, timeouts: QUICK });
    await js(tool, 'fs.writeFileSync("slow.mjs", "await globalThis.loading; export const x = 1"); var begun = false, load; globalThis.loading = new Promise((r) => { load = r; }); 1');
    expect(await js(tool, 'import { x } from "./slow.mjs"; begun = true', { timeout: 0.1 })).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    expect((await js(tool, 'load(); await new Promise((r) => setTimeout(r, 20)); begun')).output).toBe('false');
  });

  it('what a cell left running that had ended by a throw runs on', async () => {
    const tool = stopping();
    expect((await js(tool, 'var ran = new Promise((r) => setTimeout(r, 1, "ran")); throw new Error("plain")')).failure?.message).toBe('plain');
    expect((await js(tool, 'await ran')).output).toBe("'ran'");
  });

  it('no process that it started lives on', async () => {
    const tool = stopping();
    await js(tool, 'var { spawn, execSync } = require("node:child_process"); var forever = new Promise(() => {});');
    // At every moment of a start, some of which take longer than others.
    for (let round = 0; round < 40; round++) {
      await js(tool, `for (;;) { spawn('sleep', ['${1000 + round}.25']); await new Promise(setImmediate); }`, { timeout: 0.005 + round / 4000 });
    }
    const left = async () => (await js(tool, `execSync("ps -eo args | grep -c '[s]leep 10[0-9][0-9].25' || true").toString().trim()`)).output;
    await expect.poll(left, { timeout: 5_000 }).toBe("'0'");
  });

  it('no connection of it stays open', async () => {
    const tool = stopping();
    await js(tool, CONTEXTS);
    await js(tool, 'server.on("request", () => {}); var silent = http.createServer(() => {}); await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve)); var silentPort = silent.address().port;');
    for (const code of [
      'http.get({ port, host: "127.0.0.1" }, () => { for (;;); }); await new Promise(() => {})',
      'http.get({ port: silentPort, host: "127.0.0.1" }); await new Promise(() => {})',
      'await fetch(`http://127.0.0.1:${silentPort}`)',
    ]) {
      expect((await js(tool, code, { timeout: 0.1 })).failure!.kind).toBe('timeout');
    }
    const open = async () =>
      (await js(tool, 'await Promise.all([server, silent].map((one) => new Promise((resolve) => one.getConnections((_, count) => resolve(count)))))')).output;
    await expect.poll(open, { timeout: 5_000 }).toBe('[ 0, 0 ]');
    expect((await js(tool, 'await (await fetch(`http://127.0.0.1:${port}`)).text()')).output).toBe("'ok'");
  });

  it('its functions work in later cells', async () => {
    const tool = stopping();
    await js(tool, 'function twice(x) { return x * 2; } const thrice = async (x) => { await null; return x * 3; }; for (;;);', { timeout: 0.05 });
    expect((await js(tool, '[twice(2), await thrice(2)]')).output).toBe('[ 4, 6 ]');
  });

  it('an import that it cut off can be imported again', async () => {
    const folder = makeFolder();
    const tool = makeTool({ cwd: folder, timeouts: QUICK });
    await js(tool, 'fs.writeFileSync("slow.mjs", "if (globalThis.wait) await new Promise(() => {}); export const x = 1"); globalThis.wait = true');
    expect(await js(tool, '(await import("./slow.mjs")).x', { timeout: 0.2 })).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    expect((await js(tool, 'wait = false; (await import("./slow.mjs")).x')).output).toBe('1');
  });

  it('an interrupt for it never hits a later cell', async () => {
    const tool = stopping();
    await js(tool, 'var n = 0');
    for (let round = 0; round < 30; round++) {
      await js(tool, 'for (;;);', { timeout: 0.01 });
      expect((await js(tool, 'for (let i = 0; i < 1e5; i++) n++; "done"')).output).toBe("'done'");
    }
    expect((await js(tool, 'n')).output).toBe('3000000');
  });
});

describe('an abort', () => {
  it('stops a cell as a deadline does, and keeps the bindings', async () => {
    const tool = stopping();
    await js(tool, 'var kept = 1');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { details } = await tool.execute('test', { cells: [{ language: 'js', code: 'for (;;);' }] }, controller.signal);
    expect(details.cells[0]).toMatchObject({ state: 'kept', failure: { kind: 'abort' } });
    expect((await js(tool, 'kept')).output).toBe('1');
  });
});

describe.skipIf(process.platform !== 'linux')('a thread that no interrupt reaches', () => {
  it('is abandoned after the grace: the result says lost, what was printed is there, and a new context serves the session', async () => {
    const folder = makeFolder();
    const tool = makeTool({ cwd: folder, timeouts: QUICK });
    await js(tool, 'var kept = 1; require("node:child_process").execSync("mkfifo pipe")');
    const stuck = await js(tool, 'console.log("before"); fs.readFileSync("pipe")', { timeout: 0.05 });
    expect(stuck).toMatchObject({ state: 'lost', output: 'before', failure: { kind: 'timeout' } });
    expect((await js(tool, 'typeof kept')).output).toContain("'undefined'");
    const begun = Date.now();
    const running = js(tool, 'fs.readFileSync("pipe")');
    await expect.poll(() => tool.kernels()[0]?.state, { interval: 5 }).toBe('busy');
    await tool.dispose();
    expect(await running).toMatchObject({ state: 'lost', failure: { kind: 'abort' } });
    expect(Date.now() - begun).toBeLessThan(3_000);
    // The threads wait in open() of the pipe: let them go, so that this process can end by itself.
    const { openSync } = await import('node:fs');
    for (let round = 0; round < 2; round++) openSync(`${folder}/pipe`, 'r+');
  });

  it('is not lost when it only reads from a pipe: the read ends and the state is kept', async () => {
    const tool = makeTool({ cwd: makeFolder(), timeouts: QUICK });
    await js(tool, 'require("node:child_process").execSync("mkfifo pipe"); var kept = 1');
    const stopped = await js(tool, 'fs.readSync(fs.openSync("pipe", "r+"), Buffer.alloc(1))', { timeout: 0.05 });
    expect(stopped).toMatchObject({ state: 'kept', failure: { kind: 'timeout' } });
    expect((await js(tool, 'kept')).output).toBe('1');
  });
});
