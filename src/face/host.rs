//! The host as Rust sees it: [`Host`] and the worker starter, over [`Callback`].

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::callback::{Callback, Message};
use crate::call::host::{Allocated, Host, HostToolCall, next_question};
use crate::kernel::{BoxFuture, ToolAnswer, ToolReply};

pub struct NodeHost {
    pub callback: Arc<Callback>,
}

impl NodeHost {
    /// Sends a message and waits for its answer; an environment that ends answers with an error.
    fn ask(
        &self,
        kind: &'static str,
        name: &str,
        body: String,
        call: u64,
    ) -> BoxFuture<'static, Result<String, String>> {
        let (send, receive) = oneshot::channel::<ToolAnswer>();
        let message = Message { kind, id: next_question(), name: name.to_owned(), body, call };
        self.callback.ask(
            message,
            Box::new(move |answer| {
                // The asker may have stopped waiting; then nobody needs the answer.
                let _ = send.send(answer);
            }),
        );
        Box::pin(async move {
            match receive.await {
                Ok(answer) => answer.map_err(|failure| failure.message),
                Err(_) => Err("the host's environment has ended".to_owned()),
            }
        })
    }
}

impl Host for NodeHost {
    fn call_tool(&self, call: HostToolCall, answer: ToolReply) {
        let HostToolCall { id, name, args, call } = call;
        self.callback.ask(Message { kind: "tool", id, name, body: args, call }, answer);
    }

    fn cancel_tool(&self, id: u64) {
        self.callback.forget(id);
        self.callback.tell(Message { kind: "cancelTool", id, name: String::new(), body: String::new(), call: 0 });
    }

    fn update(&self, call: u64, changes: String) -> BoxFuture<'static, ()> {
        let taken = self.ask("update", "", changes, call);
        Box::pin(async move {
            // A host that has ended needs no more updates, and the call ends with it.
            let _ = taken.await;
        })
    }

    fn allocate_artifact(&self, kind: &str) -> BoxFuture<'static, Result<Allocated, String>> {
        let answer = self.ask("allocate", kind, String::new(), 0);
        Box::pin(async move {
            let text = answer.await?;
            let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let part = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            match (part("id"), part("path")) {
                (Some(id), Some(path)) => Ok(Allocated { id, path: PathBuf::from(path) }),
                _ => Err("allocateArtifact must return { id, path } with two strings".to_owned()),
            }
        })
    }
}
