// One table of cases for both languages (see also tests/prelude_table.rs).
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, runCell } from './support.js';

interface Case {
  title: string;
  op: string;
  args: unknown[];
  options?: Record<string, unknown>;
  result?: unknown;
  error?: string;
  kind?: 'argument' | 'missing' | 'failed';
  after?: { file: string; text: string };
}
interface Table {
  files: Record<string, string>;
  binary: Record<string, string>;
  folders: string[];
  links: Record<string, string>;
  session: Record<string, string>;
  cases: Case[];
}
interface Answer {
  result?: unknown;
  error?: string;
  kind?: string;
  after?: string;
}

const text = readFileSync(new URL('./prelude-cases.json', import.meta.url), 'utf8');

function make(): { cwd: string; session: string; cases: Case[] } {
  const base = makeFolder();
  const [cwd, session] = [join(base, 'cwd'), join(base, 'session')];
  // Paths hold nothing that JSON would escape.
  const filled = text.replaceAll('${cwd}', cwd).replaceAll('${session}', session);
  const table: Table = JSON.parse(filled);
  const write = (root: string, name: string, data: string | Buffer) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), data);
  };
  for (const [name, data] of Object.entries(table.files)) write(cwd, name, data);
  for (const [name, data] of Object.entries(table.binary)) write(cwd, name, Buffer.from(data, 'base64'));
  for (const [name, data] of Object.entries(table.session)) write(session, name, data);
  for (const name of table.folders) mkdirSync(join(cwd, name), { recursive: true });
  for (const [name, target] of Object.entries(table.links)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    symlinkSync(target, join(cwd, name));
  }
  // As text: Python sees all digits of every number.
  writeFileSync(join(base, 'cases.json'), filled);
  return { cwd, session, cases: table.cases };
}

// Each runs every case in order, in one cell, and gives what happened.
const PROGRAMS = {
  js: `
    const revive = (value) => value?.$bytes === undefined ? value : Uint8Array.from(Buffer.from(value.$bytes, 'base64'));
    const kindOf = (error) => error instanceof TypeError ? 'argument' : error.code === 'ENOENT' ? 'missing' : 'failed';
    const helpers = { read, write, append, sort, uniq, counter, diff, tree, env, output };
    const answers = [];
    for (const { op, args, options, after } of JSON.parse(fs.readFileSync('../cases.json', 'utf8')).cases) {
      const answer = {};
      try {
        answer.result = await helpers[op](...args.map(revive), ...(options === undefined ? [] : [options]));
      } catch (error) {
        answer.error = error.message;
        answer.kind = kindOf(error);
      }
      if (after !== undefined) answer.after = fs.readFileSync(after.file, 'utf8');
      answers.push(answer);
    }
    answers`,
  py: `
import base64, json
def revive(value):
    return base64.b64decode(value['$bytes']) if isinstance(value, dict) and '$bytes' in value else value
def kind_of(error):
    return 'argument' if isinstance(error, TypeError) else 'missing' if isinstance(error, FileNotFoundError) else 'failed'
helpers = dict(read=read, write=write, append=append, sort=sort, uniq=uniq, counter=counter, diff=diff, tree=tree, env=env, output=output)
answers = []
for case in json.load(open('../cases.json', encoding='utf-8'))['cases']:
    answer = {}
    try:
        answer['result'] = helpers[case['op']](*map(revive, case['args']), **case.get('options', {}))
    except (TypeError, OSError) as error:
        answer['error'], answer['kind'] = str(error), kind_of(error)
    if 'after' in case:
        answer['after'] = open(case['after']['file'], 'rb').read().decode('utf-8', 'replace')
    answers.append(answer)
answers`,
};

const expected = ({ result, error, kind, after }: Case): Answer => ({
  ...(error === undefined ? { result } : { error, kind }),
  ...(after === undefined ? {} : { after: after.text }),
});

/** An error's message begins as the table says; the rest may name more. */
const shortened = (answer: Answer, { error }: Case): Answer =>
  error !== undefined && answer.error?.startsWith(error) ? { ...answer, error } : answer;

describe.each(['js', 'py'] as const)('prelude helpers in %s', (language) => {
  it('give the result or the error that the table says for every case', async () => {
    const { cwd, session, cases } = make();
    const tool = makeTool({ cwd, env: { PI_ARTIFACTS_DIR: session }, output: { maxValueBytes: 10_000_000 } });
    const cell = await runCell(tool, language, PROGRAMS[language], { returns: 'json' });
    expect(cell.failure, cell.output).toBeUndefined();
    const answers = cell.value as Answer[];
    expect(answers).toHaveLength(cases.length);
    const name = ({ op, title }: Case, index: number) => `${index} ${op}: ${title}`;
    const actual = answers.map((answer, index) => [name(cases[index], index), shortened(answer, cases[index])]);
    expect(actual).toEqual(cases.map((row, index) => [name(row, index), expected(row)]));
    // One event for each helper that succeeded, in order.
    const succeeded = cases.filter(({ error }) => error === undefined).map(({ op }) => op);
    expect(cell.statusEvents?.map(({ op }) => op)).toEqual(succeeded);
  });
});
