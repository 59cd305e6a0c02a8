//! Memory at its limit: the JavaScript that asked for more ends, and so does its worker.

use super::{Isolate, ON_THREAD};
use crate::kernel::js::array_buffers::{self, Guard};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

/// What a heap at its limit may still grow while the cell is being stopped.
const HEAP_SLACK: usize = 4 << 30;

/// Which memory of a worker is at its limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exhausted {
    Heap,
    ArrayBuffers,
}

/// Watches both memories of the calling thread's isolate.
///
/// # Safety
/// The isolate is this thread's own and entered; `ON_THREAD` has been filled and outlives it.
pub(super) unsafe fn watch(isolate: Isolate, array_buffer_bytes: usize) {
    let Isolate { pointer, symbols } = isolate;
    // SAFETY: as promised by the caller; the callbacks are static functions that find their state in `ON_THREAD`.
    unsafe {
        (symbols.add_near_heap_limit_callback)(pointer, near_heap_limit, null_mut());
        let allocator = (symbols.array_buffer_allocator)(pointer);
        if !allocator.is_null() {
            let guard = Guard { may_refuse: may_refuse_memory, exhausted: || exhausted(Exhausted::ArrayBuffers) };
            array_buffers::limit(allocator, array_buffer_bytes, guard);
        }
    }
}

/// Added after Node's own, so V8 asks this one. Node's would end the worker at once and leave the allocation that is
/// under way to abort the process; with slack it gets to unwind.
unsafe extern "C" fn near_heap_limit(_data: *mut c_void, current: usize, initial: usize) -> usize {
    exhausted(Exhausted::Heap);
    current.max(initial) + HEAP_SLACK
}

/// This worker has run out of memory: its JavaScript ends, and so does it.
fn exhausted(what: Exhausted) {
    ON_THREAD.with(|on_thread| {
        let Ok(on_thread) = on_thread.try_borrow() else { return };
        let Some(on_thread) = &*on_thread else { return };
        // From here on the termination stays: this worker is replaced.
        on_thread.interrupt.terminating.store(true, Ordering::SeqCst);
        // SAFETY: on the isolate's own thread, in a callback that V8 makes while it allocates.
        unsafe { (on_thread.isolate.symbols.terminate_execution)(on_thread.isolate.pointer) };
        (on_thread.hooks.exhausted)(what);
    });
}

/// Whether the JavaScript that asks for memory gets an exception when it is refused: code of users and libraries (`new
/// ArrayBuffer`, typed arrays) and Node's `Buffer`. Others of Node's own functions abort the process.
fn may_refuse_memory() -> bool {
    ON_THREAD.with(|on_thread| {
        let Ok(on_thread) = on_thread.try_borrow() else { return false };
        let Some(on_thread) = &*on_thread else { return false };
        let Isolate { pointer, symbols } = &on_thread.isolate;
        let mut may = false;
        let may_cell = std::cell::Cell::from_mut(&mut may);
        (on_thread.hooks.any_frame)(symbols, *pointer, &|script, _function| {
            may_cell.set(script == b"node:internal/buffer" || !script.starts_with(b"node:"));
            true
        });
        may
    })
}
