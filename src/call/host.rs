//! What a call needs from the host. The face implements it with callbacks into JavaScript; tests with plain Rust.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::{BoxFuture, ToolReply};

/// One call of a host tool on its way to the host.
#[derive(Clone, Debug)]
pub struct HostToolCall {
    /// Unique in this process; names the call in [`Host::cancel_tool`].
    pub id: u64,
    pub name: String,
    /// Lossless JSON text.
    pub args: String,
    /// The `execute` call the cell belongs to.
    pub call: u64,
}

/// Where the host put an artifact.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Allocated {
    pub id: String,
    pub path: std::path::PathBuf,
}

pub trait Host: Send + Sync {
    /// Runs a host tool; `answer` is called once, or never when the host's environment ends.
    fn call_tool(&self, call: HostToolCall, answer: ToolReply);
    /// The cell no longer waits for this tool call: abort the signal its function was given.
    fn cancel_tool(&self, id: u64);
    /// What has changed (JSON text, see [`super::updates`]) for the call's `onUpdate`; resolves when that has been called,
    /// or never will be.
    fn update(&self, call: u64, changes: String) -> BoxFuture<'static, ()>;
    /// Asks the host's `allocateArtifact(kind)`.
    fn allocate_artifact(&self, kind: &str) -> BoxFuture<'static, Result<Allocated, String>>;
}

static QUESTIONS: AtomicU64 = AtomicU64::new(1);

/// The id of the next question to the host: a tool call, or anything else it answers. Unique in this process.
pub fn next_question() -> u64 {
    QUESTIONS.fetch_add(1, Ordering::Relaxed)
}
