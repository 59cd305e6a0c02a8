//! What parsing gives, and its shape on the TypeScript side.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

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

impl Serialize for ParsedEvalInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 1 + usize::from(self.aborted) + usize::from(self.notice.is_some());
        let mut object = serializer.serialize_struct("ParsedEvalInput", fields)?;
        object.serialize_field("cells", &self.cells)?;
        if self.aborted {
            object.serialize_field("aborted", &true)?;
        }
        if let Some(notice) = &self.notice {
            object.serialize_field("notice", notice)?;
        }
        object.end()
    }
}

/// `timeoutMs` is what the cell gets under the documented defaults: [`documented_milliseconds`].
impl Serialize for ParsedCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ParsedCell", 6 + usize::from(self.title.is_some()))?;
        object.serialize_field("index", &self.index)?;
        if let Some(title) = &self.title {
            object.serialize_field("title", title)?;
        }
        object.serialize_field("code", &self.code)?;
        object.serialize_field("language", &self.language)?;
        object.serialize_field("languageOrigin", &self.language_origin)?;
        object.serialize_field("timeoutMs", &documented_milliseconds(self.timeout))?;
        object.serialize_field("reset", &self.reset)?;
        object.end()
    }
}
