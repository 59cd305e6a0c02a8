//! `EvalTool`: conversion only. What a call does is in [`crate::call`].

use std::sync::Arc;

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef, JsObjectValue, Object, This, Unknown};
use napi::{Env, Result};
use napi_derive::napi;
use serde_json::{Value, json};

use super::callback::Callback;
use super::environment::{self, Environment};
use super::host::NodeHost;
use super::log;
use super::starter::{NodeStarter, python_available};
use super::tool_functions::functions;
use crate::call::Tool;
use crate::error::EvalError;
use crate::input;
use crate::options;

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
