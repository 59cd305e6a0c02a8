import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { EvalError, type EvalInput } from '../index.js';
import { makeTool } from './support.js';

const validator = () => new Ajv({ strict: true, allErrors: true }).compile(makeTool().parameters);

const accepted = [
  { input: '*** Cell py:"a"\n1\n*** End\n' },
  { input: '' },
  { cells: [{ language: 'py', code: '1' }] },
  { cells: [{ language: 'js', code: '', title: 'a', timeout: 0, reset: false, returns: 'json' }] },
  { cells: [{ language: 'typescript', code: '1', timeout: 0.5 }, { language: 'ipython', code: '2' }] },
];

const refused: unknown[] = [
  null,
  'print(1)',
  [],
  {},
  { input: 1 },
  { input: '1', cells: [{ language: 'py', code: '1' }] },
  { input: '1', extra: true },
  { cells: [] },
  { cells: {} },
  { cells: [1] },
  { cells: [{ code: '1' }] },
  { cells: [{ language: 'py' }] },
  { cells: [{ language: 'ruby', code: '1' }] },
  { cells: [{ language: 'py', code: 1 }] },
  { cells: [{ language: 'py', code: '1', title: null }] },
  { cells: [{ language: 'py', code: '1', timeout: -1 }] },
  { cells: [{ language: 'py', code: '1', timeout: '10' }] },
  { cells: [{ language: 'py', code: '1', reset: 'yes' }] },
  { cells: [{ language: 'py', code: '1', returns: 'text' }] },
  { cells: [{ language: 'py', code: '1', timeoutMs: 5 }] },
];

describe('the JSON Schema of the parameters', () => {
  it('is a valid schema that accepts both forms', () => {
    const validate = validator();
    for (const params of accepted) expect(validate(params), JSON.stringify([params, validate.errors])).toBe(true);
  });

  it('refuses what `execute` refuses', async () => {
    const validate = validator();
    const tool = makeTool();
    for (const params of refused) {
      expect(validate(params), JSON.stringify(params)).toBe(false);
      const error = await tool.execute('schema', params as EvalInput).catch((error: unknown) => error);
      expect(error, JSON.stringify(params)).toBeInstanceOf(EvalError);
      expect((error as EvalError).code, JSON.stringify(params)).toBe('EVAL_INVALID_ARGUMENT');
    }
  });

  it('describes every field, and has no choice at the top, which providers refuse', () => {
    const { parameters } = makeTool() as { parameters: Record<string, any> };
    for (const keyword of ['oneOf', 'anyOf', 'allOf', 'not']) expect(parameters).not.toHaveProperty(keyword);
    const fields = { ...parameters.properties, ...parameters.properties.cells.items.properties };
    for (const [name, field] of Object.entries<{ description?: string }>(fields)) {
      expect(field.description?.length, name).toBeGreaterThan(20);
    }
  });
});
