//! The attributes of a header.

use super::text::is_space;
use super::timeout::Timeout;
use super::tokens::{Token, Tokens};
use crate::error::{ErrorCode, EvalError};
use crate::language::Language;

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Header {
    pub language: Option<Language>,
    pub title: Option<String>,
    pub timeout: Option<Timeout>,
    pub reset: bool,
}

/// What a key stands for.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Attribute {
    /// `py:"title"`.
    Language(Language),
    /// `language:py`.
    LanguageName,
    Title,
    Timeout,
    Reset,
}

/// Every spelling of every key, besides the names of languages; in any case.
const KEYS: [(&str, Attribute); 14] = [
    ("t", Attribute::Timeout),
    ("timeout", Attribute::Timeout),
    ("duration", Attribute::Timeout),
    ("time", Attribute::Timeout),
    ("rst", Attribute::Reset),
    ("reset", Attribute::Reset),
    ("id", Attribute::Title),
    ("title", Attribute::Title),
    ("name", Attribute::Title),
    ("cell", Attribute::Title),
    ("file", Attribute::Title),
    ("label", Attribute::Title),
    ("lang", Attribute::LanguageName),
    ("language", Attribute::LanguageName),
];

fn attribute(key: &str) -> Option<Attribute> {
    let known = KEYS.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, attribute)| *attribute);
    known.or_else(|| Language::from_name(key).map(Attribute::Language))
}

/// Whether the first attribute names a language.
pub fn names_language(attributes: &str) -> bool {
    // Only the first word counts; a long line is not tokenized for it.
    let word = attributes.trim_start_matches(is_space);
    let word = &word[..word.find(is_space).unwrap_or(word.len())];
    let name = word.split([':', '：', '=', ',']).next().unwrap_or(word);
    Language::from_name(name).is_some()
}

/// Reads what follows `*** Cell`; `line` counts from 1.
///
/// # Errors
/// `EVAL_PARSE` for a duration or a `rst` value that is none. Everything else has a meaning or is ignored.
pub fn header(attributes: &str, line: usize) -> Result<Header, EvalError> {
    let mut reader = Reader { line, ..Reader::default() };
    let mut tokens = Tokens::new(undecorated(attributes)).peekable();
    while let Some(token) = tokens.next() {
        let known = token.key.and_then(attribute);
        match (token.key, known) {
            (Some(_), Some(Attribute::Timeout | Attribute::Reset)) if token.value.is_empty() && !token.quoted => {
                // `t: 30s`, `rst: true`.
                let value = tokens.next_if(|next| next.key.is_none());
                reader.attribute(known, &value.unwrap_or(token))?;
            }
            (Some(_), Some(_)) => reader.attribute(known, &token)?,
            (Some(_), None) if !token.equals && !token.value.is_empty() => {}
            _ => reader.word(&token),
        }
    }
    Ok(reader.finish())
}

/// Without the closing stars of `**Cell py**` and `*** Cell py ***`, or the `=====` of older formats.
fn undecorated(attributes: &str) -> &str {
    let text = attributes.trim_end_matches(is_space);
    let bare = text.trim_end_matches(['*', '=']);
    if text.len() - bare.len() >= 2 { bare } else { text }
}

#[derive(Default)]
struct Reader {
    line: usize,
    language: Option<Language>,
    timeout: Option<Timeout>,
    reset: Option<bool>,
    title: String,
    /// A key gave the title; another one is a repetition.
    titled: bool,
    /// The last piece of the title had no quotes, so the title may go on.
    open: bool,
}

impl Reader {
    /// Of a repeated attribute the first wins.
    fn attribute(&mut self, known: Option<Attribute>, token: &Token<'_>) -> Result<(), EvalError> {
        match known {
            Some(Attribute::Language(language)) if self.language.is_none() => {
                self.language = Some(language);
                self.titled_by(token);
            }
            Some(Attribute::LanguageName) => self.language = self.language.or(Language::from_name(&token.value)),
            Some(Attribute::Title) => self.titled_by(token),
            Some(Attribute::Timeout) if self.timeout.is_none() => {
                let advice = "use a number with optional ms, s, or m units";
                let timeout = Timeout::from_text(&token.value);
                self.timeout = Some(timeout.ok_or_else(|| self.error("duration", &token.value, advice))?);
            }
            Some(Attribute::Reset) if self.reset.is_none() => {
                let reset = truth(&token.value);
                self.reset = Some(reset.ok_or_else(|| self.error("rst value", &token.value, "use true or false"))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// A token without a known key: a language, `rst`, a duration, or a piece of the title.
    fn word(&mut self, token: &Token<'_>) {
        if token.quoted && token.key.is_none() {
            return self.append(&token.value, false);
        }
        let word = if token.key.is_none() { &*token.value } else { token.raw };
        // In the middle of a title without quotes, what is known already is a word of the title.
        if let Some(language) = Language::from_name(word) {
            match self.language {
                None => self.language = Some(language),
                Some(_) if self.open => self.append(word, true),
                Some(_) => {}
            }
        } else if attribute(word) == Some(Attribute::Reset) {
            match self.reset {
                None => self.reset = Some(true),
                Some(_) if self.open => self.append(word, true),
                Some(_) => {}
            }
        } else if let Some(timeout) = bare_duration(word) {
            match self.timeout {
                None => self.timeout = Some(timeout),
                Some(_) if self.open => self.append(word, true),
                Some(_) => {}
            }
        } else {
            self.append(word, true);
        }
    }

    fn titled_by(&mut self, token: &Token<'_>) {
        if !self.titled && !token.value.is_empty() {
            self.titled = true;
            self.append(&token.value, !token.quoted);
        }
    }

    fn append(&mut self, piece: &str, open: bool) {
        if !self.title.is_empty() {
            self.title.push(' ');
        }
        self.title.push_str(piece);
        self.open = open;
    }

    fn error(&self, what: &str, value: &str, advice: &str) -> EvalError {
        let shown: String = value.chars().take(80).collect();
        EvalError::new(ErrorCode::Parse, format!("Eval line {}: invalid {what} `{shown}`; {advice}.", self.line))
    }

    fn finish(self) -> Header {
        let mut title = self.title.trim_matches(is_space);
        if self.open {
            // One quote of a pair that lost the other.
            title = title.trim_end_matches(|c| matches!(c, '"' | '”') || is_space(c));
        }
        Header {
            language: self.language,
            title: Some(title).filter(|title| !title.is_empty()).map(str::to_owned),
            timeout: self.timeout,
            reset: self.reset.unwrap_or(false),
        }
    }
}

fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// `30s`, `2m`, `500ms`; a number alone is a word.
fn bare_duration(word: &str) -> Option<Timeout> {
    let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let unit = word.ends_with(|c: char| c.is_ascii_alphabetic());
    if number && unit { Timeout::from_text(word) } else { None }
}
