//! What is known about a cell when its result is worded.

use std::time::Duration;

use crate::kernel::contract::{Outcome, RunEnd, State, WaitingFor};
use crate::language::Language;

use super::messages;
use super::result::{CellFailure, CellStatus, FailureKind};

/// Who asked a cell to stop, before it had ended by itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StopCause {
    /// Its deadline of this length.
    Timeout(Duration),
    /// The caller's signal.
    Abort,
    /// `interrupt()`.
    Interrupt,
    /// `reset()`.
    Reset,
    /// `dispose()`.
    Disposed,
}

/// How one cell ended. A stop wins over the outcome: it came first, or there would be none.
#[derive(Debug)]
pub struct CellEnd {
    pub outcome: Outcome,
    pub stop: Option<StopCause>,
    /// Running time, on the clock of the deadline.
    pub after: Duration,
    pub state: State,
    pub waiting_for: Option<WaitingFor>,
    pub bound: Vec<String>,
    pub not_reached: Vec<String>,
}

impl CellEnd {
    /// `stop` is given only when the stop came before the run had ended. The run's value and notices stay with the caller.
    pub fn new(end: RunEnd, stop: Option<StopCause>, after: Duration) -> Self {
        let RunEnd { outcome, state, bound, not_reached, waiting_for, .. } = end;
        // Whoever resets or disposes a kernel ends its variables, however kindly the run itself ended.
        let ends_state = matches!(stop, Some(StopCause::Reset | StopCause::Disposed));
        let state = if ends_state { State::Lost } else { state };
        Self { outcome, stop, after, state, waiting_for, bound, not_reached }
    }

    pub fn status(&self) -> CellStatus {
        if self.kind().is_some() { CellStatus::Error } else { CellStatus::Complete }
    }

    /// The failure's kind; none for a cell that ended well.
    pub fn kind(&self) -> Option<FailureKind> {
        match self.stop {
            Some(StopCause::Timeout(_)) => return Some(FailureKind::Timeout),
            Some(_) => return Some(FailureKind::Abort),
            None => {}
        }
        match &self.outcome {
            Outcome::Complete | Outcome::Exit { code: 0, .. } => None,
            Outcome::Syntax(_) => Some(FailureKind::Syntax),
            Outcome::Exception(_) => Some(FailureKind::Exception),
            Outcome::Stdin(_) => Some(FailureKind::Stdin),
            Outcome::Exit { .. } => Some(FailureKind::Exit),
            // Nobody above asked for it: somebody interrupted the kernel from outside.
            Outcome::Stopped => Some(FailureKind::Abort),
            Outcome::KernelExit { .. } => Some(FailureKind::KernelExit),
            Outcome::InvalidOutput { .. } => Some(FailureKind::InvalidOutput),
            Outcome::OutputLimit { .. } => Some(FailureKind::OutputLimit),
        }
    }

    /// `CellResult.exitCode`: absent for timeout, abort and a dead kernel.
    pub fn exit_code(&self) -> Option<i32> {
        match self.kind() {
            None => Some(0),
            Some(FailureKind::Timeout | FailureKind::Abort | FailureKind::KernelExit) => None,
            Some(FailureKind::Exit) => match self.outcome {
                Outcome::Exit { code, .. } => Some(code),
                _ => Some(1),
            },
            Some(_) => Some(1),
        }
    }

    /// The code that the exit-code line names; a dead kernel has one too, as a shell would report it.
    pub(crate) fn shown_exit_code(&self) -> i32 {
        match &self.outcome {
            Outcome::KernelExit { code: Some(code), .. } => *code,
            Outcome::KernelExit { signal: Some(signal), .. } => 128 + signal,
            _ => self.exit_code().unwrap_or(1),
        }
    }

    /// `CellResult.failure`: present exactly when [`CellEnd::status`] is an error.
    pub fn failure(&self) -> Option<CellFailure> {
        let kind = self.kind()?;
        let mut failure = CellFailure {
            kind,
            name: None,
            message: messages::failure_message(self, kind),
            line: None,
            column: None,
            signal: None,
            exit_code: None,
            bound: self.bound.clone(),
            not_reached: self.not_reached.clone(),
        };
        if self.stop.is_some() {
            return Some(failure);
        }
        match &self.outcome {
            Outcome::Syntax(thrown) | Outcome::Exception(thrown) | Outcome::Stdin(thrown) => {
                failure.name = thrown.name.clone();
                failure.line = thrown.line;
                failure.column = thrown.column;
            }
            Outcome::Exit { code, .. } => failure.exit_code = Some(*code),
            Outcome::KernelExit { signal, code, .. } => {
                failure.signal = signal.map(messages::signal_name);
                failure.exit_code = *code;
            }
            _ => {}
        }
        Some(failure)
    }
}

/// One cell of a call, for the text block. Its output comes from [`super::FinishedOutput`], at the same place.
#[derive(Debug)]
pub struct CellFacts {
    pub language: Language,
    pub title: Option<String>,
    /// None for a cell that did not run.
    pub end: Option<CellEnd>,
    /// Images displayed, of any type.
    pub images: usize,
    /// Whether it produced anything that is not text: a value, an image.
    pub rich: bool,
    /// Sentences about this cell (`RunEnd.notices` and what the call layer adds), each shown on a line.
    pub notices: Vec<String>,
}

impl CellFacts {
    /// A cell that has not run.
    pub fn pending(language: Language, title: Option<String>) -> Self {
        Self { language, title, end: None, images: 0, rich: false, notices: Vec::new() }
    }
}

/// What is known about the call as a whole.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    /// Sentences about the call: fallback, ignored text, lost state.
    pub notices: Vec<String>,
    /// The input ended with `*** Abort`.
    pub input_aborted: bool,
    /// No cell ever started, for this reason.
    pub never_started: Option<StopCause>,
}
