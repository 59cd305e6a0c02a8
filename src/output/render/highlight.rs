//! Colours for code: comments, strings, numbers and keywords of Python and JavaScript/TypeScript. A reader's aid, not a
//! parser: what it misreads is shown in the wrong colour, never lost.

use crate::language::Language;

use super::paint::{Paint, Style};

const PYTHON_KEYWORDS: &str = " and as assert async await break case class continue def del elif else except finally \
    for from global if import in is lambda match nonlocal not or pass raise return try while with yield False None True ";
const JS_KEYWORDS: &str = " abstract as async await break case catch class const continue debugger declare default \
    delete do else enum export extends false finally for from function get if implements import in instanceof interface \
    let namespace new null of private protected public readonly return satisfies set static super switch this throw true \
    try type typeof undefined var void while with yield ";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
}

/// The lines of the code, coloured.
pub(super) fn highlight(code: &str, language: Option<Language>, paint: Paint) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut lexer = Lexer { code, place: 0, language, operand: false };
    while let Some((kind, token)) = lexer.next() {
        for (number, piece) in token.split('\n').enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            let piece = piece.trim_end_matches('\r').replace('\t', "    ");
            let painted = match kind {
                Kind::Plain => piece,
                Kind::Comment => paint.dim(&piece),
                Kind::Text => paint.apply(Style::Green, &piece),
                Kind::Number => paint.apply(Style::Cyan, &piece),
                Kind::Keyword => paint.apply(Style::Magenta, &piece),
            };
            if let Some(line) = lines.last_mut() {
                line.push_str(&painted);
            }
        }
    }
    lines
}

struct Lexer<'a> {
    code: &'a str,
    place: usize,
    language: Option<Language>,
    /// Whether what came last is a value: a `/` after it divides.
    operand: bool,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Option<(Kind, &'a str)> {
        let rest = &self.code[self.place..];
        let first = rest.chars().next()?;
        let (kind, length) = match self.language {
            None => (Kind::Plain, rest.len()),
            Some(Language::Python) => self.python(rest, first),
            Some(Language::Js) => self.js(rest, first),
        };
        let length = length.clamp(first.len_utf8(), rest.len());
        let token = &rest[..length];
        match kind {
            Kind::Comment => {}
            Kind::Keyword => self.operand = false,
            Kind::Plain if token.trim().is_empty() => {}
            Kind::Plain => {
                self.operand = token.ends_with(|last: char| is_word(last) || matches!(last, ')' | ']' | '}'))
            }
            Kind::Text | Kind::Number => self.operand = true,
        }
        self.place += length;
        Some((kind, token))
    }

    fn python(&self, rest: &str, first: char) -> (Kind, usize) {
        if first == '#' {
            return (Kind::Comment, line_length(rest));
        }
        let prefix = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        if prefix <= 2 && rest[prefix..].starts_with(['"', '\'']) && is_string_prefix(&rest[..prefix]) {
            return (Kind::Text, prefix + python_string(&rest[prefix..]));
        }
        word(rest, first, PYTHON_KEYWORDS)
    }

    fn js(&self, rest: &str, first: char) -> (Kind, usize) {
        if rest.starts_with("//") {
            return (Kind::Comment, line_length(rest));
        }
        if let Some(body) = rest.strip_prefix("/*") {
            return (Kind::Comment, body.find("*/").map_or(rest.len(), |end| end + 4));
        }
        match first {
            '"' | '\'' => (Kind::Text, quoted(rest, first, false)),
            '`' => (Kind::Text, quoted(rest, first, true)),
            '/' if !self.operand => (Kind::Text, quoted(rest, '/', false)),
            _ => word(rest, first, JS_KEYWORDS),
        }
    }
}

fn line_length(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn word(rest: &str, first: char, keywords: &str) -> (Kind, usize) {
    if !is_word(first) {
        return (Kind::Plain, first.len_utf8());
    }
    if first.is_ascii_digit() {
        let is_number = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
        return (Kind::Number, rest.find(|letter| !is_number(letter)).unwrap_or(rest.len()));
    }
    let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
    let is_keyword = keywords.contains(&format!(" {} ", &rest[..length]));
    (if is_keyword { Kind::Keyword } else { Kind::Plain }, length)
}

fn is_string_prefix(prefix: &str) -> bool {
    prefix.chars().all(|letter| "rbuftRBUFT".contains(letter))
}

fn python_string(rest: &str) -> usize {
    for triple in ["\"\"\"", "'''"] {
        if let Some(body) = rest.strip_prefix(triple) {
            return body.find(triple).map_or(rest.len(), |end| end + 6);
        }
    }
    quoted(rest, if rest.starts_with('"') { '"' } else { '\'' }, false)
}

/// Length of a string with escapes; one that does not end takes its line.
fn quoted(rest: &str, quote: char, lines: bool) -> usize {
    let mut escaped = false;
    for (place, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !lines => return place,
            _ if letter == quote => return place + letter.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}
