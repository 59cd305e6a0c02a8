//! The package's plain functions about cells and sessions.

use napi::bindgen_prelude::{Either, FromNapiValue, PromiseRaw, Unknown};
use napi::{Env, JsValue, Result, ValueType};
use napi_derive::napi;
use serde_json::Value;

use super::environment;
use crate::error::EvalError;
use crate::input;
use crate::kernel::registry;

fn text(env: &Env, value: Unknown<'static>, what: &str) -> Result<String> {
    if value.get_type()? == ValueType::String {
        // Straight across: cell text may be long.
        // SAFETY: it is a string of this environment, as was just checked.
        return unsafe { String::from_napi_value(env.raw(), value.raw()) };
    }
    match value_of(env, value, what)? {
        Value::String(text) => Ok(text),
        other => Err(invalid(env, format!("{what} must be a string, not {}.", crate::options::describe(&other)))),
    }
}

pub(super) fn value_of(env: &Env, value: Unknown<'static>, what: &str) -> Result<Value> {
    let json = environment::to_json(env, value, what)?;
    serde_json::from_str(&json).map_err(|error| invalid(env, format!("{what} cannot be read: {error}.")))
}

pub(super) fn invalid(env: &Env, message: String) -> napi::Error {
    environment::to_js(env, &EvalError::invalid(message))
}

/// Reads cell text; pure, never runs anything. Half characters (lone surrogates) are read as U+FFFD.
///
/// Throws an `EvalError` with code `EVAL_PARSE` that names line and token.
#[napi(catch_unwind, ts_args_type = "input: string", ts_return_type = "ParsedEvalInput")]
pub fn parse_eval_input(env: Env, input: Unknown<'static>) -> Result<Unknown<'static>> {
    let text = text(&env, input, "parseEvalInput: the input")?;
    let parsed = input::parse(&text).map_err(|error| environment::to_js(&env, &error))?;
    let rows = serde_json::to_string(&parsed.rows()).map_err(|error| invalid(&env, error.to_string()))?;
    environment::parsed_input(&env, rows)
}

/// The language that code is written in, when strong markers of exactly one are in it.
#[napi(catch_unwind, ts_args_type = "code: string", ts_return_type = "Language | undefined")]
pub fn sniff_eval_language(env: Env, code: Unknown<'static>) -> Result<Either<&'static str, ()>> {
    let text = text(&env, code, "sniffEvalLanguage: the code")?;
    // `None` would arrive as `null`.
    Ok(input::sniff(&text).map_or(Either::B(()), |language| Either::A(language.name())))
}

/// Closes the kernels of every session whose tools named this owner; resolves when they are gone.
#[napi(catch_unwind, ts_args_type = "ownerId: string", ts_return_type = "Promise<void>")]
pub fn dispose_owner(env: Env, owner_id: Unknown<'static>) -> Result<PromiseRaw<'static, ()>> {
    let owner = text(&env, owner_id, "disposeOwner: the owner");
    let promise = env.spawn_future(async move {
        registry::close_owner(&owner?).await;
        Ok(())
    })?;
    // The promise is returned at once, within the handle scope it was made in; the lifetime only says that.
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}
