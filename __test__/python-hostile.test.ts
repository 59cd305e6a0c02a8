import { describe, expect, it } from 'vitest';
import { makeTool, py } from './support.js';

const junk: [string, string][] = [
  ['what is no JSON', 'b"junk\\n"'],
  ['bytes that are not UTF-8', 'b"\\xff\\xfe\\n"'],
  ['an unknown type', `b'{"type":"nope"}\\n'`],
  ['a done for another run', `b'{"type":"done","run":999999,"outcome":"complete"}\\n'`],
  ['an id that is no plain number', `b'{"type":"done","run":1e400,"outcome":"complete"}\\n'`],
  ['a call without args', `b'{"type":"call","id":1,"run":1,"scope":"tool","name":"echo"}\\n'`],
  ['a field of a wrong type', `b'{"type":"display","run":"1","form":"text","text":5}\\n'`],
  ['a second boot-ack', `b'{"type":"boot-ack","version":"9","executable":"/x"}\\n'`],
  ['deep nesting', `b'{"type":"result","run":1,"value":' + b'[' * 200000 + b']' * 200000 + b'}\\n'`],
  ['an empty line', 'b"\\n\\n\\n"'],
];

const call = (id: number, args: string) => `b'{"type":"call","id":${id},"run":RUN,"scope":"tool","name":"echo","args":' + ${args} + b'}\\n'`;
const shown = (value: string) => `b'{"type":"display","run":RUN,"form":"json","value":' + ${value} + b'}\\n'`;
const status = (event: string) => `b'{"type":"status","run":RUN,"event":' + ${event} + b'}\\n'`;
const deep = `b'[' * 300000 + b']' * 300000`;
const deepObjects = `b'{"a":' * 200000 + b'1' + b'}' * 200000`;

// Frames of the right shape, for the run that is on.
const forged: [string, string][] = [
  ['arguments with NaN, Infinity and -0', ['b"NaN"', 'b\'{"a":Infinity}\'', 'b\'{"a":-0}\'', 'b\'{"a":[-0.0]}\''].map((args, at) => call(900 + at, args)).join(' + ')],
  ['arguments with numbers that a host cannot hold', ['1e400', '-1e999', '9007199254740993', '1' + '0'.repeat(400)].map((number, at) => call(910 + at, `b'{"a":${number}}'`)).join(' + ')],
  ['arguments with a number of 10 MB', call(920, `b'{"a":' + b'9' * 10**7 + b'}'`)],
  ['arguments nested deeply', `${call(930, deep)} + ${call(931, deepObjects)}`],
  ['arguments that are cut off', `${call(940, `b'{"a":[1,2'`)} + ${call(941, `b'{"a":"x'`)}`],
  ['arguments with a lone surrogate', call(950, `b'{"a":"\\\\ud83d"}'`)],
  ['a member twice, also of the frame', `${call(960, `b'{"a":1,"a":2,"__proto__":{"x":1}}'`)} + b'{"type":"done","run":RUN,"run":RUN,"outcome":"complete"}\\n'`],
  ['the same id twice', `${call(970, 'b"{}"')} + ${call(970, 'b"{}"')}`],
  ['a display nested deeply', `${shown(deep)} + ${shown(deepObjects)}`],
  ['a display of numbers that are none', ['NaN', '1e400', '-0', '00', '1.', '.5'].map((number) => shown(`b'${number}'`)).join(' + ')],
  ['a display of a lone surrogate', `${shown(`b'"\\\\udc00"'`)} + b'{"type":"display","run":RUN,"form":"text","text":"\\\\udc00"}\\n'`],
  ['a status nested deeply, and one that is no object', `${status(`b'{"op":' + ${deep} + b'}'`)} + ${status('b"5"')}`],
  ['an image that is none', `b'{"type":"display","run":RUN,"form":"image","mime_type":"text/html","data":"AAAA"}\\n' + b'{"type":"display","run":RUN,"form":"image","mime_type":"image/png","data":"?"}\\n'`],
  ['places of no frame and of huge ones', `b'{"type":"display","run":RUN,"form":"text","text":"p","place":18446744073709551615}\\n' + b'{"type":"status","run":RUN,"event":{},"place":1e99}\\n'`],
  ['an error of 20 MB', `b'{"type":"error","run":RUN,"name":"E","message":"' + b'm' * 10**7 + b'","traceback":"' + b't' * 10**7 + b'","line":4294967295}\\n'`],
  ['a line over the limit', `b'{"type":"display","run":RUN,"form":"text","text":"' + b'x' * (64 * 2**20) + b'"}\\n'`],
  ['64 MB of brackets in one line', `b'[' * (64 * 2**20) + b'\\n'`],
  ['variables that nobody asked for', `b'{"type":"variables","id":1,"items":[{"name":"x","type":"int","repr":"1"}]}\\n'`],
  ['a kernel that says it is quiet, and bursts', `b'{"type":"burst","on":true}\\n' * 1000`],
];

