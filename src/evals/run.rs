//! The fixed order of one case, as a machine: it says which step comes next, and is told how that step ended.
//!
//! `Prepare → Prompt → Flush → Entries → Leaf → Observe → Read… → Judge → Dispose → Cleanup → Done`
//!
//! The first failure leads straight to `Dispose` and `Cleanup`, which always run when there is something to close.

use std::time::Duration;

use super::path::{EntryFact, active_path};
use super::protocol::{MessageFact, scan};
use super::{Code, Report, Symbol, verdict};
use crate::limits;

/// What the runner does next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u32)]
pub enum Step {
    Done = 0,
    Prepare = 1,
    Prompt = 2,
    Flush = 3,
    Entries = 4,
    Leaf = 5,
    /// Copy the path and the result, and say what the protocol needs to know of them: [`CaseRun::path`].
    Observe = 6,
    /// Read the next declared file.
    Read = 7,
    Judge = 8,
    Dispose = 9,
    Cleanup = 10,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// As it should; for steps that have nothing to say.
    Done,
    /// It threw, or gave what it must not.
    Failed,
    /// It did not end within its budget. What it gives later is not used.
    TimedOut,
    /// The whole run is called off: close what is open. Its report counts for nothing.
    Abandoned,
    Prepared {
        valid: bool,
        disposable: bool,
        cleanable: bool,
    },
    Entries(Vec<EntryFact>),
    Leaf(Leaf),
    /// The messages on the path; whether they equal the result's; whether both could be copied.
    Observed {
        messages: Vec<MessageFact>,
        equal: bool,
        copied: bool,
    },
    Verdict {
        passed: Option<bool>,
        checks: Vec<Option<bool>>,
    },
}

/// What the runtime calls its active leaf.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Leaf {
    Missing,
    Named(Symbol),
}

/// One run of one case.
#[derive(Debug)]
pub struct CaseRun {
    report: Report,
    step: Step,
    timeout: Option<Duration>,
    entries: Vec<EntryFact>,
    path: Vec<u32>,
    copied: bool,
    disposable: bool,
    cleanable: bool,
    abandoned: bool,
}

impl CaseRun {
    /// A run of a case. One that is not `valid` is over before anything of it is called.
    pub fn new(id: String, valid: bool, files: u32, timeout: Option<Duration>) -> Self {
        let mut report = Report::new(id);
        report.evidence.requested = files;
        if !valid {
            report.fail(Code::InvalidCase);
        }
        Self {
            report,
            step: if valid { Step::Prepare } else { Step::Done },
            timeout,
            entries: Vec::new(),
            path: Vec::new(),
            copied: false,
            disposable: false,
            cleanable: false,
            abandoned: false,
        }
    }

    pub fn step(&self) -> Step {
        self.step
    }

    /// The entries to observe, from the root to the active leaf, as places in the list of entries.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// The declared file to read next, as a place in the list of files.
    pub fn file(&self) -> u32 {
        self.report.evidence.read
    }

    /// The budget that starts with the current step, when one does: `Prompt` and `Flush` share one, so do the steps of
    /// collecting. Closing has its own, long enough for a runtime that was interrupted.
    pub fn budget(&self) -> Option<Duration> {
        match self.step {
            Step::Done | Step::Flush | Step::Leaf | Step::Observe => None,
            Step::Read if self.file() > 0 => None,
            Step::Prepare | Step::Prompt | Step::Entries | Step::Judge | Step::Read => self.timeout,
            Step::Dispose | Step::Cleanup => match (self.timeout, self.abandoned) {
                (None, false) => None,
                (timeout, _) => Some(timeout.unwrap_or_default().max(limits::EVAL_CLOSE_TIMEOUT)),
            },
        }
    }

