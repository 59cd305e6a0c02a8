//! Reports as lines for a person.

use std::fmt::Write;

use super::Report;
use super::summary::summarize;

/// One line per report, then the counts, the pass rate, and pass^k where cases ran more than once.
pub fn document(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        text.push_str(&line(report));
        text.push('\n');
    }
    let summary = summarize(reports);
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{} of {} passed", summary.passed, summary.reports);
    for (count, status) in [
        (summary.task_failed, "task_failed"),
        (summary.protocol_failed, "protocol_failed"),
        (summary.infra_failed, "infra_failed"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {status}");
        }
    }
    if let Some(rate) = summary.pass_rate {
        let _ = write!(text, " (pass rate {rate:.3}");
        for (k, likely) in summary.pass_hat_k.iter().enumerate().skip(1) {
            let _ = write!(text, ", pass^{} {likely:.3}", k + 1);
        }
        text.push(')');
    }
    text.push('\n');
    text
}

/// `id  sentence`; control characters of an id become spaces, so that it can do nothing to a terminal.
pub fn line(report: &Report) -> String {
    let id: String = report.id.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    format!("{id}  {}", report.sentence())
}

#[cfg(test)]
pub(super) fn samples() -> Vec<Report> {
    use super::{Code, Evidence};

    let evidence = Evidence { user: 1, assistant: 2, tool_result: 1, calls: 1, results: 1, ..Evidence::default() };
    let mut passed = Report::new("write-answer");
    passed.evidence = Evidence { requested: 1, read: 1, held: 2, ..evidence };
    let mut rejected = Report::new("write-answer");
    rejected.evidence = Evidence { requested: 1, read: 1, held: 1, broken: 1, system: 1, errors: 1, ..evidence };
    rejected.fail(Code::TaskRejected);
    rejected.fail(Code::CleanupFailed);
    let mut forged = Report::new("forged \u{1b}[31m\"<&>\"");
    forged.evidence = Evidence { requested: 1, ..evidence };
    forged.fail(Code::ResultSessionMismatch);
    let mut broken = Report::new("");
    broken.fail(Code::InvalidCase);
    vec![passed, rejected, forged, broken]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_one_line_per_report_and_a_summary() {
        insta::assert_snapshot!(document(&samples()));
    }

    #[test]
    fn pass_hat_k_is_shown_where_cases_ran_more_than_once() {
        let passed = samples().remove(0);
        assert!(document(&[passed.clone(), passed]).ends_with("2 of 2 passed (pass rate 1.000, pass^2 1.000)\n"));
        assert_eq!(document(&[]), "0 of 0 passed\n");
    }
}
