//! Callbacks into the host's JavaScript: the one file of the host's side that knows `ThreadsafeFunction`.
//!
//! Every message is fire-and-forget and its function never throws; what must be answered carries an id, and the host
//! answers through [`Callback::answer`], which runs on the host's thread. Nothing waits on a JavaScript promise here, so
//! an environment that ends in the middle costs an answer, never a crash. The function is weak: it never keeps Node alive.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};

use crate::kernel::{ToolAnswer, ToolFailure};

/// `(kind, id, name, body, call)`: see `messages` in `host.js`.
type Arguments = FnArgs<(String, f64, String, String, f64)>;
pub type Dispatch = ThreadsafeFunction<Message, (), Arguments, Status, false, true>;

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
    waiting: Mutex<HashMap<u64, Answer>>,
}

impl Callback {
    pub fn new(dispatch: Function<'_, Arguments, ()>) -> Result<Self> {
        let dispatch =
            dispatch.build_threadsafe_function::<Message>().weak::<true>().callee_handled::<false>().build_callback(
                |context| {
                    let Message { kind, id, name, body, call } = context.value;
                    Ok(FnArgs::from((kind.to_owned(), id as f64, name, body, call as f64)))
                },
            )?;
        Ok(Self { dispatch, waiting: Mutex::default() })
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
            self.answer(id, Err(ToolFailure { message: "the host's environment has ended".to_owned() }));
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
