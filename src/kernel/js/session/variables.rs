//! The session's variables, as the worker tells them.

use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use super::super::port::Command;
use super::{Session, locked};
use crate::kernel::VariableInfo;

impl Session {
    pub fn variables_answer(&self, request: u64, json: String) {
        if let Some(waiting) = locked(&self.variables).remove(&request) {
            let _ = waiting.send(json);
        }
    }

    pub(in crate::kernel::js) fn ask_variables(&self) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        let request = self.next_request.fetch_add(1, Ordering::Relaxed);
        locked(&self.variables).insert(request, sender);
        if self.is_dead() || !self.port.get().is_some_and(|port| port.send(Command::Variables { request })) {
            locked(&self.variables).remove(&request);
        }
        receiver
    }
}

/// A row of the runtime's answer to [`Command::Variables`], rebuilt field by field.
pub(in crate::kernel::js) fn variables_from(json: &str) -> Result<Vec<VariableInfo>, String> {
    #[derive(serde::Deserialize)]
    struct Row {
        name: String,
        r#type: String,
        repr: String,
        size: Option<u64>,
    }
    let rows: Vec<Row> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(rows
        .into_iter()
        .map(|row| VariableInfo { name: row.name, type_name: row.r#type, repr: row.repr, size: row.size })
        .collect())
}
