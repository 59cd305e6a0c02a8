import { describe, expect, it } from 'vitest';
import { makeFolder, makeTool, py, runCells, testPython, textOf } from './support.js';

const cells = (...codes: string[]) => codes.map((code) => ({ language: 'py', code }));
const packages = () => makeTool({ python: { interpreter: testPython() } });
const PNG = /^iVBORw0KGgo/;

describe('the display rules of Python cells', () => {
  it('PNG and JPEG of one object are one image, the PNG; SVG is kept and not sent to the model', async () => {
    const result = await runCells(makeTool(), cells(`class A:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'image/jpeg': b'jpeg', 'image/png': b'png', 'image/svg+xml': '<svg/>'}
A()`));
    expect(result.details.images?.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/svg+xml']);
    expect(result.content.slice(1)).toEqual([{ type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') }]);
  });

  it('text is markdown before plain text before HTML, and HTML counts when the plain text only names the object', async () => {
    const result = await runCells(makeTool(), cells(
      `class Markdown:\n    def _repr_markdown_(self): return '# title'\n    def _repr_html_(self): return '<b>no</b>'\nMarkdown()`,
      `class Plain:\n    def __repr__(self): return 'plain'\n    def _repr_html_(self): return '<b>no</b>'\nPlain()`,
      `class Html:\n    def _repr_html_(self): return '<table><tr><th>a</th></tr><tr><td>1</td></tr></table>'\nHtml()`,
    ));
    const [markdown, plain, html] = result.details.cells;
    expect([markdown.output, markdown.hasMarkdown]).toEqual(['# title', true]);
    expect([plain.output, plain.hasMarkdown]).toEqual(['plain', undefined]);
    expect(html.output).toMatch(/\|\s*a\s*\|/);
    expect(html.hasMarkdown).toBe(true);
  });

  it('application/json goes to jsonOutputs, and so do dict, list and tuple that are displayed', async () => {
    const result = await runCells(makeTool(), cells(`class A:\n    def _repr_json_(self): return {'a': 1}\ndisplay(A(), [1], (2,), {'k': None})`));
    expect(result.details.jsonOutputs).toEqual([{ a: 1 }, [1], [2], { k: null }]);
  });

  it('a form that fails says so and costs only itself', async () => {
    const cell = await py(makeTool(), `class A:\n    def __repr__(self): return 'shown'\n    def _repr_png_(self): raise ValueError('broken')\nA()`);
    expect([cell.status, cell.output]).toEqual(['complete', 'A._repr_png_ failed: ValueError: broken\nshown']);
  });

  it('classes, and objects that answer to every name, are shown as text', async () => {
    const cell = await py(makeTool(), `class E:\n    def __getattr__(self, name): return lambda *a, **k: 'all'\n    def __repr__(self): return 'E'\nclass P:\n    def _repr_png_(self): return b'x'\ndisplay(E(), P)`);
    expect([cell.status, cell.output]).toEqual(['complete', "E\n<class '__main__.P'>"]);
  });

  it('lone surrogates are shown escaped in printed text, values and JSON', async () => {
    const result = await runCells(makeTool(), cells(`print('\\udce9 \\ud83d')\ndisplay({'k': '\\udfff'})\n'\\udead'`));
    expect(result.details.isError).toBeUndefined();
    expect(result.details.cells[0].output).toContain(`\\udce9 \\ud83d`);
    expect(result.details.cells[0].output).toContain(`'\\udead'`);
  });

  it('output is UTF-8 whatever the locale', async () => {
    const tool = makeTool({ cwd: makeFolder(), env: { LC_ALL: 'C', PYTHONIOENCODING: 'latin-1' } });
    const cell = await py(tool, `größe = 'h\u00e9 \u6f22 \u{1f600}'\nprint(größe)\nimport sys; sys.stdout.buffer.write(b'\\xff bin\\n'); None`);
    expect(cell.output).toBe('h\u00e9 \u6f22 \u{1f600}\n\ufffd bin');
  });
});

describe('libraries in Python cells', () => {
  it('each open figure is shown once per cell and closed, also with the error of a failing cell', async () => {
    const tool = packages();
    const images = async (code: string) => (await runCells(tool, cells(code))).details.images?.map(({ data }) => PNG.test(data)) ?? [];
    expect(await images('import matplotlib.pyplot as plt\nfig, ax = plt.subplots(); ax.plot([1, 2]); plt.show(); fig')).toEqual([true]);
    expect(await images('plt.plot([3, 4]); 1 / 0')).toEqual([true]);
    expect(await images(`print('no figure here')`)).toEqual([]);
    expect(await images('plt.figure(); plt.figure(); None')).toEqual([true, true]);
    expect((await py(tool, `import os\n[plt.get_fignums(), os.environ.get('MPLBACKEND'), plt.get_backend().lower()]`, { returns: 'json' })).value).toEqual([[], null, 'agg']);
  }, 120_000);

  it('nothing is imported that the user did not import', async () => {
    const names = ['matplotlib', 'pandas', 'PIL', 'plotly', 'numpy', 'subprocess', 'asyncio', 'json', 'traceback', 'inspect'];
    const tool = packages();
    await py(tool, `display([1], 5)`);
    expect((await py(tool, `import sys\n[name for name in ${JSON.stringify(names)} if name in sys.modules]`, { returns: 'json' })).value).toEqual([]);
  });

  it('pandas, PIL and plotly show natively', async () => {
    const result = await runCells(packages(), cells(
      `import pandas\npandas.DataFrame({'a': [1, 2]})`,
      `from PIL import Image\nImage.new('CMYK', (2, 2)).show()\nImage.new('RGB', (2, 2))`,
      `import plotly.graph_objects as go\nfigure = go.Figure(go.Scatter(x=[1, 2], y=[3, float('nan')]))\nfigure.show()\nfigure`,
    ));
    expect(result.details.isError, textOf(result)).toBeUndefined();
    expect(result.details.cells[0].output).toBe('   a\n0  1\n1  2');
    expect(result.details.images?.map(({ data }) => PNG.test(data))).toEqual([true, true]);
    expect(result.details.jsonOutputs).toMatchObject([{ data: [{ y: [3, null] }] }, { data: [{ x: [1, 2] }] }]);
  }, 120_000);
});
