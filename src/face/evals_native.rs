//! What `evals.js` calls: the machines of [`crate::evals`], held by JavaScript as opaque values. Facts come as numbers
//! and truth values, the next step goes back as a number.

use std::cell::RefCell;
use std::time::Duration;

use napi::bindgen_prelude::{External, JsObjectValue, Object};
use napi::{Env, Result};
use napi_derive::napi;

use super::evals_report::EvalReport;
use crate::evals::run::{CaseRun, Outcome};
use crate::evals::suite::{Attempt, SuiteOptions, SuitePlan};
use crate::evals::{Status, facts};
use crate::limits;

type Run = RefCell<CaseRun>;
type Plan = RefCell<SuitePlan>;

/// The functions and limits, as one object.
pub fn functions(env: &Env) -> Result<Object<'_>> {
    let mut native = Object::new(env)?;
    macro_rules! add {
        ($($name:literal: $callback:ident,)*) => {
            $(native.set_named_property($name, env.create_function::<(), ()>($name, $callback)?)?;)*
        };
    }
    add! {
        "begin": begin_c_callback,
        "step": step_c_callback,
        "file": file_c_callback,
        "budget": budget_c_callback,
        "isAbandoned": is_abandoned_c_callback,
        "done": done_c_callback,
        "failed": failed_c_callback,
        "timedOut": timed_out_c_callback,
        "abandoned": abandoned_c_callback,
        "prepared": prepared_c_callback,
        "entries": entries_c_callback,
        "leaf": leaf_c_callback,
        "path": path_c_callback,
        "observed": observed_c_callback,
        "verdict": verdict_c_callback,
        "report": report_c_callback,
        "plan": plan_c_callback,
        "next": next_c_callback,
        "ended": ended_c_callback,
    }
    native.set("maxTimeoutMs", limits::EVAL_MAX_TIMEOUT_MS)?;
    native.set("closeTimeoutMs", milliseconds(limits::EVAL_CLOSE_TIMEOUT))?;
    native.set("maxCount", limits::EVAL_MAX_COUNT)?;
    Ok(native)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// Starts a run; `timeout` in milliseconds, 0 for none.
#[napi(no_export, catch_unwind)]
pub fn begin(id: String, valid: bool, files: u32, timeout: f64) -> External<Run> {
    let timeout = (timeout > 0.0).then(|| Duration::try_from_secs_f64(timeout / 1_000.0).unwrap_or(Duration::MAX));
    External::new(RefCell::new(CaseRun::new(id, valid, files, timeout)))
}

fn advance(run: &Run, outcome: Outcome) -> u32 {
    run.borrow_mut().advance(outcome) as u32
}

#[napi(no_export, catch_unwind)]
pub fn step(run: &External<Run>) -> u32 {
    run.borrow().step() as u32
}

/// The place of the file to read next.
#[napi(no_export, catch_unwind)]
pub fn file(run: &External<Run>) -> u32 {
    run.borrow().file()
}

/// Milliseconds that start now; 0 when no budget starts with this step.
#[napi(no_export, catch_unwind)]
pub fn budget(run: &External<Run>) -> f64 {
    run.borrow().budget().map_or(0.0, milliseconds)
}

#[napi(no_export, catch_unwind)]
pub fn is_abandoned(run: &External<Run>) -> bool {
    run.borrow().is_abandoned()
}

#[napi(no_export, catch_unwind)]
pub fn done(run: &External<Run>) -> u32 {
    advance(run, Outcome::Done)
}

#[napi(no_export, catch_unwind)]
pub fn failed(run: &External<Run>) -> u32 {
    advance(run, Outcome::Failed)
}

#[napi(no_export, catch_unwind)]
pub fn timed_out(run: &External<Run>) -> u32 {
    advance(run, Outcome::TimedOut)
}

#[napi(no_export, catch_unwind)]
pub fn abandoned(run: &External<Run>) -> u32 {
    advance(run, Outcome::Abandoned)
}

#[napi(no_export, catch_unwind)]
pub fn prepared(run: &External<Run>, valid: bool, disposable: bool, cleanable: bool) -> u32 {
    advance(run, Outcome::Prepared { valid, disposable, cleanable })
}

#[napi(no_export, catch_unwind)]
pub fn entries(run: &External<Run>, numbers: &[i32]) -> u32 {
    advance(run, Outcome::Entries(facts::entries(numbers)))
}

#[napi(no_export, catch_unwind)]
pub fn leaf(run: &External<Run>, number: i32) -> u32 {
    advance(run, Outcome::Leaf(facts::leaf(number)))
}

/// Places of the entries on the active path.
#[napi(no_export, catch_unwind)]
pub fn path(run: &External<Run>) -> Vec<u32> {
    run.borrow().path().to_vec()
}

#[napi(no_export, catch_unwind)]
pub fn observed(run: &External<Run>, numbers: &[i32], equal: bool, copied: bool) -> u32 {
    advance(run, Outcome::Observed { messages: facts::messages(numbers), equal, copied })
}

#[napi(no_export, catch_unwind)]
pub fn verdict(run: &External<Run>, passed: u32, checks: &[u8]) -> u32 {
    let checks = checks.iter().map(|&check| facts::boolean(check.into())).collect();
    advance(run, Outcome::Verdict { passed: facts::boolean(passed), checks })
}

#[napi(no_export, catch_unwind)]
pub fn report(run: &External<Run>) -> EvalReport {
    run.borrow().report().into()
}

/// Starts a walk through a suite.
#[napi(no_export, catch_unwind)]
pub fn plan(cases: u32, trials: u32, retry_infra: u32) -> External<Plan> {
    External::new(RefCell::new(SuitePlan::new(cases, SuiteOptions { trials, retry_infra })))
}

/// `[case, trial, retry]` of the attempt to run now, counted from 0; nothing when all are done.
#[napi(no_export, catch_unwind)]
pub fn next(plan: &External<Plan>) -> Option<Vec<u32>> {
    let Attempt { case, trial, retry } = plan.borrow().current()?;
    Some(vec![case, trial, retry])
}

/// True when the attempt counts; false when a new one replaces it.
#[napi(no_export, catch_unwind)]
pub fn ended(plan: &External<Plan>, run: &External<Run>) -> bool {
    let status: Status = run.borrow().report().status;
    plan.borrow_mut().ended(status)
}
