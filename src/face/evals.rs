//! The eval harness as Node sees it: cases run through the shell in `evals.js`, which asks the machines of
//! [`crate::evals`] what comes next.

use napi::bindgen_prelude::{FnArgs, Function, JsObjectValue, Object, PromiseRaw, Unknown};
use napi::{Env, Result};
use napi_derive::napi;

use super::evals_native;

/// Runs one case in the fixed order and resolves to its safe report. Never rejects for what a case does.
#[napi(ts_args_type = "evalCase: EvalCase", ts_return_type = "Promise<EvalReport>")]
pub fn run_eval_case<'env>(env: &'env Env, eval_case: Unknown<'env>) -> Result<PromiseRaw<'env, Unknown<'env>>> {
    let run: Function<'_, FnArgs<(Unknown,)>, PromiseRaw<Unknown>> = shell(env)?.get_named_property("runCase")?;
    run.call(FnArgs::from((eval_case,)))
}

/// Runs cases one after the other, each trial fresh; resolves to one report per trial, in input order then trial order.
///
/// Rejects with `EVAL_INVALID_ARGUMENT` for options that are not what they must be, and for nothing else.
#[napi(
    ts_args_type = "cases: readonly EvalCase[], options?: EvalSuiteOptions",
    ts_return_type = "Promise<EvalReport[]>"
)]
pub fn run_eval_suite<'env>(
    env: &'env Env,
    cases: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<PromiseRaw<'env, Unknown<'env>>> {
    let run: Function<'_, FnArgs<(Unknown, Unknown)>, PromiseRaw<Unknown>> =
        shell(env)?.get_named_property("runSuite")?;
    run.call(FnArgs::from((cases, options)))
}

/// The functions of `evals.js`.
fn shell(env: &Env) -> Result<Object<'_>> {
    type Make<'env> = Function<'env, FnArgs<(Object<'env>, Unknown<'env>)>, Object<'env>>;
    let make: Make = env.run_script(include_str!("evals.js"))?;
    let error_class = env.run_script(ERROR_CLASS)?;
    make.call(FnArgs::from((evals_native::functions(env)?, error_class)))
}

const ERROR_CLASS: &str =
    "(class EvalError extends Error { constructor(code, message) { super(message); this.code = code; } })";
