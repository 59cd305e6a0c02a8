//! Which lines are markers: `*** Cell …`, `*** End`, `*** Abort`, and what older formats used in their place.

use super::header::names_language;
use super::text::is_space;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marker<'a> {
    /// `*** Cell`, with the rest of the line.
    Cell(&'a str),
    End,
    Abort,
}

/// Two or more `*`, a keyword in any case, white space anywhere around them.
pub fn marker(line: &str) -> Option<Marker<'_>> {
    // Nearly every line of every body ends here.
    if !matches!(line.as_bytes().first(), Some(b'*' | b' ' | b'\t') | Some(128..)) {
        return None;
    }
    let text = line.trim_start_matches(is_space);
    let after = text.trim_start_matches('*');
    let stars = text.len() - after.len();
    if stars < 2 {
        return None;
    }
    let indented = text.len() < line.len();
    let word = after.trim_start_matches(is_space);
    let code_like = indented && stars == 2 && word.starts_with(|c: char| c.is_lowercase());
    if let Some(rest) = keyword(word, "cell") {
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        // `f(` NEWLINE `    **cell` NEWLINE `)` is Python, and so is `** cell or {}`.
        return (!code_like || names_language(rest)).then_some(Marker::Cell(rest));
    }
    if code_like {
        return None;
    }
    if keyword(word, "end").is_some() || word.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("endcell")) {
        return Some(Marker::End);
    }
    keyword(word, "abort").map(|_| Marker::Abort)
}

/// What follows `name` at the beginning of `text`, when `name` is a word of its own there.
fn keyword<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.get(..name.len())?;
    let rest = &text[name.len()..];
    let ends = rest.chars().next().is_none_or(|next| !(next.is_alphanumeric() || next == '_'));
    (ends && start.eq_ignore_ascii_case(name)).then_some(rest)
}

/// A line of a body as it was meant: `\*** x` stands for `*** x`, and one backslash before anything else that would be a
/// marker stands for that line.
pub fn unescaped(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches([' ', '\t']);
    let rest = text.strip_prefix('\\').filter(|rest| rest.starts_with("**"))?;
    let indent = &line[..line.len() - text.len()];
    let escaped = (indent.is_empty() && rest.starts_with("*** ")) || marker(rest).is_some();
    escaped.then_some((indent, rest))
}

/// Whether `line`, as a line of code, must be written with a backslash.
pub fn needs_escape(line: &str) -> bool {
    line.starts_with("*** ") || marker(line).is_some()
}

/// The headers of older formats: `*** Begin PY` and `===== py:"title" t:10 =====`; the attributes.
///
/// They count only in input that has no `*** Cell` at all, and only from its first line on: as code, they are syntax
/// errors in both languages.
pub fn old_header(line: &str) -> Option<&str> {
    let text = line.trim_matches(is_space);
    let stars = text.trim_start_matches('*');
    if text.len() - stars.len() >= 2 {
        return keyword(stars.trim_start_matches(is_space), "begin")
            .map(|rest| strip_noun(rest.trim_start_matches(is_space)));
    }
    let opened = text.trim_start_matches('=');
    let closed = opened.trim_end_matches('=');
    let attributes = closed.trim_matches(is_space);
    let framed = text.len() - opened.len() >= 3 && opened.len() - closed.len() >= 3;
    (framed && names_language(attributes)).then_some(attributes)
}

/// `*** Begin Cell py` says the same as `*** Begin py`.
fn strip_noun(rest: &str) -> &str {
    keyword(rest, "cells").or_else(|| keyword(rest, "cell")).unwrap_or(rest)
}
