//! Which attempt of a suite comes next: cases in input order, trials of each in turn, retries where the case itself broke.

use super::Status;

/// How often things are run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SuiteOptions {
    /// Runs of each case that count; at least 1.
    pub trials: u32,
    /// How often a run that ended as [`Status::InfraFailed`] is replaced by a new one.
    pub retry_infra: u32,
}

/// One run of one case. Everything counts from 0.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Attempt {
    pub case: u32,
    pub trial: u32,
    /// How many runs this one replaces.
    pub retry: u32,
}

/// Walks through a suite, one attempt at a time.
#[derive(Debug)]
pub struct SuitePlan {
    cases: u32,
    options: SuiteOptions,
    next: Attempt,
}

impl SuitePlan {
    pub fn new(cases: u32, options: SuiteOptions) -> Self {
        Self { cases, options, next: Attempt { case: 0, trial: 0, retry: 0 } }
    }

    /// The attempt to run now; [`None`] when all are done.
    pub fn current(&self) -> Option<Attempt> {
        (self.next.case < self.cases && self.options.trials > 0).then_some(self.next)
    }

    /// Takes how the current attempt ended. True when it counts, false when a new attempt replaces it.
    pub fn ended(&mut self, status: Status) -> bool {
        if status == Status::InfraFailed && self.next.retry < self.options.retry_infra {
            self.next.retry += 1;
            return false;
        }
        self.next.retry = 0;
        self.next.trial += 1;
        if self.next.trial >= self.options.trials {
            self.next.trial = 0;
            self.next.case += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a plan whose attempts end as `statuses`, then as passed.
    fn walk(cases: u32, options: SuiteOptions, statuses: &[Status]) -> Vec<String> {
        let mut plan = SuitePlan::new(cases, options);
        let mut statuses = statuses.iter().copied();
        let mut lines = Vec::new();
        while let Some(Attempt { case, trial, retry }) = plan.current() {
            let counts = plan.ended(statuses.next().unwrap_or(Status::Passed));
            lines.push(format!("{case}.{trial}.{retry}{}", if counts { "" } else { " again" }));
        }
        lines
    }

    #[test]
    fn reports_come_in_input_order_then_trial_order() {
        let options = SuiteOptions { trials: 2, retry_infra: 0 };
        assert_eq!(walk(2, options, &[Status::InfraFailed]), ["0.0.0", "0.1.0", "1.0.0", "1.1.0"]);
        assert!(walk(0, options, &[]).is_empty());
    }

    #[test]
    fn only_infrastructure_failures_are_retried_and_only_so_often() {
        use Status::{InfraFailed, Passed, ProtocolFailed, TaskFailed};
        let options = SuiteOptions { trials: 1, retry_infra: 2 };
        let statuses = [InfraFailed, Passed, TaskFailed, ProtocolFailed, InfraFailed, InfraFailed, InfraFailed];
        assert_eq!(
            walk(4, options, &statuses),
            ["0.0.0 again", "0.0.1", "1.0.0", "2.0.0", "3.0.0 again", "3.0.1 again", "3.0.2"]
        );
    }
}
