//! The native ends of a tool that `host.js` calls.

use std::sync::{Arc, Weak};

use napi::bindgen_prelude::{
    FnArgs, Function, FunctionCallContext, JsObjectValue, Object, PromiseRaw, within_runtime_if_available,
};
use napi::{Env, JsValue, Result};
use serde_json::{Value, json};

use super::callback::Callback;
use crate::call::Tool;
use crate::error::{ErrorCode, EvalError};
use crate::kernel::ToolFailure;
use crate::kernel::{inline, linger};
use crate::language::Language;
use crate::limits::INLINE_INPUT_BYTES;
use crate::options;
use crate::output::StopCause;

/// All of them. They hold the tool weakly: the instance alone keeps it.
pub(super) fn functions<'env>(env: &'env Env, tool: &Arc<Tool>, callback: &Arc<Callback>) -> Result<Object<'env>> {
    let mut functions = Object::new(env)?;
    functions.set_named_property("session", format!("{:?}", tool.session.key))?;

    let (weak, ends) = (Arc::downgrade(tool), Arc::downgrade(callback));
    let execute = env.create_function_from_closure::<FnArgs<(f64, String, Vec<String>, bool, bool)>, _, _>(
        "execute",
        move |context: FunctionCallContext| {
            let (call, params, tools, wants_updates, is_aborted): (f64, String, Vec<String>, bool, bool) =
                (context.get(0)?, context.get(1)?, context.get(2)?, context.get(3)?, context.get(4)?);
            let call = call as u64;
            let (Some(tool), Some(ends)) = (weak.upgrade(), ends.upgrade()) else {
                return Ok(Some(envelope(&disposed())));
            };
            let stop = tool.begin(call);
            if is_aborted {
                stop.stop(StopCause::Abort);
            }
            let is_small = params.len() <= INLINE_INPUT_BYTES;
            Ok(ends.begin(context.env, call, |promised| {
                run_inline(is_small, async move {
                    promised.settle(match tool.execute(call, stop, params, tools, wants_updates).await {
                        Ok(result) => {
                            serde_json::to_string(&result).unwrap_or_else(|error| envelope(&unreadable(&error)))
                        }
                        Err(error) => envelope(&error),
                    });
                });
            }))
        },
    )?;
    functions.set_named_property("execute", execute)?;

    let weak = Arc::downgrade(tool);
    let abort = env.create_function_from_closure::<FnArgs<(f64,)>, _, _>("abort", move |context| {
        if let Some(tool) = weak.upgrade() {
            tool.abort(context.get::<f64>(0)? as u64);
        }
        Ok(())
    })?;
    functions.set_named_property("abort", abort)?;

    let callback = Arc::downgrade(callback);
    let answer = env.create_function_from_closure::<FnArgs<(f64, bool, String)>, _, _>("answer", move |context| {
        let (id, ok, text): (f64, bool, String) = (context.get(0)?, context.get(1)?, context.get(2)?);
        if let Some(callback) = callback.upgrade() {
            callback.answer(id as u64, if ok { Ok(text) } else { Err(ToolFailure { message: text }) });
        }
        Ok(())
    })?;
    functions.set_named_property("answer", answer)?;

    let weak = Arc::downgrade(tool);
    functions.set_named_property(
        "reset",
        language_function(env, "reset", move |language| {
            let weak = weak.clone();
            async move {
                let language = optional_language("reset", &language)?;
                alive(&weak)?.reset(language).await.map(|()| String::new())
            }
        })?,
    )?;
    let weak = Arc::downgrade(tool);
    functions.set_named_property(
        "interrupt",
        language_function(env, "interrupt", move |language| {
            let weak = weak.clone();
            async move {
                let language = optional_language("interrupt", &language)?;
                alive(&weak)?.interrupt(language).map(|()| String::new())
            }
        })?,
    )?;
    let weak = Arc::downgrade(tool);
    functions.set_named_property(
        "variables",
        language_function(env, "variables", move |language| {
            let weak = weak.clone();
            async move {
                let Some(language) = optional_language("variables", &language)? else {
                    return Err(EvalError::invalid("variables: name the language, 'python' or 'js'."));
                };
                let variables = alive(&weak)?.variables(language).await?;
                serde_json::to_string(&variables).map_err(|error| unreadable(&error))
            }
        })?,
    )?;
    let weak = Arc::downgrade(tool);
    functions.set_named_property(
        "dispose",
        language_function(env, "dispose", move |_| {
            let tool = weak.upgrade();
            async move {
                if let Some(tool) = tool {
                    tool.dispose().await;
                }
                Ok(String::new())
            }
        })?,
    )?;

    let weak = Arc::downgrade(tool);
    let kernels = env.create_function_from_closure::<(), _, _>("kernels", move |_| {
        Ok(Value::from(weak.upgrade().map(|tool| tool.kernels()).unwrap_or_default()).to_string())
    })?;
    functions.set_named_property("kernels", kernels)?;
    Ok(functions)
}