    /// Whether this run was called off: its report is not complete.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes how the current step ended, and says what comes next. An outcome that does not belong to the step counts
    /// as its failure.
    pub fn advance(&mut self, outcome: Outcome) -> Step {
        let next = match outcome {
            Outcome::Abandoned => {
                self.abandoned = true;
                Err(self.failure(false))
            }
            Outcome::Failed => Err(self.failure(false)),
            Outcome::TimedOut => Err(self.failure(true)),
            outcome => self.accept(outcome),
        };
        let next = next.unwrap_or_else(|code| {
            self.report.fail(code);
            if self.step == Step::Dispose { Step::Cleanup } else { Step::Dispose }
        });
        self.step = self.skip_what_is_not_there(next);
        self.step
    }

    fn accept(&mut self, outcome: Outcome) -> Result<Step, Code> {
        match (self.step, outcome) {
            (Step::Prepare, Outcome::Prepared { valid, disposable, cleanable }) => {
                self.disposable = disposable;
                self.cleanable = cleanable;
                if valid { Ok(Step::Prompt) } else { Err(Code::PrepareFailed) }
            }
            (Step::Prompt, Outcome::Done) => Ok(Step::Flush),
            (Step::Flush, Outcome::Done) => Ok(Step::Entries),
            (Step::Entries, Outcome::Entries(entries)) => {
                self.entries = entries;
                Ok(Step::Leaf)
            }
            (Step::Leaf, Outcome::Leaf(leaf)) => {
                let Leaf::Named(leaf) = leaf else { return Err(Code::MissingActiveLeaf) };
                self.path = active_path(&self.entries, leaf)?;
                Ok(Step::Observe)
            }
            (Step::Observe, Outcome::Observed { messages, equal, copied }) => {
                self.report.evidence.count(&messages);
                scan(&messages)?;
                if !equal {
                    return Err(Code::ResultSessionMismatch);
                }
                self.copied = copied;
                self.read_or_judge()
            }
            (Step::Read, Outcome::Done) => {
                self.report.evidence.read += 1;
                self.read_or_judge()
            }
            (Step::Judge, Outcome::Verdict { passed, checks }) => {
                let verdict = verdict::validate(passed, &checks)?;
                self.report.evidence.judge(verdict);
                if verdict.passed { Ok(Step::Dispose) } else { Err(Code::TaskRejected) }
            }
            (Step::Dispose, Outcome::Done) => Ok(Step::Cleanup),
            (Step::Cleanup, Outcome::Done) => Ok(Step::Done),
            _ => Err(self.failure(false)),
        }
    }

    /// Files come before the judge's copy is due, so that is when a copy that could not be made counts.
    fn read_or_judge(&self) -> Result<Step, Code> {
        if self.file() < self.report.evidence.requested {
            Ok(Step::Read)
        } else if self.copied {
            Ok(Step::Judge)
        } else {
            Err(Code::CollectFailed)
        }
    }

    fn failure(&self, timed_out: bool) -> Code {
        match self.step {
            Step::Prepare => Code::PrepareFailed,
            Step::Prompt | Step::Flush if timed_out => Code::ExecuteTimeout,
            Step::Prompt | Step::Flush => Code::ExecuteFailed,
            Step::Entries | Step::Leaf | Step::Observe | Step::Read => Code::CollectFailed,
            Step::Judge => Code::JudgeFailed,
            Step::Dispose => Code::DisposeFailed,
            Step::Cleanup | Step::Done => Code::CleanupFailed,
        }
    }

    fn skip_what_is_not_there(&self, next: Step) -> Step {
        // After the cleanup nothing is left, whatever it did.
        if matches!(self.step, Step::Cleanup | Step::Done) {
            return Step::Done;
        }
        match next {
            Step::Dispose if self.disposable => Step::Dispose,
            Step::Dispose | Step::Cleanup if self.cleanable => Step::Cleanup,
            Step::Dispose | Step::Cleanup => Step::Done,
            next => next,
        }
    }
}

#[cfg(test)]
mod tests;
