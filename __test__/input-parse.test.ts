import { describe, expect, it } from 'vitest';
import { EvalError, parseEvalInput, sniffEvalLanguage } from '../index.js';
import { makeTool } from './support.js';

const failure = (action: () => unknown): EvalError => {
  try {
    action();
  } catch (error) {
    if (error instanceof EvalError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('parseEvalInput', () => {
  it('gives cells with title, code, language, deadline and reset', () => {
    expect(parseEvalInput('*** Cell py:"load" t:5 rst\nprint(1)\n*** Cell\nprint(2)\n*** End\n')).toEqual({
      cells: [
        { index: 0, title: 'load', code: 'print(1)', language: 'python', languageOrigin: 'header', timeoutMs: 5_000, reset: true },
        { index: 1, code: 'print(2)', language: 'python', languageOrigin: 'default', timeoutMs: 30_000, reset: false },
      ],
    });
  });

  it('says that a call was cut off, and what it ignored', () => {
    const parsed = parseEvalInput('Sure:\n*** Cell js\n1\n*** End\n*** Cell js\n2\n*** Abort\n');
    expect(parsed.cells.map((cell) => cell.code)).toEqual(['1']);
    expect(parsed.aborted).toBe(true);
    expect(parsed.notice).toBe('Text before the first cell was ignored (line 1).');
  });

  it('throws an EvalError that names line and token', () => {
    const duration = failure(() => parseEvalInput('*** Cell py\n1\n*** Cell py t:forever\n2'));
    expect([duration.code, duration.message]).toEqual([
      'EVAL_PARSE',
      'Eval line 3: invalid duration `forever`; use a number with optional ms, s, or m units.',
    ]);
    const reset = failure(() => parseEvalInput('*** Cell py rst:maybe\n1'));
    expect(reset.message).toBe('Eval line 1: invalid rst value `maybe`; use true or false.');
  });

  it('refuses what is no string', () => {
    for (const value of [undefined, null, 1, {}, ['*** Cell py'], Symbol('x'), () => '']) {
      expect(failure(() => parseEvalInput(value as string)).code).toBe('EVAL_INVALID_ARGUMENT');
    }
  });

  it('takes half of a surrogate pair for one unknown character', () => {
    const [cell] = parseEvalInput('*** Cell js:"a\ud800"\n\'\udc00\'').cells;
    expect([cell.title, cell.code]).toEqual(['a\ufffd', "'\ufffd'"]);
  });

  it('never throws anything else, whatever the characters', () => {
    const pieces = ['*** Cell', ' py', ':"', '"', '\'', '\n', '\r', '\\', '```', '*** End', ' t:', '0', '\0', '\ud83d', '\u200b', '🚀'];
    let state = 1;
    const next = () => (state = (state * 48_271) % 2_147_483_647);
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from({ length: next() % 24 }, () => pieces[next() % pieces.length]).join('');
      try {
        expect(Array.isArray(parseEvalInput(text).cells)).toBe(true);
      } catch (error) {
        expect(error, JSON.stringify(text)).toMatchObject({ code: 'EVAL_PARSE' });
      }
    }
  });
});

describe('sniffEvalLanguage', () => {
  it('decides only when the signs of exactly one language are there', () => {
    expect(sniffEvalLanguage('import os\nos.getcwd()')).toBe('python');
    expect(sniffEvalLanguage('#!/usr/bin/env node\n1')).toBe('js');
    expect(sniffEvalLanguage('const a: number = 1')).toBe('js');
    expect(sniffEvalLanguage('1 + 1')).toBeUndefined();
    expect(sniffEvalLanguage('def f():\n    pass\nconsole.log(1)')).toBeUndefined();
  });
});

describe('description', () => {
  it('speaks only of languages that are enabled', () => {
    expect(makeTool({ languages: { python: false } }).description).not.toMatch(/python|\bpy\b/i);
    expect(makeTool({ languages: { js: false } }).description).not.toMatch(/javascript|typescript|\bjs\b/i);
  });

  it('is under 3 500 characters', () => {
    expect(makeTool().description.length).toBeLessThan(3_500);
  });
});
