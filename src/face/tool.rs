//! `EvalTool`: conversion only. What a call does is in [`crate::call`].

use std::sync::{Arc, Weak};

use napi::bindgen_prelude::{
    FnArgs, Function, FunctionCallContext, FunctionRef, JsObjectValue, Object, PromiseRaw, This, Unknown,
    within_runtime_if_available,
};
use napi::{Env, JsValue, Result};
use napi_derive::napi;
use serde_json::{Value, json};

use super::callback::Callback;
use super::environment::{self, Environment};
use super::host::NodeHost;
use super::log;
use super::starter::{NodeStarter, python_available};
use crate::call::Tool;
use crate::error::{ErrorCode, EvalError};
use crate::input;
use crate::kernel::ToolFailure;
use crate::kernel::{inline, linger};
use crate::language::Language;
use crate::limits::INLINE_INPUT_BYTES;
use crate::options;
use crate::output::StopCause;

type Values = (String, Unknown<'static>, Unknown<'static>, Unknown<'static>, Unknown<'static>);

/// One tool, `eval`, that runs cells of Python and JavaScript/TypeScript in runtimes that persist between calls.
///
/// Every member is own, enumerable and bound: a spread copy (`{ ...tool }`) is a whole tool. An idle tool never keeps
/// Node alive, and its processes end with the host's.
#[napi]
pub struct EvalTool {
    /// The strong reference: when the instance is collected without `dispose()`, its kernels end.
    _tool: Arc<Tool>,
    invoke: FunctionRef<FnArgs<Values>, Unknown<'static>>,
}

#[napi]
impl EvalTool {
    /// Checks the options; starts nothing.
    ///
    /// Throws an `EvalError` with code `EVAL_INVALID_ARGUMENT` that names the option, what it must be and what it was.
    #[napi(constructor, catch_unwind, ts_args_type = "options?: EvalToolOptions")]
    pub fn new(env: Env, this: This, options: Unknown<'static>) -> Result<Self> {
        let environment = Environment::of(&env)?;
        let host = environment.create_host.borrow_back(&env)?.call(FnArgs::from((options,)))?;
        let settings: String = host.get_named_property("settings")?;
        let options = read_options(&settings).map_err(|error| environment::to_js(&env, &error))?;
        let callback = Callback::new(environment.id, host.get_named_property("dispatch")?)?;
        if host.get_named_property("logs")? {
            log::add_sink(&callback);
        }
        let node = Arc::new(NodeHost { callback: Arc::clone(&callback) });
        let runtime = environment.runtime(&env)?;
        let python = python_available(&options);
        let tool = Arc::new(Tool::new(
            environment.id,
            options,
            node,
            move |options| Arc::new(NodeStarter::new(Arc::clone(options), runtime)),
            python,
        ));
        let functions = functions(&env, &tool, &callback)?;
        let attach: Function<'_, FnArgs<(Object, Object, String)>, ()> = host.get_named_property("attach")?;
        attach.call(FnArgs::from((this.object, functions, fields(&tool))))?;
        let invoke: Function<'_, FnArgs<Values>, Unknown<'static>> = host.get_named_property("invoke")?;
        Ok(Self { _tool: tool, invoke: invoke.create_ref()? })
    }

    fn forward(&self, env: &Env, name: &str, values: [Unknown<'static>; 4]) -> Result<Unknown<'static>> {
        let [a, b, c, d] = values;
        self.invoke.borrow_back(env)?.call(FnArgs::from((name.to_owned(), a, b, c, d)))
    }

    /// Runs cells in order. Resolves for everything a cell can do; a failed, timed-out or aborted cell is a result.
    ///
    /// Rejects with an `EvalError` only for misuse and for what stops the call before any cell starts.
    #[napi(
        catch_unwind,
        ts_args_type = "toolCallId: string, params: EvalInput, signal?: AbortSignal | null, onUpdate?: ((partial: EvalResult) => void) | null",
        ts_return_type = "Promise<EvalResult>"
    )]
    pub fn execute(
        &self,
        env: Env,
        tool_call_id: Unknown<'static>,
        params: Unknown<'static>,
        signal: Unknown<'static>,
        on_update: Unknown<'static>,
    ) -> Result<Unknown<'static>> {
        self.forward(&env, "execute", [tool_call_id, params, signal, on_update])
    }

    /// Wipes one language, or both: the next cell gets a fresh kernel. A running cell ends as aborted.
    #[napi(catch_unwind, ts_args_type = "language?: Language", ts_return_type = "Promise<void>")]
    pub fn reset(&self, env: Env, language: Unknown<'static>) -> Result<Unknown<'static>> {
        self.forward(&env, "reset", [language; 4])
    }

    /// Stops the running cell (of that language) and keeps the state where possible.
    #[napi(catch_unwind, ts_args_type = "language?: Language", ts_return_type = "Promise<void>")]
    pub fn interrupt(&self, env: Env, language: Unknown<'static>) -> Result<Unknown<'static>> {
        self.forward(&env, "interrupt", [language; 4])
    }

    /// The session's live kernels.
    #[napi(catch_unwind, ts_args_type = "", ts_return_type = "KernelInfo[]")]
    pub fn kernels(&self, env: Env, nothing: Unknown<'static>) -> Result<Unknown<'static>> {
        self.forward(&env, "kernels", [nothing; 4])
    }

    /// The user's top-level variables of one language, after the call that is running.
    #[napi(catch_unwind, ts_args_type = "language: Language", ts_return_type = "Promise<VariableInfo[]>")]
    pub fn variables(&self, env: Env, language: Unknown<'static>) -> Result<Unknown<'static>> {
        self.forward(&env, "variables", [language; 4])
    }

    /// Settles running and queued calls as aborted and waits until every process is gone. Idempotent; later calls
    /// reject with `EVAL_DISPOSED`.
    #[napi(catch_unwind, ts_args_type = "", ts_return_type = "Promise<void>")]
    pub fn dispose(&self, env: Env, nothing: Unknown<'static>) -> Result<Unknown<'static>> {
        self.forward(&env, "dispose", [nothing; 4])
    }
}

pub(super) fn read_options(settings: &str) -> std::result::Result<options::Options, EvalError> {
    let value: Value = serde_json::from_str(settings)
        .map_err(|error| EvalError::invalid(format!("EvalTool options cannot be read: {error}.")))?;
    let directory = std::env::current_dir().map_err(|error| {
        EvalError::invalid(format!("The working directory cannot be read ({error}); pass the option `cwd`."))
    })?;
    options::parse(&value, &directory, &|name| std::env::var(name).ok())
}

/// What an agent framework reads from a tool.
fn fields(tool: &Tool) -> String {
    json!({
        "name": "eval",
        "label": "Eval",
        "description": input::description(&tool.availability()),
        "parameters": input::parameters_schema(),
        "grammar": { "syntax": "lark", "definition": input::grammar() },
        "concurrency": "exclusive",
        "mergeCallAndResult": true,
        "inline": true,
    })
    .to_string()
}

/// The native ends that `host.js` calls. They hold the tool weakly: the instance alone keeps it.
fn functions<'env>(env: &'env Env, tool: &Arc<Tool>, callback: &Arc<Callback>) -> Result<Object<'env>> {
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
