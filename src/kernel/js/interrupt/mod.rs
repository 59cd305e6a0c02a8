//! Stopping JavaScript without losing its bindings.
//!
//! The one recipe that held: another thread only *requests an interrupt*; the interrupt runs on the JavaScript thread,
//! checks that the run it is for is still the current one, and terminates execution there. When the outermost call (or
//! the microtask queue) has unwound, V8's completed-callbacks cancel the termination, and the isolate is as good as new.
//!
//! Never: `TerminateExecution` or `CancelTerminateExecution` from another thread, or a stop through the inspector. Both
//! abort the whole process when they meet a big `JSON.stringify` or an active `AsyncLocalStorage`.

mod frames;
mod memory;

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::v8::{IsolatePointer, Symbols};
use crate::kernel::RunId;
use crate::limits::JS_INTERRUPT_PATIENCE;
use frames::{Seen, Verdict};
pub use memory::Exhausted;

/// No run.
const NONE: RunId = 0;

/// The interrupt of one worker. Shared between its thread and those that stop its runs.
pub struct Interrupt {
    /// The worker's isolate while it lives. Whoever uses the pointer holds this lock; the worker's cleanup takes it to
    /// void the pointer.
    isolate: Mutex<Option<Isolate>>,
    /// The run that runs now, as the worker's thread knows it.
    current: AtomicU64,
    /// The run that shall stop.
    stop: AtomicU64,
    /// An interrupt was requested and has not been served.
    in_flight: AtomicBool,
    /// Execution is being terminated by us and has to be cancelled when it has unwound. Only the worker's thread touches it.
    armed: AtomicBool,
    /// The worker itself is to end: nobody cancels any more.
    terminating: AtomicBool,
    /// The run whose code an interrupt has terminated last.
    hit: AtomicU64,
    /// Terminations that have not yet surfaced as an `uncaughtException` of the value `null`.
    surfacing: AtomicUsize,
    /// An interrupt arrived where it must not terminate and is to be requested again soon.
    deferred: tokio::sync::Notify,
}

#[derive(Clone, Copy)]
struct Isolate {
    pointer: IsolatePointer,
    symbols: Symbols,
}

// SAFETY: the pointer is only passed to `RequestInterrupt`, which V8 documents as callable from any thread, and only
// under the lock that the isolate's own thread takes before the isolate goes away.
unsafe impl Send for Isolate {}

/// What the worker's thread needs when V8 calls back without any data.
struct OnThread {
    interrupt: Arc<Interrupt>,
    isolate: Isolate,
    hooks: ThreadHooks,
    /// The run whose interrupt was last put off where it is only better not to terminate, and since when.
    put_off: Cell<Option<(RunId, Instant)>>,
}

impl OnThread {
    /// How long `run` has been put off by now.
    fn put_off(&self, run: RunId) -> Duration {
        let since = match self.put_off.get() {
            Some((same, since)) if same == run => since,
            _ => Instant::now(),
        };
        self.put_off.set(Some((run, since)));
        since.elapsed()
    }
}

pub type AnyFrame = Box<dyn Fn(&Symbols, IsolatePointer, &dyn Fn(&[u8], &[u8]) -> bool) -> bool>;

/// What the interrupt needs from the environment, all called on the worker's thread from inside V8.
pub struct ThreadHooks {
    /// Mends what a termination leaves torn in Node: its stack of async ids, an immediate under way. May run JavaScript.
    pub mend_node: Box<dyn Fn()>,
    /// Told which memory is at its limit. Must not run JavaScript.
    pub exhausted: Box<dyn Fn(Exhausted)>,
    /// Passes script and function name of the innermost frames to the given function until it returns true, and says
    /// whether it did. Must not run JavaScript.
    pub any_frame: AnyFrame,
}

thread_local! {
    static ON_THREAD: RefCell<Option<OnThread>> = const { RefCell::new(None) };
}

