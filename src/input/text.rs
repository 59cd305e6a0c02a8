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

/// Lines without their ends; a final line end opens no further line.
pub fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n')
}
