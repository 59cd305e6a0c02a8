import { describe, expect, it } from 'vitest';
import { js, makeTool } from './support.js';

describe('errors of JavaScript cells', () => {
  it('show name, message and the user’s frames with the cell’s name, and none of ours', async () => {
    const tool = makeTool();
    await js(tool, 'function inner() {\n  null.x;\n}');
    const cell = await js(tool, 'function outer() {\n  return inner();\n}\n\nouter();');
    expect(cell.output).toBe(
      "TypeError: Cannot read properties of null (reading 'x')\n    at inner (cell-1:2:8)\n    at outer (cell-2:2:10)\n    at cell-2:5:1",
    );
    expect(cell.failure).toMatchObject({ kind: 'exception', name: 'TypeError', line: 2, column: 10 });
  });

  it('are at the same places after an await, and in what the cell reads from `stack`', async () => {
    const tool = makeTool();
    const cell = await js(tool, 'await null;\n\n  undefinedName;');
    expect(cell.output).toBe('ReferenceError: undefinedName is not defined\n    at cell-1:3:3');
    expect((await js(tool, 'const f = () => new Error("x").stack;\nf()')).output).toBe("'Error: x\\n    at f (cell-2:1:17)\\n    at cell-2:2:1'");
  });

  it('of syntax come before anything runs, with line, column and a caret', async () => {
    const tool = makeTool();
    const cell = await js(tool, 'ran = true;\nlet a = ;');
    expect(cell.failure).toMatchObject({ kind: 'syntax', line: 2, column: 9, bound: [] });
    expect(cell.output).toContain('let a = ;\n        ^');
    expect((await js(tool, 'typeof ran')).output).toBe("'undefined'");
  });

  it.each([
    ['throw null', 'Uncaught null'],
    ['throw undefined', 'Uncaught undefined'],
    ['throw "text"', "Uncaught 'text'"],
    ['throw { code: 1 }', 'Uncaught { code: 1 }'],
    ['throw Object.create(null)', 'Uncaught [Object: null prototype] {}'],
    ['throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })', 'Uncaught'],
    ['throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })', ''],
    ['throw Object.defineProperty(new Error("x"), "stack", { get() { throw 1 } })', ''],
    ['throw Object.assign(new Error("m"), { name: "Custom", extra: 5 })', 'extra: 5'],
    ['throw new AggregateError([new Error("inner")], "many")', 'inner'],
    ['throw new Error("outer", { cause: new Error("why") })', 'why'],
    ['({ [require("util").inspect.custom]() { throw new Error("odd") } })', 'odd'],
    ['await Promise.reject(Symbol("s"))', 'Symbol(s)'],
    ['(function f() { f() })()', 'Maximum call stack size exceeded'],
  ])('%s still gives a result, and the context lives', async (code, text) => {
    const tool = makeTool();
    const cell = await js(tool, code);
    expect(cell).toMatchObject({ status: 'error', state: 'kept' });
    expect(cell.output).toContain(text);
    expect((await js(tool, '1 + 1')).output).toBe('2');
  });

  it('that nobody handles fail their cell when they surface before its end', async () => {
    const tool = makeTool();
    expect((await js(tool, 'Promise.reject(new Error("stray")); "value"')).failure).toMatchObject({ kind: 'exception', message: 'stray' });
    expect((await js(tool, 'setTimeout(() => { throw new Error("thrown") }); await new Promise(() => {})')).failure).toMatchObject({ message: 'thrown', line: 1 });
    expect((await js(tool, 'require("node:net").connect(1, "127.0.0.1"); await new Promise(() => {})')).output).toContain('ECONNREFUSED');
    expect((await js(tool, 'new (require("node:events"))().emit("error", new Error("emitted"))')).failure).toMatchObject({ message: 'emitted' });
  });

  it('that surface later open the next result, named with the cell they came from, and end nothing', async () => {
    const tool = makeTool();
    await js(tool, 'setTimeout(() => { throw new Error("late") }, 5); setTimeout(() => Promise.reject(new Error("refused")), 5); "ok"');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { details, content } = await tool.execute('test', { cells: [{ language: 'js', code: '"still here"' }] });
    const [{ text }] = content as { text: string }[];
    expect(text).toMatch(/Background output[\s\S]*cell-1: Error: late[\s\S]*cell-1: Error: refused[\s\S]*'still here'/);
    expect(details.cells[0].status).toBe('complete');
  });

  it('reach handlers of the user’s own first', async () => {
    const tool = makeTool();
    await js(tool, 'var seen = []; process.on("uncaughtException", (error) => seen.push(error.message)); process.on("unhandledRejection", (error) => seen.push(error.message))');
    await js(tool, 'setTimeout(() => { throw new Error("a") }); Promise.reject(new Error("b")); await new Promise((r) => setTimeout(r, 20))');
    expect((await js(tool, 'seen.sort()')).output).toBe("[ 'a', 'b' ]");
  });
});

describe('background output', () => {
  it('opens the next result under a line that says what it is, and is not mixed into a running cell', async () => {
    const tool = makeTool();
    await js(tool, 'var n = 0; var t = setInterval(() => console.log("tick", ++n), 10); "started"');
    const { content, details } = await tool.execute('test', { cells: [{ language: 'js', code: 'await new Promise((r) => setTimeout(r, 60)); clearInterval(t); console.log("mine")' }] });
    expect(details.cells[0].output).toMatch(/mine$/);
    const next = await tool.execute('test', { cells: [{ language: 'js', code: '1' }] });
    const text = (content as { text: string }[])[0].text + (next.content as { text: string }[])[0].text;
    expect(text).toMatch(/Background output/);
    expect(text).toMatch(/tick 3/);
    expect(text.replace(/Background output[\s\S]*?\n\n/g, '')).not.toMatch(/tick/);
  });

  it('ends with a reset', async () => {
    const tool = makeTool();
    await js(tool, 'setInterval(() => console.log("tick"), 5); 0');
    await tool.reset('js');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { content } = await tool.execute('test', { cells: [{ language: 'js', code: '"clean"' }] });
    expect((content as { text: string }[])[0].text).not.toContain('tick');
  });
});
