//! What Rust tells a worker, and how: the napi half implements [`WorkerPort`] on the worker's own callback.

use crate::kernel::{BoxFuture, RunId, RunRequest, ToolAnswer};

/// A message to the worker's thread. Handled there in the order in which they were sent.
#[derive(Debug)]
pub enum Command {
    Run(RunRequest),
    /// Follows a stop: its native half withdraws the interrupt before any JavaScript runs, its JavaScript half declares the
    /// run dead, cleans up after it and answers with the run's end.
    Abandon(RunId),
    Reply {
        run: RunId,
        call: u64,
        answer: ToolAnswer,
    },
    Variables {
        request: u64,
    },
    /// Leave the event loop and end the thread.
    Exit,
}

/// The way to a worker's thread. Callable from any thread, never blocks.
pub trait WorkerPort: Send + Sync {
    /// False when the worker is gone and nothing was sent.
    fn send(&self, command: Command) -> bool;
}

/// Starts and ends worker threads; only the host's main thread can, so this is a callback into it.
pub trait WorkerStarter: Send + Sync {
    /// Creates the worker that `spec_json` describes (see `js_worker_host.js`). Resolves when it has been created, before
    /// it runs; the error is a sentence.
    fn start(&self, spec_json: String) -> BoxFuture<'static, Result<(), String>>;
    /// Asks for the end of a worker's thread. Returns at once.
    fn terminate(&self, worker: u64);
}
