//! The contract between a kernel and everything above it. Both languages speak it; everything above is written once.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::language::Language;

/// One run of one cell. Unique in this process, never reused: an interrupt for one run can never hit another.
pub type RunId = u64;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct RunRequest {
    pub run: RunId,
    /// The cell's own name in tracebacks, stacks and notices, e.g. `cell-3`. Unique in a session.
    pub cell: String,
    /// The user's source, verbatim.
    pub code: String,
    pub returns: Returns,
    /// Names of the tools that cells may call, sorted; `tool` lists them.
    pub tools: Arc<Vec<String>>,
    /// Whether names outside `tools` may exist too (the host has a dynamic registry).
    pub open_tools: bool,
}

/// What happens with the cell's last value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Returns {
    /// It is shown: as text through [`RunObserver::text`], or through the display rules.
    Shown,
    /// It is data: lossless JSON of at most `max_bytes`, in [`RunEnd::value`].
    Json { max_bytes: usize },
}

/// Receives what a run produces, in exact order. Called from the kernel's own thread or task.
///
/// Methods are synchronous and may block for a disk write only: that is the back-pressure that keeps memory bounded.
pub trait RunObserver: Send + Sync {
    /// Bytes of the run's one output stream (stdout and stderr together). May be cut anywhere, need not be UTF-8.
    fn text(&self, bytes: &[u8]);
    /// Something displayed, at this place in the stream.
    fn display(&self, display: Display);
    /// A status event of the prelude: a JSON object with at least `op`.
    fn status(&self, event: Box<RawValue>);
    /// A call of a host tool. Must not block.
    fn tool_call(&self, call: ToolCall);
}

/// One displayed thing, after the display rules chose among its forms.
#[derive(Clone, Debug)]
pub enum Display {
    /// Text for a reader; a newline is added by the receiver when it has none.
    Text { text: String, markdown: bool },
    /// JSON output: goes to `jsonOutputs` and into the text as `display[k]:`.
    Json(Box<RawValue>),
    /// An image, base64. SVG comes here too, with its own MIME type.
    Image { mime_type: String, data: String },
}

/// A cell's call of a host tool.
pub struct ToolCall {
    /// The kernel's id of this call, unique within the run.
    pub id: u64,
    pub name: String,
    /// The one argument, as lossless JSON text.
    pub args: String,
    /// Answers the call, once, from any thread. Dropping it unanswered leaves the call pending.
    pub reply: ToolReply,
}

/// JSON text of the result, or why there is none.
pub type ToolAnswer = Result<String, ToolFailure>;
pub type ToolReply = Box<dyn FnOnce(ToolAnswer) + Send>;

/// Why a tool call failed; raised in the cell as `ToolError`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToolFailure {
    pub message: String,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    pub outcome: Outcome,
    /// Whether variables of this kernel survived. Computed from what happened.
    pub state: State,
    /// JSON text of the value, for [`Returns::Json`]; absent when the cell had no value.
    pub value: Option<Box<RawValue>>,
    /// On failure: top-level names this cell had set when it ended.
    pub bound: Vec<String>,
    /// On failure: top-level names it would have set but did not.
    pub not_reached: Vec<String>,
    /// What the cell was doing when it was stopped.
    pub waiting_for: Option<WaitingFor>,
    /// Sentences for the reader, e.g. a tool call that was cancelled because the cell ended.
    pub notices: Vec<String>,
}

impl RunEnd {
    /// A run that ended with `outcome`, kept its state, and has nothing more to say.
    pub fn kept(outcome: Outcome) -> Self {
        Self {
            outcome,
            state: State::Kept,
            value: None,
            bound: Vec::new(),
            not_reached: Vec::new(),
            waiting_for: None,
            notices: Vec::new(),
        }
    }

