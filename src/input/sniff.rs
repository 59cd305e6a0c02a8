//! Guesses a language from code, and only when the signs of exactly one are there.

use crate::language::Language;

/// How much of the code is looked at: enough for its imports and first statements, and the same time for any length.
const LOOKED_AT: usize = 16 * 1024;

/// The language of `code`, from its shebang, else from markers that only one language has. `None` when there are none,
/// or some of both.
pub fn sniff(code: &str) -> Option<Language> {
    let text = code.trim_start_matches(super::text::is_space);
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    if let Some(shebang) = text.strip_prefix("#!") {
        return from_shebang(shebang.lines().next().unwrap_or(""));
    }
    // The rest of such a cell is in whatever language the magic says.
    if text.starts_with("%%") && is_magic(text.lines().next().unwrap_or("").trim_end()) {
        return Some(Language::Python);
    }
    let (mut python, mut js) = (false, false);
    let mut inside = None;
    for line in text.lines() {
        if let Some(end) = inside {
            if line.contains(end) {
                inside = None;
            }
            continue;
        }
        let line = line.trim();
        python = python || is_python(line);
        js = js || (is_js(line) && !is_magic(line));
        if python && js {
            return None;
        }
        inside = opened(line);
    }
    match (python, js) {
        (true, false) => Some(Language::Python),
        (false, true) => Some(Language::Js),
        _ => None,
    }
}

fn from_shebang(line: &str) -> Option<Language> {
    let programs = line.split([' ', '\t', '/']).filter(|word| !word.is_empty());
    let names = programs.map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    names.into_iter().find_map(|name| match name {
        "python" | "pypy" | "ipython" | "uv" => Some(Language::Python),
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => Some(Language::Js),
        _ => None,
    })
}

/// What ends the string or comment that `line` leaves open: its lines are no code.
fn opened(line: &str) -> Option<&'static str> {
    for quotes in ["\"\"\"", "'''"] {
        if line.matches(quotes).count() % 2 == 1 {
            return Some(quotes);
        }
    }
    if line.starts_with("/*") && !line.contains("*/") {
        return Some("*/");
    }
    // Backquotes in Python stand in comments and strings only, and there in pairs.
    (line.matches('`').count() % 2 == 1).then_some("`")
}

fn is_python(line: &str) -> bool {
    let word = first_word(line);
    let rest = line[word.len()..].trim_start();
    let opens_block = line.trim_end().ends_with(':') || line.contains(": ");
    match word {
        "def" => rest.contains('(') && !rest.ends_with('{'),
        "class" => line.ends_with(':'),
        "elif" | "except" | "try" | "finally" | "with" | "while" | "for" | "if" | "else" if line.ends_with('{') => {
            false
        }
        "elif" | "except" | "with" => opens_block && !rest.is_empty() || line == "except:",
        "try" | "else" | "finally" => rest == ":",
        "if" | "while" => line.ends_with(':') && !rest.starts_with('('),
        "for" => rest.contains(" in ") && line.ends_with(':'),
        "async" => {
            rest.starts_with("def ") || rest.starts_with("with ") || (rest.starts_with("for ") && line.ends_with(':'))
        }
        "from" => rest.split_once(" import ").is_some_and(|(module, _)| is_dotted(module.trim())),
        "import" => is_python_import(rest),
        "print" => rest.starts_with('(') && !line.ends_with(';'),
        "raise" => rest.starts_with(|c: char| c.is_ascii_uppercase()),
        "assert" => !rest.is_empty() && !rest.starts_with(['(', '.', '=']) && !line.ends_with(';'),
        "lambda" | "nonlocal" | "global" => !rest.is_empty() && !rest.starts_with(['.', '=', '(']),
        "" => line.starts_with("# ") || is_magic(line) || is_python_decorator(line) || has_python_word(line),
        _ => has_python_word(line),
    }
}

/// Words inside a line that JavaScript cannot have there.
fn has_python_word(line: &str) -> bool {
    let words = [
        " is not None",
        " is None",
        " not in ",
        "(self)",
        "(self,",
        "self.",
        "lambda ",
        "= None",
        "= True",
        "= False",
        "=f\"",
        "= f\"",
        "(f\"",
        "(f'",
        "= f'",
    ];
    !line.ends_with(';') && words.iter().any(|word| line.contains(word)) && !line.contains("=>")
}

fn is_python_import(rest: &str) -> bool {
    let rest = rest.split('#').next().unwrap_or(rest).trim();
    !rest.is_empty()
        && rest.split(',').all(|part| {
            let part = part.trim();
            is_dotted(part.split_once(" as ").map_or(part, |(module, _)| module.trim()))
        })
}

fn is_dotted(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// `%timeit …`, `%%bash`, `!ls`: conveniences that only Python cells have.
fn is_magic(line: &str) -> bool {
    let name = line.trim_start_matches('%');
    let percent = matches!(line.len() - name.len(), 1 | 2) && name.starts_with(|c: char| c.is_ascii_alphabetic());
    percent
        || line.strip_prefix('!').is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_lowercase())
                && rest.contains(' ')
                && !rest.contains(['(', '=', '&', ';'])
        })
}

/// Decorators exist in TypeScript too; there they stand on classes and take arguments of the framework.
fn is_python_decorator(line: &str) -> bool {
    ["@dataclass", "@property", "@staticmethod", "@classmethod", "@functools.", "@pytest."]
        .iter()
        .any(|name| line.starts_with(name))
}

fn is_js(line: &str) -> bool {
    let word = first_word(line);
    let rest = line[word.len()..].trim_start();
    let names = rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '{' | '['));
    match word {
        "const" | "let" | "var" => names && (line.contains('=') || line.ends_with(';') || rest.contains(':')),
        "function" => rest.contains('('),
        "async" => rest.starts_with("function") || rest.starts_with('(') || line.contains("=>"),
        "import" => is_js_import(rest),
        "export" => {
            ["const ", "let ", "function", "class ", "default ", "async ", "type ", "interface ", "{", "* from"]
                .iter()
                .any(|start| rest.starts_with(start))
        }
        "interface" | "enum" | "namespace" => names && line.contains('{'),
        "type" => names && rest.contains(" = "),
        "class" => line.contains('{'),
        "console" => rest.starts_with('.'),
        "throw" => rest.starts_with("new "),
        "if" | "while" | "for" | "switch" | "catch" | "try" | "else" | "do" => line.ends_with('{'),
        _ => line.starts_with("//") || line.starts_with("/*") || line.starts_with("});") || has_js_word(line),
    }
}

/// Signs inside a line that Python cannot have there.
fn has_js_word(line: &str) -> bool {
    let words = [
        "=> ",
        "=>{",
        " === ",
        " !== ",
        "require(",
        "console.log(",
        " && ",
        " || ",
        "await import(",
        "new Map(",
        "new Set(",
        "new Promise(",
        "new Date(",
        "new Error(",
        "?.",
        "${",
    ];
    !line.starts_with('#') && words.iter().any(|word| line.contains(word))
}

fn is_js_import(rest: &str) -> bool {
    rest.starts_with(['{', '*', '"', '\'', '('])
        || rest.starts_with("type ")
        || rest.split_once(" from ").is_some_and(|(_, module)| module.trim_start().starts_with(['"', '\'']))
}

fn first_word(line: &str) -> &str {
    &line[..line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(line.len())]
}
