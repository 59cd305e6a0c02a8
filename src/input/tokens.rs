//! Header text to tokens: words, `key:value` pairs, and quoted values that keep their spaces.

use std::borrow::Cow;

use super::text::is_space;

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Token<'a> {
    /// What stands before `:` or `=`, when that is a word.
    pub key: Option<&'a str>,
    /// `=` stood between key and value: many things are written that way that are no attributes.
    pub equals: bool,
    pub value: Cow<'a, str>,
    pub quoted: bool,
    /// The whole token as it stands in the header.
    pub raw: &'a str,
}

const DOUBLE: [char; 5] = ['"', '“', '”', '„', '‟'];
const SINGLE: [char; 5] = ['\'', '‘', '’', '‚', '‛'];

/// Reads tokens from left to right; never fails.
pub struct Tokens<'a> {
    rest: &'a str,
    /// For each kind of quote, how much text is left behind the last one that can close a value: plain, and any of
    /// the kind. A search for a closing quote starts only where one exists, which keeps the whole linear.
    last: [(Option<usize>, Option<usize>); 2],
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut tokens = Self { rest: text, last: [(None, None); 2] };
        for (offset, character) in text.char_indices() {
            let Some(kind) = kind_of(character) else { continue };
            let behind = &text[offset + character.len_utf8()..];
            if ends_value(behind) {
                let (plain, any) = &mut tokens.last[kind];
                *any = Some(behind.len());
                if character.is_ascii() {
                    *plain = Some(behind.len());
                }
            }
        }
        tokens
    }

    /// The value at the beginning of `text`, and what follows it.
    fn value(&self, text: &'a str) -> (Cow<'a, str>, bool, &'a str) {
        let opening = text.chars().next();
        if let Some((opening, kind)) = opening.and_then(|quote| Some((quote, kind_of(quote)?))) {
            let inner = &text[opening.len_utf8()..];
            let (plain, any) = self.last[kind];
            let reachable = |last: Option<usize>| last.filter(|left| *left < inner.len());
            let found = match (opening.is_ascii(), reachable(plain), reachable(any)) {
                (true, Some(last), _) => close(inner, opening, last, |c| c == opening),
                (_, _, Some(last)) => close(inner, opening, last, |c| kind_of(c) == Some(kind)),
                _ => None,
            };
            if let Some((value, rest)) = found {
                return (value, true, rest);
            }
            let (word, rest) = word(inner);
            return (Cow::Borrowed(word), false, rest);
        }
        let (word, rest) = word(text);
        (Cow::Borrowed(word), false, rest)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let text = self.rest.trim_start_matches(is_space);
        if text.is_empty() {
            return None;
        }
        let (key, equals, value_text) = split_key(text);
        let (value, quoted, rest) = self.value(value_text);
        let raw = &text[..text.len() - rest.len()];
        // A comma between attributes is a habit of other languages.
        self.rest = if quoted { rest.strip_prefix(',').unwrap_or(rest) } else { rest };
        let value = match value {
            Cow::Borrowed(word) if !quoted => Cow::Borrowed(word.strip_suffix(',').unwrap_or(word)),
            value => value,
        };
        Some(Token { key, equals, value, quoted, raw })
    }
}

fn kind_of(character: char) -> Option<usize> {
    if DOUBLE.contains(&character) {
        Some(0)
    } else if SINGLE.contains(&character) {
        Some(1)
    } else {
        None
    }
}

/// A quote closes only before white space, a comma or the end: the one in `'don't'` is a letter like any other.
fn ends_value(behind: &str) -> bool {
    behind.chars().next().is_none_or(|next| next == ',' || is_space(next))
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(is_space).unwrap_or(text.len()))
}

/// Finds the closing quote. `\"` is a quote inside the value, unless no other one closes it, and so is a pair that
/// opens behind a space, as in `"say "hi" now"`.
fn close<'a>(
    inner: &'a str,
    opening: char,
    last: usize,
    closes: impl Fn(char) -> bool,
) -> Option<(Cow<'a, str>, &'a str)> {
    let mut escapes = false;
    let mut nested = false;
    let mut before = opening;
    let mut candidate = None;
    let mut characters = inner.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let previous = std::mem::replace(&mut before, character);
        if character == '\\'
            && let Some(&(_, next)) = characters.peek()
            && next == opening
            && inner.len() - offset - 1 - next.len_utf8() > last
        {
            escapes = true;
            characters.next();
            continue;
        }
        if !closes(character) {
            continue;
        }
        let rest = &inner[offset + character.len_utf8()..];
        if !ends_value(rest) {
            nested = nested || is_space(previous);
            continue;
        }
        candidate = Some((offset, rest));
        if !std::mem::take(&mut nested) {
            break;
        }
    }
    let (end, rest) = candidate?;
    let value = &inner[..end];
    let plain = || value.replace(&format!("\\{opening}"), &opening.to_string());
    Some((if escapes { Cow::Owned(plain()) } else { Cow::Borrowed(value) }, rest))
}

/// `key:` or `key=` at the beginning; the key begins with a letter, so that `12:30` and `https` in `a/https:` stay words.
fn split_key(text: &str) -> (Option<&str>, bool, &str) {
    let length = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    let (key, behind) = text.split_at(length);
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return (None, false, text);
    }
    match behind.chars().next() {
        Some(separator @ (':' | '：' | '=')) => (Some(key), separator == '=', &behind[separator.len_utf8()..]),
        _ => (None, false, text),
    }
}
