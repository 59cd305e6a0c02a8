//! The few V8 functions that stopping needs, looked up in the running executable by their exported C++ names.
//!
//! They are part of V8's public API and have kept these names from Node 20 to 24. Where one is missing (Bun, Windows)
//! there is no [`Symbols`], and a run can only be stopped by ending its worker.

use std::ffi::c_void;

/// An isolate as V8 hands it out. Never dereferenced here.
pub type IsolatePointer = *mut c_void;

pub type CompletedCallback = unsafe extern "C" fn(IsolatePointer);
pub type CompletedWithData = unsafe extern "C" fn(IsolatePointer, *mut c_void);
pub type InterruptCallback = unsafe extern "C" fn(IsolatePointer, *mut c_void);
pub type NearHeapLimitCallback = unsafe extern "C" fn(*mut c_void, usize, usize) -> usize;

/// The functions, as `extern "C"`: non-virtual C++ members take `this` as their first argument on every ABI where these
/// (Itanium-mangled) names exist.
#[derive(Clone, Copy)]
pub struct Symbols {
    pub current: unsafe extern "C" fn() -> IsolatePointer,
    pub request_interrupt: unsafe extern "C" fn(IsolatePointer, InterruptCallback, *mut c_void),
    pub terminate_execution: unsafe extern "C" fn(IsolatePointer),
    pub cancel_terminate_execution: unsafe extern "C" fn(IsolatePointer),
    pub add_call_completed_callback: unsafe extern "C" fn(IsolatePointer, CompletedCallback),
    pub add_microtasks_completed_callback: unsafe extern "C" fn(IsolatePointer, CompletedWithData, *mut c_void),
    pub add_near_heap_limit_callback: unsafe extern "C" fn(IsolatePointer, NearHeapLimitCallback, *mut c_void),
    pub array_buffer_allocator: unsafe extern "C" fn(IsolatePointer) -> *mut c_void,
    /// Handles come back as one pointer each, as `Local<T>` does in a register. The caller has a handle scope open.
    pub current_stack_trace: unsafe extern "C" fn(IsolatePointer, i32, i32) -> *mut c_void,
    pub frame_count: unsafe extern "C" fn(*const c_void) -> i32,
    pub frame: unsafe extern "C" fn(*const c_void, IsolatePointer, u32) -> *mut c_void,
    pub script_name: unsafe extern "C" fn(*const c_void) -> *mut c_void,
    pub function_name: unsafe extern "C" fn(*const c_void) -> *mut c_void,
}

#[cfg(unix)]
impl Symbols {
    /// All of them, or none.
    #[allow(clippy::missing_transmute_annotations, reason = "the field's own type is the annotation")]
    pub fn find() -> Option<Self> {
        use std::ffi::CStr;
        use std::mem::transmute;

        use nix::libc::{RTLD_DEFAULT, dlsym};

        let symbol = |name: &CStr| {
            // SAFETY: looking a name up touches nothing.
            let address = unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        // SAFETY: each address is the function of that mangled name, whose C++ signature is the field's type.
        unsafe {
            Some(Self {
                current: transmute::<*mut c_void, _>(symbol(c"_ZN2v87Isolate10GetCurrentEv")?),
                request_interrupt: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_",
                )?),
                terminate_execution: transmute::<*mut c_void, _>(symbol(c"_ZN2v87Isolate18TerminateExecutionEv")?),
                cancel_terminate_execution: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate24CancelTerminateExecutionEv",
                )?),
                add_call_completed_callback: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate24AddCallCompletedCallbackEPFvPS0_E",
                )?),
                add_microtasks_completed_callback: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate30AddMicrotasksCompletedCallbackEPFvPS0_PvES2_",
                )?),
                add_near_heap_limit_callback: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate24AddNearHeapLimitCallbackEPFmPvmmES1_",
                )?),
                array_buffer_allocator: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v87Isolate23GetArrayBufferAllocatorEv",
                )?),
                current_stack_trace: transmute::<*mut c_void, _>(symbol(
                    c"_ZN2v810StackTrace17CurrentStackTraceEPNS_7IsolateEiNS0_17StackTraceOptionsE",
                )?),
                frame_count: transmute::<*mut c_void, _>(symbol(c"_ZNK2v810StackTrace13GetFrameCountEv")?),
                frame: transmute::<*mut c_void, _>(symbol(c"_ZNK2v810StackTrace8GetFrameEPNS_7IsolateEj")?),
                script_name: transmute::<*mut c_void, _>(symbol(c"_ZNK2v810StackFrame13GetScriptNameEv")?),
                function_name: transmute::<*mut c_void, _>(symbol(c"_ZNK2v810StackFrame15GetFunctionNameEv")?),
            })
        }
    }
}

#[cfg(not(unix))]
impl Symbols {
    /// The names are mangled another way here.
    pub fn find() -> Option<Self> {
        None
    }
}
