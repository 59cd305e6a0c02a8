//! A cell that cannot run: where, and why, in the words people know from Node.

use std::fmt;

use oxc_diagnostics::OxcDiagnostic;

/// A syntax error, found before anything ran. Lines and columns count from 1, columns in UTF-16 units.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SyntaxFailure {
    /// The cell it is in.
    pub cell: String,
    /// Without `SyntaxError:`.
    pub message: String,
    pub line: u32,
    pub column: u32,
    /// The line it points at, cut around the place when it is very long.
    pub source_line: String,
    /// Spaces and carets that stand under the place in `source_line`.
    pub caret: String,
}

impl fmt::Display for SyntaxFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cell, message, line, source_line, caret, .. } = self;
        write!(formatter, "{cell}:{line}\n{source_line}\n{caret}\n\nSyntaxError: {message}")
    }
}

impl std::error::Error for SyntaxFailure {}

/// Characters of a source line shown before and after the place.
const CONTEXT: usize = 80;

impl SyntaxFailure {
    /// Points at the bytes `start..end` of the source.
    pub(super) fn at(cell: &str, source: &str, start: u32, end: u32, message: impl Into<String>) -> Self {
        let start = floor(source, start as usize);
        let end = floor(source, end as usize).max(start);
        let before = &source[..start];
        let line_start = before.rfind(super::edits::is_line_end).map_or(0, |at| at + width_at(source, at));
        let line_end = source[start..].find(super::edits::is_line_end).map_or(source.len(), |at| start + at);
        let line = 1 + line_ends(&source[..line_start]);
        let column = 1 + utf16(&source[line_start..start]);
        let from = source[line_start..start]
            .char_indices()
            .rev()
            .nth(CONTEXT - 1)
            .map_or(line_start, |(at, _)| line_start + at);
        let to = source[start..line_end].char_indices().nth(CONTEXT).map_or(line_end, |(at, _)| start + at);
        let indent: String =
            source[from..start].chars().map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        let carets = source[start..end.min(to)].chars().take_while(|character| !super::edits::is_line_end(*character));
        let caret = format!("{indent}{}", "^".repeat(carets.count().max(1)));
        Self {
            cell: cell.to_owned(),
            message: message.into(),
            line,
            column,
            source_line: source[from..to].to_owned(),
            caret,
        }
    }

    /// The parser's or the scope analysis' complaint, in V8's words where they have some.
    pub(super) fn from_diagnostic(cell: &str, source: &str, diagnostic: &OxcDiagnostic) -> Self {
        // Of a redeclaration the second place is the wrong one; elsewhere the first label is the place.
        let redeclared = diagnostic.message.contains("has already been declared");
        let label = if redeclared { diagnostic.labels.last() } else { diagnostic.labels.first() };
        let (start, end) = label.map_or((0, 0), |label| (label.offset(), label.offset().saturating_add(label.len())));
        let start = floor(source, start as usize);
        let end = floor(source, end as usize).max(start);
        let token = source[start..end].trim();
        let mut message = diagnostic.message.replace('`', "'");
        if message.starts_with("Unexpected token") || message.starts_with("Expected") {
            if source[start..].trim().is_empty() {
                message = "Unexpected end of input".to_owned();
            } else if message == "Unexpected token" && !token.is_empty() && token.len() < 40 {
                message = format!("Unexpected token '{token}'");
            }
        }
        if let Some(help) = diagnostic.help.as_deref().filter(|_| message.starts_with("Expected")) {
            message = format!("{message} ({})", help.replace('`', "'"));
        }
        Self::at(cell, source, offset(start), offset(end), message)
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn floor(source: &str, at: usize) -> usize {
    source.floor_char_boundary(at.min(source.len()))
}

fn width_at(source: &str, at: usize) -> usize {
    source[at..].chars().next().map_or(1, char::len_utf8)
}

/// Line and column, both from 1, of a byte of the source.
pub(super) fn position(source: &str, at: u32) -> (u32, u32) {
    let at = floor(source, at as usize);
    let before = &source[..at];
    let line_start = before.rfind(super::edits::is_line_end).map_or(0, |end| end + width_at(source, end));
    (1 + line_ends(&source[..line_start]), 1 + utf16(&source[line_start..at]))
}

fn line_ends(text: &str) -> u32 {
    let mut lines = 0;
    let mut previous = ' ';
    for character in text.chars() {
        if super::edits::is_line_end(character) && !(character == '\n' && previous == '\r') {
            lines += 1;
        }
        previous = character;
    }
    lines
}

fn utf16(text: &str) -> u32 {
    offset(text.chars().map(char::len_utf16).sum())
}
