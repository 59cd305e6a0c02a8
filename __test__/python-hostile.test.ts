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
