//! From the lines of a cell to its code.

use super::fence::single_block;
use super::marker::unescaped;
use super::text::{lines, without_trailing_blanks};
use crate::language::Language;

#[derive(Debug, Eq, PartialEq)]
pub struct Body {
    pub code: String,
    /// What a fence around the whole body named.
    pub language: Option<Language>,
    /// Lines of the body that stand before the code.
    pub skipped: usize,
    /// The fence that opens the body is never closed.
    pub unclosed_fence: bool,
}

/// A body is verbatim, except for blank lines at its end, a fence around all of it, and backslashes before markers.
pub fn body(raw: &str) -> Body {
    let text = without_trailing_blanks(raw);
    let block = single_block(text);
    let inner = block.as_ref().map_or(text, |block| without_trailing_blanks(block.inner));
    Body {
        code: unescaped_lines(inner),
        language: block.as_ref().and_then(|block| block.language),
        skipped: block.as_ref().map_or(0, |block| block.skipped),
        unclosed_fence: block.is_some_and(|block| block.unclosed),
    }
}

fn unescaped_lines(text: &str) -> String {
    // Most bodies have no backslash at all, which is known sooner.
    if !text.as_bytes().contains(&b'\\') || !text.contains("\\**") {
        return text.to_owned();
    }
    let mut code = String::with_capacity(text.len());
    for (start, line) in lines(text) {
        if start > 0 {
            code.push('\n');
        }
        match unescaped(line) {
            Some((indent, rest)) => {
                code.push_str(indent);
                code.push_str(rest);
            }
            None => code.push_str(line),
        }
    }
    code
}
