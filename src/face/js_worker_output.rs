//! What a worker's runtime hands over of a run: text, displays, status events.

use std::cell::RefCell;
use std::ptr::null_mut;

use napi::{Env, Error, JsValue, Result, Status, Unknown, sys};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::js_worker::{attached, run_id};
use crate::kernel::Display;

thread_local! {
    /// Reused for text on its way out, so that a print allocates nothing.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
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
