//! Reports and their summary as JSON, for machines.

use serde_json::{Map, Value, json};

use super::summary::{Summary, summarize};
use super::{Evidence, Failure, Report};

/// `{ reports, summary }`, indented by two spaces, with a final newline.
pub fn document(reports: &[Report]) -> String {
    let reports_json: Vec<Value> = reports.iter().map(report).collect();
    format!("{:#}\n", json!({ "reports": reports_json, "summary": summary(&summarize(reports)) }))
}

fn report(report: &Report) -> Value {
    let mut fields = Map::new();
    fields.insert("id".into(), report.id.as_str().into());
    fields.insert("status".into(), report.status.as_str().into());
    fields.insert("evidence".into(), evidence(&report.evidence));
    if let Some(primary) = report.primary {
        fields.insert("primaryFailure".into(), failure(primary));
    }
    fields.insert("secondaryFailures".into(), report.secondary.iter().copied().map(failure).collect());
    fields.into()
}

fn evidence(evidence: &Evidence) -> Value {
    let mut messages = Map::new();
    messages.insert("user".into(), evidence.user.into());
    messages.insert("assistant".into(), evidence.assistant.into());
    messages.insert("toolResult".into(), evidence.tool_result.into());
    if evidence.system > 0 {
        messages.insert("system".into(), evidence.system.into());
    }
    json!({
        "messages": messages,
        "tools": { "calls": evidence.calls, "results": evidence.results, "errors": evidence.errors },
        "files": { "requested": evidence.requested, "read": evidence.read },
        "checks": { "passed": evidence.held, "failed": evidence.broken },
    })
}

fn failure(failure: Failure) -> Value {
    json!({ "phase": failure.phase().as_str(), "code": failure.code.as_str() })
}

fn summary(summary: &Summary) -> Value {
    let cases: Vec<Value> = summary
        .cases
        .iter()
        .map(|case| {
            json!({
                "id": case.id,
                "trials": case.trials,
                "passed": case.passed,
                "passRate": case.pass_rate,
                "passHatK": case.pass_hat_k,
            })
        })
        .collect();
    json!({
        "reports": summary.reports,
        "passed": summary.passed,
        "taskFailed": summary.task_failed,
        "protocolFailed": summary.protocol_failed,
        "infraFailed": summary.infra_failed,
        "passRate": summary.pass_rate,
        "passHatK": summary.pass_hat_k,
        "cases": cases,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_the_safe_reports_and_their_summary() {
        insta::assert_snapshot!(document(&crate::evals::text::samples()));
    }
}
