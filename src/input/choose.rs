//! Which language a cell runs in.

use super::cell::{LanguageOrigin, ParsedCell};
use super::sniff::sniff;
use crate::error::{ErrorCode, EvalError};
use crate::language::Language;

/// What this host lets cells be written in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Availability {
    pub python_enabled: bool,
    /// Whether an interpreter was found; if not, what was tried.
    pub python_available: Result<(), String>,
    pub js_enabled: bool,
}

impl Availability {
    pub fn usable(&self, language: Language) -> bool {
        match language {
            Language::Python => self.python_enabled && self.python_available.is_ok(),
            Language::Js => self.js_enabled,
        }
    }
}

/// A decision, and what the reader must know about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice {
    pub language: Language,
    /// The cell fell back to another language than it seemed to want.
    pub notice: Option<String>,
}

/// Decides for one cell. `previous` is the language that the previous cell of the call really got.
///
/// # Errors
/// `EVAL_LANGUAGE_DISABLED` or `EVAL_PYTHON_UNAVAILABLE` for a language that the cell names, `EVAL_NO_LANGUAGE` when
/// there is none to fall back to.
pub fn choose(cell: &ParsedCell, previous: Option<Language>, availability: &Availability) -> Result<Choice, EvalError> {
    let number = cell.index + 1;
    if cell.language_origin == LanguageOrigin::Header {
        return named(cell.language, number, availability);
    }
    if let Some(language) = previous.filter(|language| availability.usable(*language)) {
        return Ok(Choice { language, notice: None });
    }
    let meant = sniff(&cell.code);
    if let Some(language) = meant.filter(|language| availability.usable(*language)) {
        return Ok(Choice { language, notice: None });
    }
    if availability.usable(Language::Python) {
        let notice = meant
            .map(|_| format!("Cell {number} looks like JavaScript, which is switched off here, so it ran as Python."));
        return Ok(Choice { language: Language::Python, notice });
    }
    if availability.usable(Language::Js) {
        return Ok(Choice { language: Language::Js, notice: python_missing(meant, number, availability) });
    }
    Err(no_language(availability))
}

fn named(language: Language, number: usize, availability: &Availability) -> Result<Choice, EvalError> {
    let (enabled, other) = match language {
        Language::Python => (availability.python_enabled, Language::Js),
        Language::Js => (availability.js_enabled, Language::Python),
    };
    let advice = if availability.usable(other) { format!(" Write it in {}.", other.title()) } else { String::new() };
    if !enabled {
        let message = format!("Cell {number} is in {}, which is switched off here.{advice}", language.title());
        return Err(EvalError::new(ErrorCode::LanguageDisabled, message));
    }
    match &availability.python_available {
        Err(tried) if language == Language::Python => {
            let message = format!("Cell {number} is in Python, but no Python 3 was found. {}{advice}", sentence(tried));
            Err(EvalError::new(ErrorCode::PythonUnavailable, message))
        }
        _ => Ok(Choice { language, notice: None }),
    }
}

/// JavaScript runs in place of Python: silent only where the host offers nothing else and nothing else was meant.
fn python_missing(meant: Option<Language>, number: usize, availability: &Availability) -> Option<String> {
    let meant = meant.is_some();
    match (&availability.python_available, availability.python_enabled, meant) {
        (_, false, false) => None,
        (_, false, true) => {
            Some(format!("Cell {number} looks like Python, which is switched off here, so it ran as JavaScript."))
        }
        (tried, true, meant) => {
            let cause = if meant { "looks like Python" } else { "names no language" };
            let tried = tried.as_ref().err().map(|tried| format!(" {}", sentence(tried))).unwrap_or_default();
            Some(format!("Cell {number} {cause}, but Python is unavailable, so it ran as JavaScript.{tried}"))
        }
    }
}

fn no_language(availability: &Availability) -> EvalError {
    let python = match (&availability.python_available, availability.python_enabled) {
        (_, false) => "Python is switched off".to_owned(),
        (Err(tried), true) => format!("no Python 3 was found ({})", tried.trim().trim_end_matches('.')),
        (Ok(()), true) => "Python cannot be used".to_owned(),
    };
    let message = format!("No language can run this cell: {python}, and JavaScript is switched off.");
    EvalError::new(ErrorCode::NoLanguage, message)
}

/// With a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
