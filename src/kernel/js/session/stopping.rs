//! Asking a run to stop, and the thread's way back from it. How V8 is interrupted is in [`super::super::interrupt`].

use std::sync::Arc;

use super::super::port::Command;
use super::{Session, locked};
use crate::kernel::RunId;
use crate::limits::{JS_INTERRUPT_INTERVAL, JS_INTERRUPT_RETRY};

impl Session {
    /// Asks `run` to stop: see the module documentation of [`crate::kernel::js::interrupt`].
    pub(in crate::kernel::js) fn stop(self: &Arc<Self>, run: RunId) {
        {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run) else { return };
            if std::mem::replace(&mut current.stopping, true) {
                return;
            }
        }
        self.interrupt.request(run);
        if let Some(port) = self.port.get() {
            port.send(Command::Abandon(run));
        }
        // After the request: the thread that wakes from these must find the interrupt waiting for it.
        if let Some(current) = locked(&self.current).as_mut().filter(|current| current.run == run) {
            for pending in current.pending_tools.values_mut() {
                pending.blocked = None;
            }
        }
        if self.unblock.in_synchronous_child() {
            let session = self.clone();
            self.runtime.spawn_blocking(move || session.unblock.kill_synchronous_child(session.thread_id()));
        }
        let session = Arc::downgrade(self);
        self.runtime.spawn(async move {
            // Bounded by the grace of whoever asked: it kills the kernel, and then the run is not current any more.
            let interrupt = match session.upgrade() {
                Some(session) => session.interrupt.clone(),
                None => return,
            };
            loop {
                tokio::select! {
                    () = tokio::time::sleep(JS_INTERRUPT_INTERVAL) => {}
                    () = interrupt.deferred() => retry_wait().await,
                }
                let Some(session) = session.upgrade().filter(|session| session.is_being_stopped(run)) else { return };
                if session.interrupt.is_in_flight() {
                    session.unblock.wake(session.thread_id());
                } else {
                    // Another callback has taken the thread after the first one was stopped.
                    session.interrupt.request(run);
                }
            }
        });
    }

    /// Whether `run` still has to be got off its thread.
    fn is_being_stopped(&self, run: RunId) -> bool {
        locked(&self.current).as_ref().is_some_and(|current| current.run == run && !current.abandoned)
    }

    /// The thread has come back to its event loop after a stop of `run`, before any JavaScript. Returns whether an interrupt
    /// was what brought it there.
    pub fn abandon(&self, run: RunId) -> bool {
        self.interrupt.withdraw();
        if let Some(current) = locked(&self.current).as_mut().filter(|current| current.run == run) {
            current.abandoned = true;
        }
        self.was_hit(run)
    }

    /// Whether an interrupt has terminated code of `run`: then only its `Abandon` may end it.
    pub fn was_hit(&self, run: RunId) -> bool {
        self.interrupt.has_hit(run)
    }
}

/// Tokio's clock counts milliseconds, in which a storm of microtasks has come by here thousands of times.
async fn retry_wait() {
    let _ = tokio::task::spawn_blocking(|| std::thread::sleep(JS_INTERRUPT_RETRY)).await;
}
