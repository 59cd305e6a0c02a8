//! What parsing gives, and its shape on the TypeScript side.

use serde::Serialize;

use super::timeout::{Timeout, documented_milliseconds};
use crate::language::Language;

/// A call's input, parsed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ParsedEvalInput {
    /// In order. Empty only when the text was cut off before it finished a cell.
    pub cells: Vec<ParsedCell>,
    /// `*** Abort` was met: the cell in progress is not in `cells`.
    pub aborted: bool,
    /// What was ignored, one sentence a line.
    pub notice: Option<String>,
}

/// One cell.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ParsedCell {
    /// Place in the call, from 0.
    pub index: usize,
    pub title: Option<String>,
    /// The body, verbatim, with `\n` between lines.
    pub code: String,
    /// Header, else the previous cell's, else sniffed, else Python. What really runs also depends on what is
    /// available: see [`super::choose`].
    pub language: Language,
    pub language_origin: LanguageOrigin,
    /// As requested; `None` leaves it to the host's default.
    pub timeout: Option<Timeout>,
    /// Wipe this cell's language runtime first.
    pub reset: bool,
    /// The value is wanted as data. Only the `cells` form can ask for it.
    pub returns_json: bool,
    /// Line of the input where the body begins, from 1. 1 for a cell of the `cells` form.
    pub line: usize,
}

/// Who named the language.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LanguageOrigin {
    /// Header, fence or `language` field.
    Header,
    /// Nobody.
    Default,
}

/// Title, code, the deadline under the documented defaults, and what there are two of: 1 for JavaScript, 2 when nobody
/// named the language, 4 to wipe first. A word for each would be looked up for each cell.
type Row<'a> = (Option<&'a str>, &'a str, u64, u8);

/// What crosses to JavaScript, with each cell as a row of values: see `parsedInput` in `face/host.js`.
#[derive(Serialize)]
pub struct Rows<'a> {
    cells: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    aborted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'a str>,
}

impl ParsedEvalInput {
    pub fn rows(&self) -> Rows<'_> {
        let rows = self.cells.iter().map(|cell| {
            let milliseconds = documented_milliseconds(cell.timeout);
            let ParsedCell { title, code, language, language_origin, reset, .. } = cell;
            let flags = [*language == Language::Js, *language_origin == LanguageOrigin::Default, *reset];
            let flags = flags.iter().rev().fold(0, |all, flag| 2 * all + u8::from(*flag));
            (title.as_deref(), code.as_str(), milliseconds, flags)
        });
        Rows { cells: rows.collect(), aborted: self.aborted, notice: self.notice.as_deref() }
    }
}