impl Default for Interrupt {
    fn default() -> Self {
        Self {
            isolate: Mutex::new(None),
            current: AtomicU64::new(NONE),
            stop: AtomicU64::new(NONE),
            in_flight: AtomicBool::new(false),
            armed: AtomicBool::new(false),
            terminating: AtomicBool::new(false),
            hit: AtomicU64::new(NONE),
            surfacing: AtomicUsize::new(0),
            deferred: tokio::sync::Notify::new(),
        }
    }
}

impl Interrupt {
    fn isolate(&self) -> MutexGuard<'_, Option<Isolate>> {
        // A panic under this lock cannot leave the pointer half written.
        self.isolate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ties this interrupt to the isolate of the calling thread. False where V8's functions cannot be found: then
    /// [`Interrupt::request`] and [`Interrupt::halt`] do nothing.
    ///
    /// `array_buffer_bytes` bounds what V8 does not count as heap.
    pub fn register(self: &Arc<Self>, hooks: ThreadHooks, array_buffer_bytes: usize) -> bool {
        let Some(symbols) = Symbols::find() else { return false };
        // SAFETY: called on a JavaScript thread, inside a native function, where an isolate is entered.
        let pointer = unsafe { (symbols.current)() };
        if pointer.is_null() {
            return false;
        }
        let isolate = Isolate { pointer, symbols };
        ON_THREAD.with(|on_thread| {
            *on_thread.borrow_mut() =
                Some(OnThread { interrupt: self.clone(), isolate, hooks, put_off: Cell::new(None) });
        });
        // SAFETY: the isolate is this thread's own; the callbacks are static functions that find their state in this
        // thread's `ON_THREAD`, which outlives the isolate (thread locals go when the thread ends).
        unsafe {
            (symbols.add_call_completed_callback)(pointer, call_completed);
            (symbols.add_microtasks_completed_callback)(pointer, microtasks_completed, null_mut());
            memory::watch(isolate, array_buffer_bytes);
        }
        *self.isolate() = Some(isolate);
        true
    }

    /// The isolate is about to go: no use of the pointer after this returns.
    pub fn void(&self) {
        self.terminating.store(true, Ordering::SeqCst);
        *self.isolate() = None;
    }

    /// The worker was asked to terminate: from now on no termination is cancelled.
    pub fn set_terminating(&self) {
        // Under the lock, so that no interrupt is being requested at the same time.
        let _isolate = self.isolate();
        self.terminating.store(true, Ordering::SeqCst);
    }

    /// On the worker's thread: `run` begins.
    pub fn begin(&self, run: RunId) {
        self.surfacing.store(0, Ordering::SeqCst);
        self.current.store(run, Ordering::SeqCst);
    }

    /// On the worker's thread: no run is current any more.
    pub fn finish(&self) {
        self.current.store(NONE, Ordering::SeqCst);
    }

    /// Whether an interrupt has terminated code while `run` was current.
    pub fn has_hit(&self, run: RunId) -> bool {
        self.hit.load(Ordering::SeqCst) == run
    }

    /// From any thread: terminate what runs, if it is still `run`. At most one request is in flight; a second call while
    /// one is has no effect. Returns whether one is in flight now.
    pub fn request(self: &Arc<Self>, run: RunId) -> bool {
        let isolate = self.isolate();
        let Some(isolate) = *isolate else { return false };
        if self.terminating.load(Ordering::SeqCst) {
            return false;
        }
        self.stop.store(run, Ordering::SeqCst);
        if !self.in_flight.swap(true, Ordering::SeqCst) {
            // SAFETY: the isolate lives, because its thread voids the pointer under the lock held here. The data pointer
            // is this object, which that thread's `ON_THREAD` keeps alive longer than the isolate.
            unsafe {
                (isolate.symbols.request_interrupt)(
                    isolate.pointer,
                    serve,
                    Arc::as_ptr(self).cast_mut().cast::<c_void>(),
                );
            }
        }
        true
    }

    /// Whether a requested interrupt is still waiting for the thread to run JavaScript.
    pub fn is_in_flight(&self) -> bool {
        self.in_flight.load(Ordering::SeqCst)
    }

