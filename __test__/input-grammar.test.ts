import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseEvalInput, type ParsedCell } from '../index.js';
import { makeTool, testPython } from './support.js';

interface Answers {
  samples: { text: string; cells: ParsedCell[] }[];
  answers: boolean[];
}

/** Texts that the parser understands and that a model under the grammar never writes. */
const lenient = [
  '*** cell py:"a"\n1\n*** End\n',
  '**Cell py:"a"\n1\n*** End\n',
  '**** Cell py:"a"\n1\n*** End\n',
  '***  Cell py:"a"\n1\n*** End\n',
  ' *** Cell py:"a"\n1\n*** End\n',
  '*** Cell py\n1\n*** End\n',
  '*** Cell PY:"a"\n1\n*** End\n',
  '*** Cell ts:"a"\n1\n*** End\n',
  '*** Cell python:"a"\n1\n*** End\n',
  "*** Cell py:'a'\n1\n*** End\n",
  '*** Cell py:“a”\n1\n*** End\n',
  '*** Cell py:a\n1\n*** End\n',
  '*** Cell py title:"a"\n1\n*** End\n',
  '*** Cell py:"a" rst t:5\n1\n*** End\n',
  '*** Cell t:5 py:"a"\n1\n*** End\n',
  '*** Cell py:"a" timeout:5\n1\n*** End\n',
  '*** Cell py:"a" t:1.5\n1\n*** End\n',
  '*** Cell py:"a" 30s\n1\n*** End\n',
  '*** Cell py:"a" reset\n1\n*** End\n',
  '*** Cell py:"a" rst:true\n1\n*** End\n',
  '*** Cell py:"a" color:red\n1\n*** End\n',
  '*** Cell py:"a"  t:5\n1\n*** End\n',
  '*** Cell py:"a"\r\n1\r\n*** End\r\n',
  '*** Cell py:"a"\n```py\n1\n```\n*** End\n',
  '```\n*** Cell py:"a"\n1\n*** End\n```\n',
  'Here it is:\n*** Cell py:"a"\n1\n*** End\n',
  '*** Cell py:"a"\n1\n*** End\nThat was it.\n',
  '*** Cell py:"a"\n1\n*** END\n',
  '*** Cell py:"a"\n1\n*** End of cells\n',
  '*** Cell py:"a"\n1\n*** End\n*** Cell js:"b"\n2\n*** End\n',
  '*** Cell py:"a"\n1\n*** Abort\n',
  '*** Cell py:"a"\n1\n',
  '*** Cell py:"a"\n**Cell js\n2\n*** End\n',
  '*** Cell py:"a"\n\t***end\n*** End\n',
  '*** Cell py:"a"\n\u00a0*** Cell js\n2\n*** End\n',
  'print(1)\n',
  '',
];

/** What a model must be able to write. */
const strict = [
  '*** Cell py:"load data" t:60 rst\nimport json\n\ndef f(**kwargs):\n    return kwargs\n\nf(\n    **environment,\n    **config,\n)\n*** End\n',
  '*** Cell js:"" t:500ms\nconst s = `\n```\ncode\n```\n`\n2\n** 3\n*** Cell py:"b" t:0\n%%bash\nls *\n*** End',
  '*** Cell py:"a text about cells"\ns = """\n\\*** Cell js:"x"\n\\*** End\n"""\n*** End\n',
  '*** Cell py:"an empty cell" rst\n*** End\n',
];

describe('the grammar', () => {
  let answers: Answers;

  beforeAll(() => {
    const { definition } = makeTool().grammar;
    const script = join(__dirname, 'fixtures', 'lark_samples.py');
    const request = { definition, seed: 7, count: 400, questions: [...lenient, ...strict] };
    const child = spawnSync(testPython(), [script], { input: JSON.stringify(request), encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (child.status !== 0) throw new Error(child.stderr);
    answers = JSON.parse(child.stdout) as Answers;
  }, 180_000);

  it('generates only strings that parse to what they say', () => {
    expect(answers.samples).toHaveLength(400);
    for (const { text, cells } of answers.samples) {
      expect(parseEvalInput(text).cells, JSON.stringify(text)).toEqual(cells);
    }
  });

  it('is stricter than the parser', () => {
    for (const [index, text] of lenient.entries()) {
      expect(answers.answers[index], JSON.stringify(text)).toBe(false);
      const parsed = parseEvalInput(text);
      expect(parsed.cells.length > 0 || parsed.aborted === true, JSON.stringify(text)).toBe(true);
    }
  });

  it('lets a model write every line of code', () => {
    for (const [index, text] of strict.entries()) {
      expect(answers.answers[lenient.length + index], JSON.stringify(text)).toBe(true);
      expect(parseEvalInput(text).notice, JSON.stringify(text)).toBeUndefined();
    }
  });
});
