//! The functions that a JavaScript worker's runtime calls, on the worker's own thread. They hang on one object of the
//! addon, `__worker`, and appear in no type file: they are no API.

use std::cell::RefCell;
use std::ptr::null_mut;
use std::sync::Arc;

use napi::bindgen_prelude::{Buffer, FnArgs, Function};
use napi::{Env, Error, JsValue, Result, Status, Unknown, sys};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::js_worker_port;
use crate::kernel::js::interrupt::{Interrupt, ThreadHooks};
use crate::kernel::js::v8::{IsolatePointer, Symbols};
use crate::kernel::js::{Session, claim, module_source, runtime};
use crate::kernel::{Display, RunId, ToolFailure};

thread_local! {
    /// The session of this thread, when it is a worker's.
    static SESSION: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
    /// Reused for text on its way out, so that a print allocates nothing.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn session() -> Option<Arc<Session>> {
    SESSION.with(|session| session.borrow().clone())
}

fn attached() -> Result<Arc<Session>> {
    session().ok_or_else(|| Error::from_reason("this thread is no worker of a session"))
}

/// A run id, which JavaScript carries as a number: they are counted from 1 and stay far below 2^53.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made from a u64 on the way in")]
fn run_id(number: f64) -> RunId {
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

/// Calls `function` without arguments from inside a V8 callback, where no napi call is under way.
fn caller(env: Env, function: &Function<'_, (), ()>) -> Result<Box<dyn Fn()>> {
    let raw = env.raw();
    let mut reference = null_mut();
    // SAFETY: on the environment's thread, with a live value. The reference is never deleted: it goes with the
    // environment, like everything that could call it.
    let status = unsafe { sys::napi_create_reference(raw, function.raw(), 1, &raw mut reference) };
    if status != sys::Status::napi_ok {
        return Err(Error::new(Status::from(status), "no reference to a function"));
    }
    Ok(Box::new(move || {
        // SAFETY: on the environment's thread while it lives: V8 calls back only until then. The scope opened here is
        // closed here; every out-pointer is a local. An exception is taken out, not left pending.
        unsafe {
            let (mut scope, mut function, mut receiver, mut result) = (null_mut(), null_mut(), null_mut(), null_mut());
            if sys::napi_open_handle_scope(raw, &raw mut scope) != sys::Status::napi_ok {
                return;
            }
            sys::napi_get_reference_value(raw, reference, &raw mut function);
            sys::napi_get_undefined(raw, &raw mut receiver);
            let status = sys::napi_call_function(raw, receiver, function, 0, std::ptr::null(), &raw mut result);
            if status == sys::Status::napi_pending_exception {
                sys::napi_get_and_clear_last_exception(raw, &raw mut result);
            }
            sys::napi_close_handle_scope(raw, scope);
        }
    }))
}

/// How many frames are looked at: hooks and handlers are called near the top of the stack, and are shallow.
const FRAMES: i32 = 100;

/// Whether `wanted` says yes to script and function name of one of the innermost frames.
fn any_frame(env: Env, symbols: &Symbols, isolate: IsolatePointer, wanted: &dyn Fn(&[u8], &[u8]) -> bool) -> bool {
    /// `StackTrace::kScriptName | StackTrace::kFunctionName`, the same numbers in every V8.
    const NAMES: i32 = (1 << 2) | (1 << 5);
    let mut scope = null_mut();
    let mut found = false;
    // SAFETY: on the environment's thread, in a V8 interrupt, where V8's API may be used as long as no JavaScript runs:
    // a stack trace is captured and names are copied. All handles live in the scope that is opened and closed here; napi
    // values and V8's locals are the same pointers.
    unsafe {
        if sys::napi_open_handle_scope(env.raw(), &raw mut scope) != sys::Status::napi_ok {
            return false;
        }
        let trace = (symbols.current_stack_trace)(isolate, FRAMES, NAMES);
        let count = if trace.is_null() { 0 } else { (symbols.frame_count)(trace) };
        for index in 0..count.cast_unsigned() {
            let frame = (symbols.frame)(trace, isolate, index);
            if frame.is_null() {
                continue;
            }
            let (mut script, mut function) = ([0; 64], [0; 64]);
            let script = short_name(env, (symbols.script_name)(frame).cast(), &mut script);
            let function = short_name(env, (symbols.function_name)(frame).cast(), &mut function);
            if wanted(script, function) {
                found = true;
                break;
            }
        }
        sys::napi_close_handle_scope(env.raw(), scope);
    }
    found
}

/// A name's bytes, cut to the buffer; empty when there is none.
///
/// # Safety
/// On the environment's thread; `name` is null or a live string handle.
unsafe fn short_name(env: Env, name: sys::napi_value, bytes: &mut [u8; 64]) -> &[u8] {
    let mut length = 0;
    if !name.is_null() {
        // SAFETY: napi writes at most the buffer's length.
        let status = unsafe {
            sys::napi_get_value_string_utf8(env.raw(), name, bytes.as_mut_ptr().cast(), bytes.len(), &raw mut length)
        };
        if status != sys::Status::napi_ok {
            length = 0;
        }
    }
    &bytes[..length.min(bytes.len())]
}

/// Text of a run, at once, on this thread; of nobody when the run is not current.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn write(env: Env, run: f64, text: Unknown<'_>) -> Result<()> {
    let session = attached()?;
    TEXT.with(|buffer| {
        let mut buffer = buffer.borrow_mut();
        utf8(env, &text, &mut buffer)?;
        session.print(run_id(run), &buffer);
        Ok(())
    })
}