    /// Resolves when an interrupt could not do its work where it arrived: request it again.
    pub async fn deferred(&self) {
        self.deferred.notified().await;
    }

    /// On the worker's thread, before any JavaScript of the message that follows a stop: an interrupt that is still in
    /// flight is void, and nothing that cleans up after the run can be hit by another one.
    pub fn withdraw(&self) {
        self.stop.store(NONE, Ordering::SeqCst);
        self.current.store(NONE, Ordering::SeqCst);
    }

    /// On the worker's thread, from a native function called by JavaScript: ends the JavaScript that runs now. The caller
    /// must not return into user code; it spins until the termination takes it.
    pub fn halt() {
        ON_THREAD.with(|on_thread| {
            if let Some(on_thread) = &*on_thread.borrow() {
                on_thread.interrupt.terminate(on_thread.isolate);
            }
        });
    }

    /// Whether a value `null` that reached `uncaughtException` is a termination of ours, once for each.
    pub fn take_surfacing(&self) -> bool {
        self.surfacing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1)).is_ok()
    }

    fn terminate(&self, isolate: Isolate) {
        self.armed.store(true, Ordering::SeqCst);
        self.surfacing.fetch_add(1, Ordering::SeqCst);
        // SAFETY: on the isolate's own thread: either inside an interrupt that V8 runs or inside a native function.
        unsafe { (isolate.symbols.terminate_execution)(isolate.pointer) };
    }
}

/// The interrupt itself, on the JavaScript thread.
unsafe extern "C" fn serve(_isolate: IsolatePointer, data: *mut c_void) {
    // SAFETY: `request` passed the object that this thread keeps alive in `ON_THREAD`.
    let interrupt = unsafe { &*data.cast::<Interrupt>() };
    interrupt.in_flight.store(false, Ordering::SeqCst);
    let run = interrupt.stop.load(Ordering::SeqCst);
    if run == NONE || run != interrupt.current.load(Ordering::SeqCst) || interrupt.terminating.load(Ordering::SeqCst) {
        return;
    }
    ON_THREAD.with(|on_thread| {
        // `try_borrow`: an unwinding inside V8's frames must not happen, so nothing here may panic.
        let Ok(on_thread) = on_thread.try_borrow() else { return };
        let Some(on_thread) = &*on_thread else { return };
        let Isolate { pointer, symbols } = &on_thread.isolate;
        let seen = RefCell::new(Seen::default());
        (on_thread.hooks.any_frame)(symbols, *pointer, &|script, function| seen.borrow_mut().frame(script, function));
        let harmful = match seen.into_inner().verdict() {
            Verdict::Terminate => false,
            Verdict::Later => on_thread.put_off(run) < JS_INTERRUPT_PATIENCE,
            Verdict::Never => true,
        };
        if harmful {
            interrupt.deferred.notify_one();
            return;
        }
        interrupt.hit.store(run, Ordering::SeqCst);
        interrupt.terminate(on_thread.isolate);
    });
}

unsafe extern "C" fn call_completed(_isolate: IsolatePointer) {
    unwound();
}

unsafe extern "C" fn microtasks_completed(_isolate: IsolatePointer, _data: *mut c_void) {
    unwound();
}

/// Everything on the stack has unwound: the isolate may run JavaScript again.
fn unwound() {
    ON_THREAD.with(|on_thread| {
        let Ok(on_thread) = on_thread.try_borrow() else { return };
        let Some(on_thread) = &*on_thread else { return };
        let interrupt = &on_thread.interrupt;
        if interrupt.armed.load(Ordering::Relaxed) && !interrupt.terminating.load(Ordering::SeqCst) {
            interrupt.armed.store(false, Ordering::SeqCst);
            // SAFETY: on the isolate's own thread, in a callback where V8 allows calls into its API.
            unsafe { (on_thread.isolate.symbols.cancel_terminate_execution)(on_thread.isolate.pointer) };
            (on_thread.hooks.mend_node)();
        }
    });
}
