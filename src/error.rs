//! Misuse, and what stops a call before any cell starts. What a cell does is never an error: it is a result.

use std::fmt;

/// The stable `code` of an `EvalError`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ErrorCode {
    Parse,
    InvalidArgument,
    LanguageDisabled,
    PythonUnavailable,
    NoLanguage,
    NotAllowed,
    Disposed,
}

impl ErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "EVAL_PARSE",
            Self::InvalidArgument => "EVAL_INVALID_ARGUMENT",
            Self::LanguageDisabled => "EVAL_LANGUAGE_DISABLED",
            Self::PythonUnavailable => "EVAL_PYTHON_UNAVAILABLE",
            Self::NoLanguage => "EVAL_NO_LANGUAGE",
            Self::NotAllowed => "EVAL_NOT_ALLOWED",
            Self::Disposed => "EVAL_DISPOSED",
        }
    }
}

impl AsRef<str> for ErrorCode {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// An error a person reads: what happened, where, what to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EvalError {
    pub code: ErrorCode,
    pub message: String,
}

impl EvalError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
