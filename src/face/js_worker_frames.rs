//! What is done inside V8's own callbacks, where no napi call is under way: calling a function, looking at the stack.

use std::ptr::null_mut;

use napi::bindgen_prelude::Function;
use napi::{Env, Error, JsValue, Result, Status, sys};

use crate::kernel::js::v8::{IsolatePointer, Symbols};

/// Calls `function` without arguments from inside a V8 callback, where no napi call is under way.
pub(super) fn caller(env: Env, function: &Function<'_, (), ()>) -> Result<Box<dyn Fn()>> {
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
pub(super) fn any_frame(
    env: Env,
    symbols: &Symbols,
    isolate: IsolatePointer,
    wanted: &dyn Fn(&[u8], &[u8]) -> bool,
) -> bool {
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