/// A function of one JSON value that resolves to text, or to the envelope of an error.
fn language_function<'env, F, R>(
    env: &'env Env,
    name: &str,
    action: F,
) -> Result<Function<'env, FnArgs<(String,)>, PromiseRaw<'static, String>>>
where
    F: Fn(String) -> R + 'static,
    R: Future<Output = std::result::Result<String, EvalError>> + Send + 'static,
{
    env.create_function_from_closure(name, move |context: FunctionCallContext| {
        let argument = context.get::<Option<String>>(0)?.unwrap_or_default();
        let work = action(argument);
        settled(&context, async move { work.await.unwrap_or_else(|error| envelope(&error)) })
    })
}

/// A promise for the text. It keeps Node alive until it settles.
fn settled(
    context: &FunctionCallContext<'_>,
    work: impl Future<Output = String> + Send + 'static,
) -> Result<PromiseRaw<'static, String>> {
    let promise = context.env.spawn_future(async move { Ok(work.await) })?;
    // The promise is returned at once, within the handle scope it was made in; the lifetime only says that.
    Ok(PromiseRaw::new(context.env.raw(), promise.raw()))
}

/// Runs the work of a call without a hand-over between threads where none is needed; see [`inline`].
fn run_inline(is_small: bool, work: impl Future<Output = ()> + Send + 'static) {
    within_runtime_if_available(|| {
        let runtime = tokio::runtime::Handle::current();
        if is_small {
            linger::allowed(|| inline::spawn(&runtime, work));
        } else {
            // Reading much text is not for the host's own thread.
            runtime.spawn(work);
        }
    });
}

fn alive(tool: &Weak<Tool>) -> std::result::Result<Arc<Tool>, EvalError> {
    tool.upgrade().ok_or_else(disposed)
}

fn disposed() -> EvalError {
    EvalError::new(ErrorCode::Disposed, "This EvalTool is gone; make a new one to run cells.")
}

fn unreadable(error: &serde_json::Error) -> EvalError {
    EvalError::invalid(format!("The result cannot be written as JSON: {error}."))
}

fn envelope(error: &EvalError) -> String {
    json!({ "evalError": { "code": error.code.as_str(), "message": error.message } }).to_string()
}

/// `language` as JSON text; `undefined` and `null` are none.
pub(super) fn optional_language(method: &str, language: &str) -> std::result::Result<Option<Language>, EvalError> {
    let value: Value = serde_json::from_str(language).unwrap_or(Value::Null);
    match &value {
        Value::Null => Ok(None),
        Value::Object(map) if map.get("$kind").is_some_and(|kind| kind == "undefined") => Ok(None),
        Value::String(name) if name == "python" => Ok(Some(Language::Python)),
        Value::String(name) if name == "js" => Ok(Some(Language::Js)),
        other => Err(EvalError::invalid(format!(
            "{method}: the language must be 'python' or 'js', not {}.",
            options::describe(other)
        ))),
    }
}
