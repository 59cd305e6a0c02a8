//! The functions that a JavaScript worker's runtime calls, on the worker's own thread. They hang on one object of the
//! addon, `__worker`, and appear in no type file: they are no API. Here are those about runs; those about what a run puts
//! out, and about processes, have files beside this one.

use std::cell::RefCell;
use std::sync::Arc;

use napi::bindgen_prelude::{Buffer, FnArgs, Function};
use napi::{Env, Error, Result};
use napi_derive::napi;

use super::js_worker_frames::{any_frame, caller};
use super::js_worker_port;
use crate::kernel::js::interrupt::{Interrupt, ThreadHooks};
use crate::kernel::js::{Session, claim, module_source, runtime};
use crate::kernel::{RunId, ToolFailure};

thread_local! {
    /// The session of this thread, when it is a worker's.
    static SESSION: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

pub(super) fn session() -> Option<Arc<Session>> {
    SESSION.with(|session| session.borrow().clone())
}

pub(super) fn attached() -> Result<Arc<Session>> {
    session().ok_or_else(|| Error::from_reason("this thread is no worker of a session"))
}

/// A run id, which JavaScript carries as a number: they are counted from 1 and stay far below 2^53.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made from a u64 on the way in")]
pub(super) fn run_id(number: f64) -> RunId {
    number as RunId
}

/// Name and source of each part of the runtime.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn parts() -> Vec<Vec<String>> {
    runtime::PARTS.iter().map(|(name, source)| vec![(*name).to_string(), (*source).to_string()]).collect()
}

/// V8's code of a part of the runtime, as an earlier worker of this process has kept it.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn code(name: String) -> Option<Buffer> {
    runtime::kept_code(&name).map(Buffer::from)
}

/// Keeps V8's code of a part of the runtime for the workers that start later.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn keep_code(name: String, code: &[u8]) {
    runtime::keep_code(name, code);
}

/// Takes the session that this worker was started for. Returns whether its runs can be interrupted.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn attach(
    env: Env,
    worker: f64,
    control: Function<'_, FnArgs<js_worker_port::ControlArguments>, ()>,
    mend_node: Function<'_, (), ()>,
    platform_names: Vec<String>,
) -> Result<bool> {
    let (session, registration) =
        claim(run_id(worker)).ok_or_else(|| Error::from_reason("no session waits for this worker"))?;
    SESSION.with(|own| *own.borrow_mut() = Some(session.clone()));
    let hook = session.clone();
    env.add_env_cleanup_hook((), move |()| hook.environment_gone())?;
    let port = js_worker_port::port(&control)?;
    let exhausted = Arc::downgrade(&session);
    let hooks = ThreadHooks {
        mend_node: caller(env, &mend_node)?,
        exhausted: Box::new(move |what| {
            if let Some(session) = exhausted.upgrade() {
                session.exhausted(what);
            }
        }),
        any_frame: Box::new(move |symbols, isolate, wanted| any_frame(env, symbols, isolate, wanted)),
    };
    let array_buffer_bytes = (session.limits().array_buffer_mb as usize) << 20;
    let interruptible = session.interrupt_handle().register(hooks, array_buffer_bytes);
    session.register(port, interruptible, platform_names);
    registration.complete();
    Ok(interruptible)
}

/// Calls a host tool; the answer comes through the control function. False when the run is not current.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn call_tool(run: f64, call: f64, name: String, args: String) -> Result<bool> {
    Ok(attached()?.tool_call(run_id(run), run_id(call), name, args))
}

/// Calls a host tool and blocks until its answer: `[1, json]` or `[0, message]`; nothing when the run was stopped.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn call_tool_blocking(run: f64, call: f64, name: String, args: String) -> Result<Option<Vec<String>>> {
    let answer = attached()?.tool_call_blocking(run_id(run), run_id(call), name, args);
    Ok(answer.map(|answer| match answer {
        Ok(json) => vec!["1".into(), json],
        Err(ToolFailure { message }) => vec!["0".into(), message],
    }))
}

/// A prelude helper: JSON in, JSON out.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn helper(op: String, request: String) -> Result<String> {
    Ok(attached()?.helper(&op, &request))
}

/// The run has ended: well, when there is no `detail`. `by_stop`: it was stopped or ended itself, so that this holds also
/// when an interrupt has hit it. False when this was not the end of the current run.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn done(run: f64, detail: Option<String>, by_stop: bool) -> Result<bool> {
    Ok(attached()?.done(run_id(run), detail.as_deref(), by_stop))
}

/// Whether an interrupt has already terminated code of this run.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn was_hit(run: f64) -> Result<bool> {
    Ok(attached()?.was_hit(run_id(run)))
}

/// Terminates the JavaScript that called. The caller loops until it takes effect.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn halt() {
    Interrupt::halt();
}

/// Whether an uncaught `null` is a termination of ours.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn take_surfacing() -> Result<bool> {
    Ok(attached()?.interrupt_handle().take_surfacing())
}

/// The column the user wrote, for a place in a compiled script.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn original_column(script: String, line: u32, column: u32) -> Result<u32> {
    Ok(attached()?.plans(|plans| plans.original_column(&script, line, column)))
}

/// A line of the cell that was planned last, as the user wrote it.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn source_line(line: u32) -> Result<String> {
    Ok(attached()?.plans(|plans| plans.source_line(line)).unwrap_or_default())
}

/// The session's own names: `[name, "1" when it is on the session object]`.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn user_names() -> Result<Vec<Vec<String>>> {
    let names = attached()?.plans(|plans| plans.user_names());
    Ok(names.into_iter().map(|(name, on_session)| vec![name, if on_session { "1" } else { "" }.into()]).collect())
}

/// A TypeScript file without its types.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn transform_module(source: String, name: String) -> Result<String> {
    module_source(&source, &name).map_err(Error::from_reason)
}

#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn variables_answer(request: f64, json: String) -> Result<()> {
    attached()?.variables_answer(run_id(request), json);
    Ok(())
}
