//! Helpers that cells call by name (`read`, `tree`, `diff`, …): one implementation for both languages.
//!
//! A thin shim in each kernel (`runtime/prelude.js`, `runtime/prelude.py`) sends a request and gives back the answer:
//!
//! ```text
//! request  { cwd?, positional: […], options: { snake_case: … }, artifacts_dir?, session_file? }
//! answer   { ok: true, result, status? }  or  { ok: false, kind: "argument" | "missing" | "failed", message }
//! ```
//!
//! Arguments are bound and judged here, by one table of signatures, so that both languages say the same about them.
//! `display`, `print` and `tool` are the kernels' own; `env` is judged here and done where the variables are.
//! Everything blocks on files at most: call it from a thread that may.

mod arguments;
mod counting;
mod difference;
mod files;
mod lines;
mod output;
mod path;
mod query;
mod request;
mod tree;

use std::fmt;
use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::json::check;
use crate::limits::HELPER_RESULT_MAX_BYTES;
use arguments::Arguments;

/// What a helper knows about the kernel that asks.
#[derive(Clone, Debug, Default)]
pub struct HelperContext {
    /// Directory for relative paths when the request names none.
    pub cwd: PathBuf,
    /// Session file of the host (`sessionFile`), when the cell's environment names neither it nor a folder.
    pub session_file: Option<PathBuf>,
}

/// What a helper gives back.
#[derive(Clone, Debug)]
pub struct HelperAnswer {
    /// JSON text of the result.
    pub result: String,
    /// JSON text of the status event, an object with at least `op`.
    pub status: Option<String>,
}

/// What kind of error a cell sees: JavaScript `TypeError` or `Error`, Python `TypeError`, `FileNotFoundError` or `OSError`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HelperErrorKind {
    /// The arguments are wrong; the message names the expected form.
    Argument,
    /// Something named does not exist.
    Missing,
    /// The system said no.
    Failed,
}

/// Why a helper has no result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HelperError {
    pub kind: HelperErrorKind,
    pub message: String,
}

impl HelperError {
    fn argument(message: impl Into<String>) -> Self {
        Self { kind: HelperErrorKind::Argument, message: message.into() }
    }

    fn missing(message: impl Into<String>) -> Self {
        Self { kind: HelperErrorKind::Missing, message: message.into() }
    }

    fn failed(message: impl Into<String>) -> Self {
        Self { kind: HelperErrorKind::Failed, message: message.into() }
    }
}

impl fmt::Display for HelperError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for HelperError {}

impl From<HelperError> for String {
    fn from(error: HelperError) -> Self {
        error.message
    }
}

/// A result and the fields of its status event, before they are text.
struct Outcome {
    result: String,
    status: Value,
}

impl Outcome {
    fn new(result: &impl serde::Serialize, status: Value) -> Result<Self, HelperError> {
        let result = serde_json::to_string(result).map_err(|error| HelperError::failed(error.to_string()))?;
        Ok(Self { result, status })
    }
}

/// Runs helper `op`. `request` is JSON text as described in the module's head.
pub fn call(op: &str, request: &str, context: &HelperContext) -> Result<HelperAnswer, HelperError> {
    let mut arguments = Arguments::bind(op, request, context)?;
    let outcome = match op {
        "read" => files::read(&mut arguments),
        "write" => files::write(&mut arguments, false),
        "append" => files::write(&mut arguments, true),
        "sort" => lines::sort(&mut arguments),
        "uniq" => lines::uniq(&mut arguments),
        "counter" => counting::counter(&mut arguments),
        "diff" => difference::diff(&mut arguments),
        "tree" => tree::tree(&mut arguments),
        "env" => arguments.environment(),
        "output" => output::output(&mut arguments, context),
        _ => Err(HelperError::argument(format!("`{op}` is not a helper"))),
    }
    .map_err(|error| HelperError { message: format!("{op}: {}", error.message), ..error })?;
    if outcome.result.len() > HELPER_RESULT_MAX_BYTES {
        return Err(HelperError::failed(format!(
            "{op}: the result is larger than {} MiB; ask for less (for files and outputs: `offset` and `limit`)",
            HELPER_RESULT_MAX_BYTES / 1024 / 1024
        )));
    }
    check(&outcome.result, "").map_err(|refused| HelperError::failed(format!("{op}: {refused}")))?;
    Ok(HelperAnswer { result: outcome.result, status: Some(outcome.status.to_string()) })
}

/// Runs helper `op` and writes the answer as JSON text, as the shims read it. Never fails.
pub fn answer(op: &str, request: &str, context: &HelperContext) -> String {
    match call(op, request, context) {
        Ok(HelperAnswer { result, status }) => match status {
            Some(status) => format!(r#"{{"ok":true,"result":{result},"status":{status}}}"#),
            None => format!(r#"{{"ok":true,"result":{result}}}"#),
        },
        Err(HelperError { kind, message }) => {
            let kind = match kind {
                HelperErrorKind::Argument => "argument",
                HelperErrorKind::Missing => "missing",
                HelperErrorKind::Failed => "failed",
            };
            json!({ "ok": false, "kind": kind, "message": message }).to_string()
        }
    }
}

/// The text of a raw JSON string, or nothing when it is no string.
fn text_of(raw: &RawValue) -> Option<String> {
    raw.get().starts_with('"').then(|| crate::json::string_value(raw.get()))
}
