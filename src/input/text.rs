//! Characters and lines, as this language sees them.

use std::borrow::Cow;

/// The text without a byte order mark, with `\n` as its only line end.
pub fn normalized(input: &str) -> Cow<'_, str> {
    let text = input.strip_prefix('\u{feff}').unwrap_or(input);
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for (index, part) in text.split('\r').enumerate() {
        let line = if index == 0 { part } else { part.strip_prefix('\n').unwrap_or(part) };
        if index > 0 {
            clean.push('\n');
        }
        clean.push_str(line);
    }
    Cow::Owned(clean)
}

/// White space of any script, and the marks that copying leaves behind and nobody sees. The joiners U+200C and U+200D are
/// not among them: emoji and several scripts need them.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
}

pub fn is_blank(line: &str) -> bool {
    line.chars().all(is_space)
}

/// Lines without their ends, with the offset where each begins; a final line end opens one more, empty, line.
///
/// Bytes are compared one by one: lines are short, and a search that prepares itself for long ones is slower for them.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = &text[start..];
        let length = rest.bytes().position(|byte| byte == b'\n');
        next = length.map(|length| start + length + 1);
        Some((start, length.map_or(rest, |length| &rest[..length])))
    })
}

/// Without the blank lines at the end; the last line that is not blank keeps its spaces.
pub fn without_trailing_blanks(text: &str) -> &str {
    let end = text.trim_end_matches(is_space).len();
    let spaces = text[end..].find('\n').unwrap_or(text.len() - end);
    if end == 0 { "" } else { &text[..end + spaces] }
}

/// Length of the blank lines at the beginning, with their ends.
pub fn leading_blanks(text: &str) -> usize {
    let start = text.len() - text.trim_start_matches(is_space).len();
    text[..start].rfind('\n').map_or(0, |newline| newline + 1)
}