    /// A run whose kernel is gone.
    pub fn lost(outcome: Outcome) -> Self {
        Self { state: State::Lost, ..Self::kept(outcome) }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Kept,
    Lost,
}

/// What ended a run, as the kernel saw it. Whether a stop was a deadline or an abort is known above, not here.
#[derive(Debug)]
pub enum Outcome {
    Complete,
    /// Found before anything ran.
    Syntax(Thrown),
    Exception(Thrown),
    /// The cell asked for interactive input.
    Stdin(Thrown),
    /// `sys.exit(n)`, `process.exit(n)`: the cell ended itself and the kernel lives. `message` is printed text.
    Exit {
        code: i32,
        message: Option<String>,
    },
    /// An interrupt ended it.
    Stopped,
    /// The kernel ended while the cell ran.
    KernelExit {
        signal: Option<i32>,
        code: Option<i32>,
        reason: Option<String>,
        output_may_be_incomplete: bool,
    },
    /// The value is not lossless JSON; `place` is e.g. `rows[3].id`, `problem` e.g. `NaN`.
    InvalidOutput {
        place: String,
        problem: String,
    },
    /// The value's JSON is larger than asked for.
    OutputLimit {
        bytes: usize,
        limit: usize,
    },
}

/// An exception as a person reads it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Thrown {
    /// Class name, e.g. `ValueError`.
    pub name: Option<String>,
    pub message: String,
    /// The whole traceback or stack as it stands in the output; no frames of ours.
    pub traceback: String,
    /// Innermost place in this cell's own code, both from 1.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum WaitingFor {
    /// Code was running.
    Code,
    /// A plain `await`.
    Await,
    /// These tool calls, by name.
    Tools(Vec<String>),
}

/// One row of `variables()`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct VariableInfo {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    /// Short and safe: never runs user code for longer than it must.
    pub repr: String,
    /// Bytes or elements, where that is cheap to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// What a live kernel is, for `kernels()`.
#[derive(Clone, Debug)]
pub struct KernelFacts {
    pub language: Language,
    pub pid: Option<u32>,
    pub thread_id: Option<u32>,
    /// Interpreter path or runtime version, e.g. `/usr/bin/python3`.
    pub executable: Option<String>,
    pub version: Option<String>,
    pub started_at: SystemTime,
}

/// Output that nobody's run owns: it opens the next result, under a line that names where it came from.
#[derive(Debug, Default)]
pub struct Background {
    /// Raw bytes, already bounded by the kernel.
    pub text: Vec<u8>,
    /// Rejections and throws that surfaced after their cell had ended, each a sentence that names the cell.
    pub errors: Vec<String>,
}

impl Background {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.errors.is_empty()
    }
}

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A running kernel. Everything above uses only this.
///
/// One run at a time: the caller waits for the end of one run before it starts the next. Controls
/// ([`Driver::interrupt`], [`Driver::kill`]) may come at any time, from any thread, and never wait behind a run.
pub trait Driver: Send + Sync {
    /// Starts a run. The future resolves exactly once, also when the kernel dies; it never waits for a deadline.
    /// The run starts when this is called, not when the future is first polled.
    fn run(&self, request: RunRequest, observer: Arc<dyn RunObserver>) -> BoxFuture<'static, RunEnd>;
    /// Asks the run to stop, keeping state where possible. Nothing happens when another run, or none, is current.
    /// The run's future then resolves with [`Outcome::Stopped`] (or how else it ended first).
    fn interrupt(&self, run: RunId);
    /// Ends the kernel now, with every process of its group. A current run resolves with state lost.
    fn kill(&self);
    /// Asks the kernel to exit, waits at most [`crate::limits::EXIT_GRACE`], then kills; resolves when every process is gone.
    fn close(&self) -> BoxFuture<'static, ()>;
    /// Resolves when the kernel has ended, whoever ended it, with a sentence that says how.
    fn ended(&self) -> BoxFuture<'static, String>;
    /// Takes what was printed or thrown since the last run ended.
    fn take_background(&self) -> Background;
    /// The user's top-level variables. Called only while no run is current.
    fn variables(&self) -> BoxFuture<'static, Result<Vec<VariableInfo>, String>>;
    fn facts(&self) -> KernelFacts;
}
