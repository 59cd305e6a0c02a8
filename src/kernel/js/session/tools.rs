//! Tool calls of the current run.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use super::super::port::Command;
use super::{Session, locked};
use crate::kernel::{RunId, ToolAnswer, ToolCall};

pub(super) struct PendingTool {
    pub(super) name: String,
    /// A thread blocked in `tool.x.sync()` waits here; dropping it wakes the thread.
    pub(super) blocked: Option<SyncSender<ToolAnswer>>,
}

impl Session {
    /// Passes a tool call upward. False when `run` is not current: nobody will answer.
    pub fn tool_call(self: &Arc<Self>, run: RunId, call: u64, name: String, args: String) -> bool {
        self.dispatch_tool(run, call, name, args, None)
    }

    /// The same, and blocks the calling thread until the answer; `None` when the run was stopped.
    pub fn tool_call_blocking(
        self: &Arc<Self>,
        run: RunId,
        call: u64,
        name: String,
        args: String,
    ) -> Option<ToolAnswer> {
        let (sender, receiver) = sync_channel(1);
        if !self.dispatch_tool(run, call, name, args, Some(sender)) {
            return None;
        }
        receiver.recv().ok()
    }

    fn dispatch_tool(
        self: &Arc<Self>,
        run: RunId,
        call: u64,
        name: String,
        args: String,
        blocked: Option<SyncSender<ToolAnswer>>,
    ) -> bool {
        let observer = {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run && !current.stopping) else {
                return false;
            };
            current.pending_tools.insert(call, PendingTool { name: name.clone(), blocked });
            current.observer.clone()
        };
        let session = Arc::downgrade(self);
        let reply = Box::new(move |answer: ToolAnswer| {
            if let Some(session) = session.upgrade() {
                session.answer(run, call, answer);
            }
        });
        observer.tool_call(ToolCall { id: call, name, args, reply });
        true
    }

    fn answer(&self, run: RunId, call: u64, answer: ToolAnswer) {
        let pending = {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run) else { return };
            current.pending_tools.remove(&call)
        };
        match pending {
            None => {}
            Some(PendingTool { blocked: Some(blocked), .. }) => drop(blocked.try_send(answer)),
            Some(PendingTool { blocked: None, .. }) => {
                if let Some(port) = self.port.get() {
                    port.send(Command::Reply { run, call, answer });
                }
            }
        }
    }
}
