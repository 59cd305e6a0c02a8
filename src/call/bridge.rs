//! What a running cell sends upward: text and displays to the output, tool calls to the host.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::value::RawValue;

use super::deadline::Deadline;
use super::host::{Host, HostToolCall};
use super::updates::Updates;
use crate::json;
use crate::kernel::{Display, RunObserver, ToolAnswer, ToolCall, ToolFailure, ToolReply};
use crate::output::CallOutput;

/// The observer of one run. Once it is closed, nothing of that run reaches the call any more.
pub struct RunBridge {
    output: Arc<CallOutput>,
    updates: Arc<Updates>,
    host: Arc<dyn Host>,
    call: u64,
    deadline: Deadline,
    closed: AtomicBool,
    pending: Mutex<Pending>,
    /// Handed to answers, which must not keep a finished run alive.
    this: Weak<Self>,
}

#[derive(Default)]
struct Pending {
    closed: bool,
    /// By the host's id, in the order of the calls.
    calls: BTreeMap<u64, (String, ToolReply)>,
}

impl RunBridge {
    pub fn new(
        output: Arc<CallOutput>,
        updates: Arc<Updates>,
        host: Arc<dyn Host>,
        call: u64,
        deadline: Deadline,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            output,
            updates,
            host,
            call,
            deadline,
            closed: AtomicBool::new(false),
            pending: Mutex::default(),
            this: this.clone(),
        })
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        // Only whole insertions and removals happen under this lock: after a panic the map is still right.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, what: impl FnOnce(&CallOutput)) {
        if !self.closed.load(Ordering::Acquire) {
            what(&self.output);
            self.updates.changed();
        }
    }

    fn answered(&self, id: u64, answer: ToolAnswer) {
        // An answer for a call that is no longer pending is late: dropped.
        let call = self.pending().calls.remove(&id);
        if let Some((_, reply)) = call {
            self.deadline.resume();
            reply(answer);
        }
    }

    /// Rejects what is pending and tells the host; names of the calls that were cut off. Later calls are refused.
    pub fn close(&self, why: &str) -> Vec<String> {
        self.closed.store(true, Ordering::Release);
        let calls = {
            let mut pending = self.pending();
            pending.closed = true;
            std::mem::take(&mut pending.calls)
        };
        let mut names = Vec::with_capacity(calls.len());
        for (id, (name, reply)) in calls {
            self.host.cancel_tool(id);
            reply(Err(ToolFailure { message: why.to_owned() }));
            names.push(name);
        }
        names
    }
}

impl RunObserver for RunBridge {
    fn text(&self, bytes: &[u8]) {
        self.record(|output| output.write(bytes));
    }

    fn display(&self, display: Display) {
        self.record(|output| output.display(display));
    }

    fn status(&self, event: Box<RawValue>) {
        self.record(|output| output.status(event));
    }

    fn tool_call(&self, call: ToolCall) {
        let ToolCall { name, args, reply, .. } = call;
        // A kernel is not trusted: whatever it sends, the host gets JSON that means the same to it.
        if let Err(refused) = json::check(&args, "args") {
            reply(Err(ToolFailure { message: refused.to_string() }));
            return;
        }
        let id = super::host::next_question();
        {
            let mut pending = self.pending();
            if pending.closed {
                drop(pending);
                reply(Err(ToolFailure { message: "the cell that made this call has ended".to_owned() }));
                return;
            }
            pending.calls.insert(id, (name.clone(), reply));
        }
        self.deadline.pause();
        let this = self.this.clone();
        let answer: ToolReply = Box::new(move |answer| {
            if let Some(bridge) = this.upgrade() {
                bridge.answered(id, answer);
            }
        });
        self.host.call_tool(HostToolCall { id, name, args, call: self.call }, answer);
    }
}
