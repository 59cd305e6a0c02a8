//! Partial results on their way to `onUpdate`: at most one per interval plus one at each status change, none after the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::host::Host;
use crate::limits;
use crate::output::{CallOutput, CellResult, CellStatus, Content, EvalResult, NextUpdate, TextBlock, UpdateGate};

/// What the pump needs to build a partial result.
pub struct Updates {
    gate: UpdateGate,
    wake: Notify,
    closed: AtomicBool,
    cells: Mutex<Vec<CellResult>>,
}

impl Updates {
    pub fn new(wanted: bool, cells: Vec<CellResult>) -> Arc<Self> {
        let gate = if wanted { UpdateGate::new(limits::UPDATE_INTERVAL) } else { UpdateGate::off() };
        Arc::new(Self { gate, wake: Notify::new(), closed: AtomicBool::new(false), cells: Mutex::new(cells) })
    }

    pub fn cells(&self) -> MutexGuard<'_, Vec<CellResult>> {
        // Rows are replaced whole under this lock: after a panic the list is still right.
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something was printed or displayed.
    pub fn changed(&self) {
        if self.gate.changed() {
            self.wake.notify_one();
        }
    }

    /// A cell began or ended.
    pub fn status_changed(&self) {
        if self.gate.status_changed() {
            self.wake.notify_one();
        }
    }

    /// Nothing is sent from now on.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.gate.close();
        self.wake.notify_one();
    }

    /// Sends updates until [`Updates::close`].
    pub async fn pump(self: Arc<Self>, call: u64, output: Arc<CallOutput>, host: Arc<dyn Host>) {
        while !self.closed.load(Ordering::Acquire) {
            match self.gate.next(Instant::now().into_std()) {
                NextUpdate::Send => {
                    if let Ok(text) = serde_json::to_string(&self.partial(&output)) {
                        host.update(call, text);
                    }
                }
                NextUpdate::At(due) => {
                    tokio::select! {
                        () = sleep_until(due.into()) => {}
                        () = self.wake.notified() => {}
                    }
                }
                NextUpdate::Idle => self.wake.notified().await,
            }
        }
    }

    fn partial(&self, output: &CallOutput) -> EvalResult {
        let mut cells = self.cells().clone();
        if let Some(running) = cells.iter_mut().find(|cell| cell.status == CellStatus::Running) {
            running.output = output.running_output();
        }
        let parts = output.details();
        let content = vec![Content::Text(TextBlock { text: output.live_tail(limits::MAX_UPDATE_BYTES) })];
        let mut details = super::result::details(cells);
        details.json_outputs = parts.json_outputs;
        details.images = parts.images;
        details.status_events = parts.status_events;
        EvalResult { content, details }
    }
}
