//! Safe reports in and out of Node, and the reporters. Whatever else an object given as a report holds is left out.

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Env, Result};
use napi_derive::napi;

use super::environment;
use crate::error::EvalError;
use crate::evals::summary::{self, CaseSummary, Summary};
use crate::evals::{Code, Evidence, Failure, Report, Status, json, junit, text};

/// What is said about one run of one case: counts and fixed names, nothing of what the agent wrote.
#[napi(object)]
pub struct EvalReport {
    /// The case's own id.
    pub id: String,
    #[napi(ts_type = "EvalStatus")]
    pub status: String,
    pub evidence: SafeEvidence,
    /// The first failure: it gave the status. Absent when the case passed.
    pub primary_failure: Option<EvalFailure>,
    /// What failed after it while the case was closed, in that order.
    pub secondary_failures: Vec<EvalFailure>,
}

/// Counts of what was known when the run ended.
#[napi(object)]
pub struct SafeEvidence {
    /// Messages on the active path.
    pub messages: MessageCounts,
    /// Tool calls and results on the active path; `errors` are the results that say so.
    pub tools: ToolCounts,
    /// Files the case declared, and those that were read.
    pub files: FileCounts,
    /// The judge's checks, of a valid verdict.
    pub checks: CheckCounts,
}

#[napi(object)]
pub struct MessageCounts {
    pub user: u32,
    pub assistant: u32,
    pub tool_result: u32,
    /// Only when there are any.
    pub system: Option<u32>,
}

#[napi(object)]
pub struct ToolCounts {
    pub calls: u32,
    pub results: u32,
    pub errors: u32,
}

#[napi(object)]
pub struct FileCounts {
    pub requested: u32,
    pub read: u32,
}

#[napi(object)]
pub struct CheckCounts {
    pub passed: u32,
    pub failed: u32,
}

#[napi(object)]
pub struct EvalFailure {
    #[napi(ts_type = "EvalFailurePhase")]
    pub phase: String,
    #[napi(ts_type = "EvalFailureCode")]
    pub code: String,
}

#[napi(object)]
pub struct EvalSummary {
    pub reports: u32,
    pub passed: u32,
    pub task_failed: u32,
    pub protocol_failed: u32,
    pub infra_failed: u32,
    /// Passed reports of all reports; NaN when there are none.
    pub pass_rate: f64,
    /// Mean of the cases' pass^k, as far as every case has k trials. Index 0 is k = 1.
    pub pass_hat_k: Vec<f64>,
    /// In the order of their first report.
    pub cases: Vec<EvalCaseSummary>,
}

#[napi(object)]
pub struct EvalCaseSummary {
    pub id: String,
    pub trials: u32,
    pub passed: u32,
    pub pass_rate: f64,
    /// pass^k: how likely k trials, drawn from those that ran, all passed. Index 0 is k = 1.
    pub pass_hat_k: Vec<f64>,
}

/// Pass rate and pass^k of reports; reports with the same id are trials of one case.
///
/// Throws an `EvalError` with code `EVAL_INVALID_ARGUMENT` for what is no report, as the reporters do.
#[napi(ts_args_type = "reports: readonly EvalReport[]", ts_return_type = "EvalSummary", catch_unwind)]
pub fn summarize(env: Env, reports: Unknown) -> Result<EvalSummary> {
    Ok(summary::summarize(&read(&env, reports)?).into())
}

/// The reports and their summary as JSON text (`{ reports, summary }`).
#[napi(ts_args_type = "reports: readonly EvalReport[]", catch_unwind)]
pub fn report_json(env: Env, reports: Unknown) -> Result<String> {
    Ok(json::document(&read(&env, reports)?))
}

/// The reports as JUnit XML: one test case per report in a suite called `name` (default `evals`).
#[napi(js_name = "reportJUnit", ts_args_type = "reports: readonly EvalReport[], name?: string", catch_unwind)]
pub fn report_junit(env: Env, reports: Unknown, name: Option<String>) -> Result<String> {
    Ok(junit::document(&read(&env, reports)?, name.as_deref().unwrap_or("evals")))
}

