//! The eval harness as Node sees it: cases run through the shell in `evals.js`, which asks the machines of
//! [`crate::evals`] what comes next.

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef, JsObjectValue, Object, Unknown};
use napi::{Env, Result};
use napi_derive::napi;

use super::environment::Environment;
use super::evals_native;

/// The functions of `evals.js` in one environment.
pub struct Shell {
    run_case: FunctionRef<FnArgs<(Unknown<'static>,)>, Unknown<'static>>,
    run_suite: FunctionRef<FnArgs<(Unknown<'static>, Unknown<'static>)>, Unknown<'static>>,
}

impl Shell {
    /// Made when the first case runs: most programs run none.
    fn of(env: &Env) -> Result<&'static Self> {
        let environment = Environment::of(env)?;
        let shell = match environment.evals.take() {
            Some(shell) => shell,
            None => Self::new(env, environment)?,
        };
        Ok(environment.evals.insert(shell))
    }

    fn new(env: &Env, environment: &Environment) -> Result<Self> {
        type CreateError<'env> = Function<'env, FnArgs<(String, String)>, Unknown<'static>>;
        let facts: Object = env.run_script(include_str!("evals_facts.js"))?;
        let make: Function<'_, FnArgs<(Object, Object, CreateError)>, Object> =
            env.run_script(include_str!("evals.js"))?;
        let create_error = environment.create_error.borrow_back(env)?;
        let shell = make.call(FnArgs::from((evals_native::functions(env)?, facts, create_error)))?;
        let run_case: Function<'_, FnArgs<(Unknown<'static>,)>, Unknown<'static>> =
            shell.get_named_property("runCase")?;
        let run_suite: Function<'_, FnArgs<(Unknown<'static>, Unknown<'static>)>, Unknown<'static>> =
            shell.get_named_property("runSuite")?;
        Ok(Self { run_case: run_case.create_ref()?, run_suite: run_suite.create_ref()? })
    }
}

/// Runs one case in the fixed order and resolves to its safe report. Never rejects for what a case does.
#[napi(catch_unwind, ts_args_type = "evalCase: EvalCase", ts_return_type = "Promise<EvalReport>")]
pub fn run_eval_case(env: Env, eval_case: Unknown<'static>) -> Result<Unknown<'static>> {
    Shell::of(&env)?.run_case.borrow_back(&env)?.call(FnArgs::from((eval_case,)))
}

/// Runs cases one after the other, each trial fresh; resolves to one report per trial, in input order then trial order.
///
/// Rejects with `EVAL_INVALID_ARGUMENT` when `cases` is no array or an option is not what it must be, never for what a
/// case does.
#[napi(
    catch_unwind,
    ts_args_type = "cases: readonly EvalCase[], options?: EvalSuiteOptions",
    ts_return_type = "Promise<EvalReport[]>"
)]
pub fn run_eval_suite(env: Env, cases: Unknown<'static>, options: Unknown<'static>) -> Result<Unknown<'static>> {
    Shell::of(&env)?.run_suite.borrow_back(&env)?.call(FnArgs::from((cases, options)))
}
