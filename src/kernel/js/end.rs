//! How a worker says that a run has ended. It runs user code, so what it says is checked and rebuilt field by field.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::kernel::{Outcome, RunEnd, State, Thrown, WaitingFor};

/// The detail of an end, as the runtime's JavaScript writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Detail {
    kind: String,
    name: Option<String>,
    message: String,
    traceback: String,
    line: Option<u32>,
    column: Option<u32>,
    code: Option<i32>,
    /// JSON text of the value, as a string.
    value: Option<String>,
    place: String,
    problem: String,
    bytes: usize,
    limit: usize,
    bound: Vec<String>,
    not_reached: Vec<String>,
    waiting_for: Option<String>,
    notices: Vec<String>,
    /// The probe after a stop failed: the worker must be replaced.
    lost: bool,
}

impl Detail {
    /// Nothing that can be read is an end all the same: the run must not hang on it.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|error| Self {
            kind: "exception".into(),
            message: format!("The cell's end could not be read: {error}"),
            ..Self::default()
        })
    }

    /// The names the cell had set, when it did not end well.
    pub fn bound_if_failed(&self) -> Option<&[String]> {
        (self.kind != "complete").then_some(&self.bound)
    }

    pub fn is_lost(&self) -> bool {
        self.lost
    }

    pub fn into_end(self, pending_tools: Vec<String>, was_hit: bool) -> RunEnd {
        let thrown = Thrown {
            name: self.name,
            message: self.message,
            traceback: self.traceback,
            line: self.line,
            column: self.column,
        };
        let stopped = self.kind == "stopped";
        let outcome = match self.kind.as_str() {
            "complete" => Outcome::Complete,
            "syntax" => Outcome::Syntax(thrown),
            "stdin" => Outcome::Stdin(thrown),
            "exit" => Outcome::Exit { code: self.code.unwrap_or(0), message: None },
            "stopped" => Outcome::Stopped,
            "invalid-output" => Outcome::InvalidOutput { place: self.place, problem: self.problem },
            "output-limit" => Outcome::OutputLimit { bytes: self.bytes, limit: self.limit },
            _ => Outcome::Exception(thrown),
        };
        let waiting_for = stopped.then(|| {
            if was_hit || self.waiting_for.as_deref() == Some("code") {
                WaitingFor::Code
            } else if pending_tools.is_empty() {
                WaitingFor::Await
            } else {
                WaitingFor::Tools(pending_tools.clone())
            }
        });
        RunEnd {
            outcome,
            state: if self.lost { State::Lost } else { State::Kept },
            value: self.value.and_then(|text| RawValue::from_string(text).ok()),
            bound: self.bound,
            not_reached: self.not_reached,
            waiting_for,
            notices: self.notices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_cannot_be_read_is_an_exception_not_a_hang() {
        let end = Detail::parse("{").into_end(Vec::new(), false);
        assert!(matches!(end.outcome, Outcome::Exception(_)));
    }

    #[test]
    fn a_stopped_run_says_what_it_was_waiting_for() {
        let end = Detail::parse(r#"{"kind":"stopped"}"#).into_end(vec!["slow".into()], false);
        assert_eq!(end.waiting_for, Some(WaitingFor::Tools(vec!["slow".into()])));
        let end = Detail::parse(r#"{"kind":"stopped"}"#).into_end(vec!["slow".into()], true);
        assert_eq!(end.waiting_for, Some(WaitingFor::Code));
    }
}
