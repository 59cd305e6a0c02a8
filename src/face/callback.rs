//! Callbacks into the host's JavaScript: the one file of the host's side that knows `ThreadsafeFunction`.
//!
//! Every message is fire-and-forget and its function never throws; what must be answered carries an id, and the host
//! answers through [`Callback::answer`], which runs on the host's thread. Nothing waits on a JavaScript promise here, so
//! an environment that ends in the middle costs an answer, never a crash. The function is weak: it keeps Node alive only
//! while a call runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status, sys};

use crate::kernel::{ToolAnswer, ToolFailure};

/// `(kind, id, name, body, call)`: see `messages` in `host.js`.
type Arguments = FnArgs<(String, f64, String, String, f64)>;
pub type Dispatch = ThreadsafeFunction<Message, (), Arguments, Status, false, true>;

/// The kinds that say how a call ended: the message's body is its result, or says what failed inside.
const SETTLED: &str = "settled";
const FAILED: &str = "failed";

pub struct Message {
    pub kind: &'static str,
    pub id: u64,
    pub name: String,
    pub body: String,
    pub call: u64,
}

/// Answers are the same shape for tools and for everything else: text, or a message that says why there is none.
type Answer = Box<dyn FnOnce(ToolAnswer) + Send>;

pub struct Callback {
    dispatch: Dispatch,
    running: Arc<Running>,
    waiting: Mutex<HashMap<u64, Answer>>,
}

/// How many calls run. While any does, the function keeps Node's event loop alive. Changed on the environment's thread only.
#[derive(Default)]
struct Running {
    count: AtomicUsize,
    function: AtomicPtr<sys::napi_threadsafe_function__>,
}

impl Running {
    fn begun(&self, env: &Env) {
        if self.count.fetch_add(1, Ordering::Relaxed) == 0 {
            // SAFETY: on the environment's thread, with a function that lives as long as the `Callback` that is called.
            unsafe { sys::napi_ref_threadsafe_function(env.raw(), self.function.load(Ordering::Relaxed)) };
        }
    }

    fn ended(&self, env: &Env) {
        if self.count.fetch_sub(1, Ordering::Relaxed) == 1 {
            // SAFETY: on the environment's thread, from inside a call of that function.
            unsafe { sys::napi_unref_threadsafe_function(env.raw(), self.function.load(Ordering::Relaxed)) };
        }
    }
}

/// A call that has begun: it is settled whatever becomes of the work. A panic drops this, and that settles it too.
pub struct Promised {
    callback: Arc<Callback>,
    call: u64,
    is_settled: bool,
    early: Early,
}

/// Where a result goes that is there before the function that began the call has returned.
#[derive(Clone, Default)]
struct Early(Arc<Mutex<EarlyState>>);

#[derive(Default)]
enum EarlyState {
    #[default]
    Open,
    Settled(String),
    /// The function has returned: from now on it takes a message.
    Closed,
}

impl Early {
    fn lock(&self) -> std::sync::MutexGuard<'_, EarlyState> {
        // Every change is one assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the result, if it is there. On the environment's thread, once.
    fn close(&self) -> Option<String> {
        match std::mem::replace(&mut *self.lock(), EarlyState::Closed) {
            EarlyState::Settled(result) => Some(result),
            EarlyState::Open | EarlyState::Closed => None,
        }
    }
}

impl Promised {
    pub fn settle(mut self, result: String) {
        self.is_settled = true;
        let mut early = self.early.lock();
        if matches!(*early, EarlyState::Open) {
            *early = EarlyState::Settled(result);
            return;
        }
        drop(early);
        self.tell(SETTLED, result);
    }

    fn tell(&self, kind: &'static str, body: String) {
        self.callback.tell(Message { kind, id: self.call, name: String::new(), body, call: self.call });
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        if !self.is_settled {
            let sentence = "evalcell failed inside; this is a fault of the package, please report it";
            self.tell(FAILED, sentence.to_owned());
        }
    }
}

/// Every callback with the environment it belongs to.
static CALLBACKS: Mutex<Vec<(u64, Weak<Callback>)>> = Mutex::new(Vec::new());

/// Nobody in this environment will answer any more: whoever waits hears so now.
pub fn environment_ended(environment: u64) {
    let ended: Vec<_> = {
        let mut callbacks = CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.extract_if(.., |(of, _)| *of == environment).filter_map(|(_, callback)| callback.upgrade()).collect()
    };
    for callback in ended {
        let waiting = std::mem::take(&mut *callback.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for deliver in waiting.into_values() {
            deliver(Err(environment_has_ended()));
        }
    }
}

fn environment_has_ended() -> ToolFailure {
    ToolFailure { message: "the host's environment has ended".to_owned() }
}

impl Callback {
    pub fn new(environment: u64, dispatch: Function<'_, Arguments, ()>) -> Result<Arc<Self>> {
        let running = Arc::new(Running::default());
        let counted = Arc::clone(&running);
        let dispatch =
            dispatch.build_threadsafe_function::<Message>().weak::<true>().callee_handled::<false>().build_callback(
                move |context| {
                    let Message { kind, id, name, body, call } = context.value;
                    if kind == SETTLED || kind == FAILED {
                        counted.ended(&context.env);
                    }
                    Ok(FnArgs::from((kind.to_owned(), id as f64, name, body, call as f64)))
                },
            )?;
        running.function.store(dispatch.raw(), Ordering::Relaxed);
        let callback = Arc::new(Self { dispatch, running, waiting: Mutex::default() });
        let mut callbacks = CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.retain(|(_, callback)| callback.strong_count() > 0);
        callbacks.push((environment, Arc::downgrade(&callback)));
        Ok(callback)
    }

    /// A call begins: `work` ends it, once, by settling what it is given. The result when it is there already, which no
    /// message will tell then. On the environment's thread.
    pub fn begin(self: &Arc<Self>, env: &Env, call: u64, work: impl FnOnce(Promised)) -> Option<String> {
        self.running.begun(env);
        let early = Early::default();
        work(Promised { callback: Arc::clone(self), call, is_settled: false, early: early.clone() });
        let result = early.close();
        if result.is_some() {
            self.running.ended(env);
        }
        result
    }

    /// Sends a message that is not answered. False when the environment has ended.
    pub fn tell(&self, message: Message) -> bool {
        self.dispatch.call(message, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }

    /// Sends a message whose answer goes to `answer`, once.
    pub fn ask(&self, message: Message, answer: Answer) {
        let id = message.id;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
        if !self.tell(message) {
            self.answer(id, Err(environment_has_ended()));
        }
    }

    /// Delivers an answer; one for an id that is not waiting is dropped.
    pub fn answer(&self, id: u64, answer: ToolAnswer) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(deliver) = waiting {
            deliver(answer);
        }
    }

    /// Nobody waits for this answer any more.
    pub fn forget(&self, id: u64) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
