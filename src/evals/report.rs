//! What is said about a case: a status, counts, and which failures in which order.

use super::protocol::MessageFact;
use super::verdict::Verdict;
use super::{Failure, Status};

/// Counts of what was known when the run ended.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    pub user: u32,
    pub assistant: u32,
    pub tool_result: u32,
    /// Reported only when there are any.
    pub system: u32,
    pub calls: u32,
    pub results: u32,
    pub errors: u32,
    pub requested: u32,
    pub read: u32,
    pub held: u32,
    pub broken: u32,
}

impl Evidence {
    /// Counts the messages of the active path.
    pub fn count(&mut self, messages: &[MessageFact]) {
        for message in messages {
            match message {
                MessageFact::System => self.system += 1,
                MessageFact::User => self.user += 1,
                MessageFact::Assistant { calls } => {
                    self.assistant += 1;
                    self.calls += u32::try_from(calls.len()).unwrap_or(u32::MAX);
                }
                MessageFact::ToolResult { is_error, .. } => {
                    self.tool_result += 1;
                    self.results += 1;
                    self.errors += u32::from(*is_error);
                }
                MessageFact::Other => {}
            }
        }
    }

    pub fn judge(&mut self, verdict: Verdict) {
        self.held = verdict.held;
        self.broken = verdict.broken;
    }
}

/// The safe report of one run of one case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// Public: the only text that comes from the case.
    pub id: String,
    pub status: Status,
    pub evidence: Evidence,
    pub primary: Option<Failure>,
    pub secondary: Vec<Failure>,
}

impl Report {
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            status: Status::Passed,
            evidence: Evidence::default(),
            primary: None,
            secondary: Vec::new(),
        }
    }

    /// The first failure gives the case its status; those after it follow it and change nothing.
    pub fn fail(&mut self, failure: impl Into<Failure>) {
        let failure = failure.into();
        if self.primary.is_some() {
            self.secondary.push(failure);
        } else {
            self.status = failure.code.status();
            self.primary = Some(failure);
        }
    }

    /// `status: phase/code, phase/code (n of m checks)`, what a failing test says.
    pub fn sentence(&self) -> String {
        let failures: Vec<String> = self.primary.iter().chain(&self.secondary).map(ToString::to_string).collect();
        let checks = self.evidence.held + self.evidence.broken;
        let mut sentence = self.status.to_string();
        if !failures.is_empty() {
            sentence.push_str(": ");
            sentence.push_str(&failures.join(", "));
        }
        if checks > 0 {
            let noun = if checks == 1 { "check" } else { "checks" };
            sentence.push_str(&format!(" ({} of {checks} {noun} passed)", self.evidence.held));
        }
        sentence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evals::Code;

    #[test]
    fn the_first_failure_stays_primary_and_later_ones_follow_it() {
        let mut report = Report::new("a");
        report.fail(Code::TaskRejected);
        report.fail(Code::DisposeFailed);
        report.fail(Code::CleanupFailed);
        assert_eq!(report.status, Status::TaskFailed);
        assert_eq!(report.primary, Some(Code::TaskRejected.into()));
        assert_eq!(report.secondary, [Code::DisposeFailed.into(), Code::CleanupFailed.into()]);
        assert_eq!(
            report.sentence(),
            "task_failed: task/task_rejected, dispose/dispose_failed, cleanup/cleanup_failed"
        );
    }

    #[test]
    fn if_all_was_well_before_a_failing_cleanup_becomes_primary() {
        let mut report = Report::new("a");
        report.evidence.held = 1;
        report.fail(Code::CleanupFailed);
        assert_eq!(report.status, Status::InfraFailed);
        assert_eq!(report.sentence(), "infra_failed: cleanup/cleanup_failed (1 of 1 check passed)");
    }
}
