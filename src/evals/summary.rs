//! Pass rate and pass^k of many reports.

use std::collections::HashMap;

use super::{Report, Status};

/// Statistics of all reports, and of each case.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub reports: u32,
    pub passed: u32,
    pub task_failed: u32,
    pub protocol_failed: u32,
    pub infra_failed: u32,
    /// `passed / reports`; [`None`] without reports.
    pub pass_rate: Option<f64>,
    /// Mean over the cases of their pass^k; as long as the case with the fewest trials allows. Index 0 is k = 1.
    pub pass_hat_k: Vec<f64>,
    /// In the order of their first report.
    pub cases: Vec<CaseSummary>,
}

/// Statistics of one case: all reports with its id.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseSummary {
    pub id: String,
    pub trials: u32,
    pub passed: u32,
    pub pass_rate: f64,
    /// How likely k trials all pass: of all choices of k trials, the share in which every one passed. Index 0 is k = 1.
    pub pass_hat_k: Vec<f64>,
}

pub fn summarize(reports: &[Report]) -> Summary {
    let mut places = HashMap::new();
    let mut cases: Vec<CaseSummary> = Vec::new();
    for report in reports {
        let place = *places.entry(report.id.as_str()).or_insert_with(|| {
            cases.push(CaseSummary {
                id: report.id.clone(),
                trials: 0,
                passed: 0,
                pass_rate: 0.0,
                pass_hat_k: Vec::new(),
            });
            cases.len() - 1
        });
        cases[place].trials += 1;
        cases[place].passed += u32::from(report.status == Status::Passed);
    }
    for case in &mut cases {
        case.pass_rate = f64::from(case.passed) / f64::from(case.trials);
        case.pass_hat_k = pass_hat_k(case.passed, case.trials);
    }
    let ended = |status| {
        let count = reports.iter().filter(|report| report.status == status).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let passed = ended(Status::Passed);
    Summary {
        reports: u32::try_from(reports.len()).unwrap_or(u32::MAX),
        passed,
        task_failed: ended(Status::TaskFailed),
        protocol_failed: ended(Status::ProtocolFailed),
        infra_failed: ended(Status::InfraFailed),
        pass_rate: (!reports.is_empty()).then(|| f64::from(passed) / reports.len() as f64),
        pass_hat_k: mean(&cases),
        cases,
    }
}

/// `C(passed, k) / C(trials, k)` for each k, as a product: neither number is ever computed.
fn pass_hat_k(passed: u32, trials: u32) -> Vec<f64> {
    let mut likely = 1.0;
    (0..trials)
        .map(|drawn| {
            likely *= f64::from(passed.saturating_sub(drawn)) / f64::from(trials - drawn);
            likely
        })
        .collect()
}

fn mean(cases: &[CaseSummary]) -> Vec<f64> {
    let longest = cases.iter().map(|case| case.pass_hat_k.len()).min().unwrap_or(0);
    (0..longest).map(|k| cases.iter().map(|case| case.pass_hat_k[k]).sum::<f64>() / cases.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evals::Code;

    fn reports(ids: &[(&str, bool)]) -> Vec<Report> {
        ids.iter()
            .map(|&(id, passed)| {
                let mut report = Report::new(id);
                if !passed {
                    report.fail(Code::TaskRejected);
                }
                report
            })
            .collect()
    }

    #[test]
    fn pass_hat_k_is_the_share_of_choices_of_k_trials_in_which_all_passed() {
        assert_eq!(pass_hat_k(3, 4), [0.75, 0.5, 0.25, 0.0]);
        assert_eq!(pass_hat_k(2, 2), [1.0, 1.0]);
        assert_eq!(pass_hat_k(0, 2), [0.0, 0.0]);
    }

    #[test]
    fn cases_are_told_apart_by_id_and_averaged() {
        let summary = summarize(&reports(&[("a", true), ("b", false), ("a", false), ("b", true), ("b", true)]));
        assert_eq!((summary.reports, summary.passed, summary.task_failed), (5, 3, 2));
        assert_eq!(summary.pass_rate, Some(0.6));
        assert_eq!(summary.cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(summary.cases[0].pass_hat_k, [0.5, 0.0]);
        // a: 1/2, 0; b: 2/3, 1/3.
        assert_eq!(summary.pass_hat_k, [(0.5 + 2.0 / 3.0) / 2.0, (2.0 / 3.0 * 0.5) / 2.0]);
    }

    #[test]
    fn no_reports_have_no_rate() {
        let summary = summarize(&[]);
        assert_eq!((summary.pass_rate, summary.pass_hat_k.len(), summary.cases.len()), (None, 0, 0));
    }
}