/// The reports as text for a person: one line each, then a summary.
#[napi(ts_args_type = "reports: readonly EvalReport[]", catch_unwind)]
pub fn report_text(env: Env, reports: Unknown) -> Result<String> {
    Ok(text::document(&read(&env, reports)?))
}

/// Reads reports without trust: another program may have written them.
fn read(env: &Env, reports: Unknown) -> Result<Vec<Report>> {
    let refuse = |reason: &str| {
        let message = format!("Reports must be what runEvalCase and runEvalSuite resolve to: {reason}.");
        environment::to_js(env, &EvalError::invalid(message))
    };
    let reports = Vec::<EvalReport>::from_unknown(reports).map_err(|error| refuse(&error.reason))?;
    let read = |(place, report): (usize, &EvalReport)| {
        report.read().ok_or_else(|| refuse(&format!("report {place} has a status or failure that no run gives")))
    };
    reports.iter().enumerate().map(read).collect()
}

impl EvalReport {
    fn read(&self) -> Option<Report> {
        let SafeEvidence { messages, tools, files, checks } = &self.evidence;
        let failures: Option<Vec<Failure>> = self.secondary_failures.iter().map(EvalFailure::read).collect();
        let primary = match &self.primary_failure {
            Some(failure) => Some(failure.read()?),
            None => None,
        };
        Some(Report {
            id: self.id.clone(),
            status: Status::from_name(&self.status)?,
            evidence: Evidence {
                user: messages.user,
                assistant: messages.assistant,
                tool_result: messages.tool_result,
                system: messages.system.unwrap_or(0),
                calls: tools.calls,
                results: tools.results,
                errors: tools.errors,
                requested: files.requested,
                read: files.read,
                held: checks.passed,
                broken: checks.failed,
            },
            primary,
            secondary: failures?,
        })
    }
}

impl EvalFailure {
    fn read(&self) -> Option<Failure> {
        let failure = Failure::from(Code::from_name(&self.code)?);
        (failure.phase().as_str() == self.phase).then_some(failure)
    }
}

impl From<Failure> for EvalFailure {
    fn from(failure: Failure) -> Self {
        Self { phase: failure.phase().to_string(), code: failure.code.to_string() }
    }
}

impl From<&Report> for EvalReport {
    fn from(report: &Report) -> Self {
        let evidence = &report.evidence;
        Self {
            id: report.id.clone(),
            status: report.status.to_string(),
            evidence: SafeEvidence {
                messages: MessageCounts {
                    user: evidence.user,
                    assistant: evidence.assistant,
                    tool_result: evidence.tool_result,
                    system: (evidence.system > 0).then_some(evidence.system),
                },
                tools: ToolCounts { calls: evidence.calls, results: evidence.results, errors: evidence.errors },
                files: FileCounts { requested: evidence.requested, read: evidence.read },
                checks: CheckCounts { passed: evidence.held, failed: evidence.broken },
            },
            primary_failure: report.primary.map(EvalFailure::from),
            secondary_failures: report.secondary.iter().copied().map(EvalFailure::from).collect(),
        }
    }
}

impl From<Summary> for EvalSummary {
    fn from(summary: Summary) -> Self {
        Self {
            reports: summary.reports,
            passed: summary.passed,
            task_failed: summary.task_failed,
            protocol_failed: summary.protocol_failed,
            infra_failed: summary.infra_failed,
            pass_rate: summary.pass_rate.unwrap_or(f64::NAN),
            pass_hat_k: summary.pass_hat_k,
            cases: summary.cases.into_iter().map(EvalCaseSummary::from).collect(),
        }
    }
}

impl From<CaseSummary> for EvalCaseSummary {
    fn from(case: CaseSummary) -> Self {
        Self {
            id: case.id,
            trials: case.trials,
            passed: case.passed,
            pass_rate: case.pass_rate,
            pass_hat_k: case.pass_hat_k,
        }
    }
}