/// The string's bytes in `buffer`, without what was there. Lone surrogates become U+FFFD.
fn utf8(env: Env, text: &Unknown<'_>, buffer: &mut Vec<u8>) -> Result<()> {
    const FIRST_TRY: usize = 8 * 1024;
    if buffer.capacity() < FIRST_TRY {
        buffer.reserve(FIRST_TRY);
    }
    let read = |buffer: &mut Vec<u8>| -> Result<usize> {
        let mut length = 0;
        // SAFETY: napi writes at most `capacity` bytes, its NUL included, and says how many before the NUL.
        let status = unsafe {
            sys::napi_get_value_string_utf8(
                env.raw(),
                text.raw(),
                buffer.as_mut_ptr().cast(),
                buffer.capacity(),
                &raw mut length,
            )
        };
        if status != sys::Status::napi_ok {
            return Err(Error::new(Status::from(status), "text that is no string"));
        }
        Ok(length)
    };
    buffer.clear();
    let mut length = read(buffer)?;
    // Nearly full means: perhaps cut, at a character's border.
    if length + 4 >= buffer.capacity() {
        let mut whole = 0;
        // SAFETY: without a buffer, napi only measures.
        unsafe { sys::napi_get_value_string_utf8(env.raw(), text.raw(), null_mut(), 0, &raw mut whole) };
        buffer.reserve(whole + 1);
        length = read(buffer)?;
    }
    // SAFETY: napi has just written that many bytes.
    unsafe { buffer.set_len(length) };
    if buffer.capacity() > 1 << 20 {
        // One huge line must not keep its memory for ever; the caller still uses it, so only the next call shrinks it.
        buffer.shrink_to(length);
    }
    Ok(())
}

/// Bytes of a run's output.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn write_bytes(run: f64, bytes: &[u8]) -> Result<()> {
    attached()?.print(run_id(run), bytes);
    Ok(())
}

/// Something displayed: `kind` is `text`, `markdown`, `json` or a MIME type of an image. False when the run is not current.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn display(run: f64, kind: String, data: String) -> Result<bool> {
    let display = match kind.as_str() {
        "text" => Display::Text { text: data, markdown: false },
        "markdown" => Display::Text { text: data, markdown: true },
        "json" => Display::Json(RawValue::from_string(data).map_err(|error| Error::from_reason(error.to_string()))?),
        _ => Display::Image { mime_type: kind, data },
    };
    Ok(attached()?.display(run_id(run), display))
}

/// A status event, as JSON.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn status(run: f64, event: String) -> Result<()> {
    let event = RawValue::from_string(event).map_err(|error| Error::from_reason(error.to_string()))?;
    attached()?.status(run_id(run), event);
    Ok(())
}

/// An error that surfaced after its cell.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn stray(sentence: String) -> Result<()> {
    attached()?.stray_error(sentence);
    Ok(())
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

/// The thread is about to wait for a child process, or has come back from it.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn synchronous_child(waiting: bool) -> Result<()> {
    attached()?.synchronous_child(waiting);
    Ok(())
}

/// The write end of the run's own pipe.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn output_descriptor(run: f64) -> Result<i32> {
    Ok(attached()?.output_descriptor(run_id(run)))
}

/// Passes on what stands in the run's own pipe.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn drain_output(run: f64) -> Result<()> {
    attached()?.drain_output(run_id(run));
    Ok(())
}

/// A child has been started as the leader of its own group.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn child_started(pid: i32) -> Result<()> {
    attached()?.child_started(pid);
    Ok(())
}

/// A child has ended. True when others of its group live on.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn child_ended(pid: i32) -> Result<bool> {
    Ok(attached()?.child_ended(pid))
}

/// Ends the whole group that a child led.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn kill_group(pid: i32) -> Result<()> {
    attached()?.kill_child(pid);
    Ok(())
}

/// Gives this thread a working directory of its own, when the system can, and enters `directory`.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn own_directory(directory: String) -> bool {
    crate::kernel::js::directory::separate() && crate::kernel::js::directory::enter(&directory)
}

/// Moves this thread, which has a directory of its own.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn change_directory(directory: String) -> bool {
    crate::kernel::js::directory::enter(&directory)
}
