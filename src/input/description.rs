//! The prompt a model reads about the tool.

use super::choose::Availability;
use crate::language::Language;

/// The model-facing description, about the languages that are enabled and available and no others.
pub fn description(availability: &Availability) -> String {
    let python = availability.usable(Language::Python);
    let js = availability.usable(Language::Js);
    if !python && !js {
        return NONE.to_owned();
    }
    let mut text = String::new();
    text.push_str(match (python, js) {
        (true, true) => "Run Python and JavaScript/TypeScript in cells, like a notebook.",
        (true, false) => "Run Python in cells, like a notebook.",
        _ => "Run JavaScript/TypeScript in cells, like a notebook.",
    });
    text.push_str(INTRODUCTION);
    text.push_str(&format(python, js));
    text.push_str(WORK);
    text.push_str("# Languages\n\n");
    if python {
        text.push_str(PYTHON);
    }
    if js {
        text.push_str(JS);
    }
    if python && js {
        text.push_str("- Cells of both may mix in one call; their variables are separate.\n");
    }
    text.push_str(&helpers(python, js));
    text.push_str(FAILURE);
    text
}

const NONE: &str = "Runs cells of code, but this host has no language for them: every call fails. Do not use it.\n";

const INTRODUCTION: &str = " Variables, imports and functions persist between cells and between calls.\n\n";

fn format(python: bool, js: bool) -> String {
    let example = if python {
        "*** Cell py:\"load data\" t:60\nimport json\nrows = json.load(open('rows.json'))\nlen(rows)\n"
    } else {
        "*** Cell js:\"load data\" t:60\nconst rows = JSON.parse(await read('rows.json'))\nrows.length\n"
    };
    let second = if js {
        "*** Cell js:\"check the service\"\nconst answer = await fetch('http://localhost:8080/')\nanswer.status\n"
    } else {
        "*** Cell py:\"count by kind\"\ncounter([row['kind'] for row in rows])\n"
    };
    let language = match (python, js) {
        (true, true) => "`py:\"title\"` or `js:\"title\"`: the language and a few words on what the cell does",
        (true, false) => "`py:\"title\"`: a few words on what the cell does",
        _ => "`js:\"title\"`: a few words on what the cell does",
    };
    format!(
        "# Input\n\n```\n{example}{second}*** End\n```\n\nEach cell is a header line and the code below it, as it is: no \
         quoting, no fence. Header, in this order:\n\n- {language}\n- `t:60` optional: deadline in seconds (also `500ms`, \
         `2m`); `t:0` is the longest allowed\n- `rst` optional: wipe the variables of this language first\n\nEnd with \
         `*** End`. `*** Abort` drops the cell you are writing. A line of code that begins with `*** ` is written \
         `\\*** `.\n\n"
    )
}

const WORK: &str = "# How to work\n\n\
    - Small steps: one thing per cell, look at what it shows, build on the variables you have.\n\
    - Do not read, import or compute again what is already there.\n\
    - The value of the last expression is shown. Long output is cut; the result names the file with all of it.\n\
    - Cells run in order. The first that fails stops the call; later ones do not run.\n\
    - There is no standard input.\n\n";

const PYTHON: &str = "- Python: `await` works at top level. Figures, images and data frames show. `%pip install`, `!command`, \
    `%%bash` and the usual magics work.\n";

const JS: &str = "- JavaScript: `await`, `import` and `require` work at top level, types are allowed, `const` may be declared \
    again in a later cell. Node's globals and `fs` are there.\n";

fn helpers(python: bool, js: bool) -> String {
    let calls = match (python, js) {
        (true, true) => {
            "Python: `read('a.txt', limit=20)`. JavaScript: `await read('a.txt', { limit: 20 })`; `display`, `print` need no `await`."
        }
        (true, false) => "For example `read('a.txt', limit=20)`.",
        _ => "For example `await read('a.txt', { limit: 20 })`; `display` and `print` need no `await`.",
    };
    let tools = match (python, js) {
        (true, true) => "Python `tool.search(query='x')`, JavaScript `await tool.search({ query: 'x' })`",
        (true, false) => "`tool.search(query='x')`; in async code `await` it",
        _ => "`await tool.search({ query: 'x' })`; `Promise.all` runs several",
    };
    format!(
        "\n# Helpers\n\n{calls}\n\n\
         - `display(value)` shows a value, an object as JSON; `print(…)`\n\
         - `read(path, offset=1, limit)`, `write(path, data)`, `append(path, data)`, `tree(path, max_depth=3)`\n\
         - `sort(text)`, `uniq(text)`, `counter(items)`, `diff(a, b)`, `env(key, value)`\n\
         - `output(id)` reads the saved output of an earlier tool call\n\
         - `tool.<name>(args)` calls another tool of yours from code: {tools}. It returns the result; an error is \
         raised as `ToolError`.\n\n"
    )
}

const FAILURE: &str = "# When a cell fails\n\n\
    - Earlier cells ran and their variables are kept. Fix and send only the failed cell and those after it.\n\
    - What the failed cell had set before the error is kept too; `Not updated:` lists the names it did not get to.\n\
    - Timed out or aborted: the result says whether variables survived. If they did, go on from them; give long work a \
    larger `t:`.\n\
    - If the kernel ended, variables of that language are gone: define again what you need. Nothing is run twice by \
    itself.\n";