describe('what a cell forges for its own run', () => {
  it.each(forged)('reaches no tool as anything but lossless JSON and harms nothing: %s', async (name, bytes) => {
    const calls: unknown[] = [];
    const tool = makeTool({ tools: { echo: (args: unknown) => { calls.push(args); return 1; } } });
    const other = makeTool();
    await py(other, 'k = 1');
    await py(tool, 'k = 5');
    const code = `import os, sys\nrun = str(sys.modules["_evalcell.wire"].wire.current).encode()\ndata = memoryview((${bytes}).replace(b"RUN", run))\nwhile data: data = data[os.write(3, data):]\nprint("on")\n40 + 2`;
    const cell = await py(tool, code, { timeout: 60 });
    expect(cell.status, JSON.stringify(cell).slice(0, 500)).toBe('complete');
    // A forged end is the end of its own cell; everything else leaves it alone.
    if (!bytes.includes('"done"')) expect(cell.output.startsWith('on') || cell.output.includes('on\n')).toBe(true);
    expect((await py(tool, 'tool.echo(a=1)\nk')).output).toBe('5');
    expect(calls.pop()).toEqual({ a: 1 });
    for (const args of calls) expect(name).toMatch(/deeply|twice|surrogate/);
    expect(JSON.stringify(calls.filter((args) => !/deeply/.test(name)))).not.toMatch(/null|Infinity/);
    expect(({} as { x?: number }).x).toBeUndefined();
    expect((await py(other, 'k')).output).toBe('1');
  });
});

describe('what a cell writes into the protocol', () => {
  it.each(junk)('harms nothing: %s', async (_, bytes) => {
    const tool = makeTool();
    const other = makeTool();
    await py(other, 'k = 1');
    const cell = await py(tool, `import os\ndata = memoryview(${bytes})\nwhile data: data = data[os.write(3, data):]\nprint("on")\n40 + 2`);
    expect(cell).toMatchObject({ status: 'complete', output: 'on\n42', state: 'kept' });
    expect((await py(tool, 'display({"a": 1})\n"next"')).output).toContain('next');
    expect((await py(other, 'k')).output).toBe('1');
    expect(tool.kernels()[0].version).not.toBe('9');
  });

  it('can end only its own cell: a forged done is that cell’s', async () => {
    const tool = makeTool();
    await py(tool, 'k = 1');
    await py(tool, `import os, sys\nrun = sys.modules["_evalcell.wire"].wire.current\nos.write(3, b'{"type":"done","run":%d,"outcome":"complete"}\\n' % run)\nk = 2`);
    expect((await py(tool, 'k')).output).toBe('2');
  });

  it('ends only its own kernel when it closes the descriptor', async () => {
    const tool = makeTool();
    const cell = await py(tool, 'import os\nprint("before", flush=True)\nos.close(3)');
    expect(cell.failure?.kind).toBe('kernel-exit');
    expect((await py(tool, '1')).output).toBe('1');
  });
});
