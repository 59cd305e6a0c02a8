//! Partial results on their way to `onUpdate`: at most one per interval plus one at each status change, none after the end.
//!
//! Only what is new crosses to the host, which keeps the rest (`host_updates.js`): images and JSON outputs may be large.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::host::Host;
use crate::limits;
use crate::output::{CallOutput, CellResult, EvalToolDetails, NextUpdate, Progress, UpdateGate};

/// The rows of a call as they change, and what of that the host has not been told yet.
pub struct Updates {
    wanted: bool,
    gate: UpdateGate,
    wake: Notify,
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    cells: Vec<CellResult>,
    /// A row as it stood after each change of its status, in order.
    changes: Vec<CellResult>,
}

/// One message to the host. Each of `changes` is an update of its own; without any, the message is one update.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    /// The call before any cell began; with the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<EvalToolDetails>,
    changes: Vec<CellResult>,
    #[serde(flatten)]
    progress: Progress,
}

impl Updates {
    pub fn new(wanted: bool, cells: Vec<CellResult>) -> Arc<Self> {
        let gate = if wanted { UpdateGate::new(limits::UPDATE_INTERVAL) } else { UpdateGate::off() };
        let rows = Mutex::new(Rows { cells, changes: Vec::new() });
        Arc::new(Self { wanted, gate, wake: Notify::new(), rows })
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // Rows are replaced whole under this lock: after a panic the list is still right.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows as they stand.
    pub fn cells(&self) -> Vec<CellResult> {
        self.rows().cells.clone()
    }

    /// Something was printed or displayed.
    pub fn changed(&self) {
        if self.gate.changed() {
            self.wake.notify_one();
        }
    }

    /// A cell began or ended.
    pub fn status_changed(&self, index: usize, change: impl FnOnce(&mut CellResult)) {
        let mut rows = self.rows();
        let Some(row) = rows.cells.get_mut(index) else { return };
        change(row);
        if !self.wanted {
            return;
        }
        let row = row.clone();
        rows.changes.push(row);
        // Under the lock, so that the pump never sees the change without the news or the news without the change.
        if self.gate.status_changed() {
            self.wake.notify_one();
        }
    }

    /// The cells have ended: nothing but changes of status that are not sent yet is sent from now on.
    pub fn close(&self) {
        self.gate.close();
        self.wake.notify_one();
    }

    /// Sends updates until [`Updates::close`]. Each waits until the host has taken the one before: a host that is busy
    /// gets fewer, never a backlog.
    pub async fn pump(self: Arc<Self>, call: u64, output: Arc<CallOutput>, host: Arc<dyn Host>) {
        let mut known = None;
        loop {
            let (next, changes, before) = self.next(known.is_none());
            match next {
                NextUpdate::Send => {
                    let progress = output.progress(known.unwrap_or_default(), limits::MAX_UPDATE_BYTES);
                    known = Some(progress.known);
                    let message = Message { details: before, changes, progress };
                    if let Ok(text) = serde_json::to_string(&message) {
                        drop(message);
                        host.update(call, text).await;
                    }
                }
                NextUpdate::At(due) => {
                    tokio::select! {
                        () = sleep_until(due.into()) => {}
                        () = self.wake.notified() => {}
                    }
                }
                NextUpdate::Idle => self.wake.notified().await,
                NextUpdate::Closed => return,
            }
        }
    }

    /// What to do now, with the changes to send and, for a first message, the call before any of them.
    fn next(&self, first: bool) -> (NextUpdate, Vec<CellResult>, Option<EvalToolDetails>) {
        let mut rows = self.rows();
        let next = self.gate.next(Instant::now().into_std());
        if next != NextUpdate::Send {
            return (next, Vec::new(), None);
        }
        let before = first.then(|| {
            let pending =
                |row: &CellResult| CellResult::pending(row.index, row.title.clone(), row.code.clone(), row.language);
            super::result::details(rows.cells.iter().map(pending).collect())
        });
        (next, std::mem::take(&mut rows.changes), before)
    }
}
