//! How a run ends, and how the worker does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::end::Detail;
use super::super::interrupt::Exhausted;
use super::{Session, locked};
use crate::kernel::inline;
use crate::kernel::{Outcome, RunEnd, RunId, State, WaitingFor};

impl Session {
    /// The run ended as its own code says; `by_stop` when that is how its stop, or its `process.exit`, ended. Ignored for
    /// another run, and when an interrupt has already taken this one.
    pub fn done(self: &Arc<Self>, run: RunId, detail: Option<&str>, by_stop: bool) -> bool {
        if self.was_hit(run) && !by_stop {
            return false;
        }
        self.drain_output(run);
        let detail = detail.map(Detail::parse);
        let Some(current) = self.take_current(run) else { return false };
        self.interrupt.finish();
        let mut plans = locked(&self.plans);
        let names = if by_stop { plans.planned_names(run) } else { Vec::new() };
        plans.record(run, detail.as_ref().and_then(Detail::bound_if_failed));
        drop(plans);
        let pending = current.pending_tools.into_values().map(|pending| pending.name).collect::<Vec<_>>();
        let lost = detail.as_ref().is_some_and(Detail::is_lost);
        let mut end = match detail {
            None => RunEnd::kept(Outcome::Complete),
            Some(detail) => detail.into_end(pending, self.interrupt.has_hit(run)),
        };
        if end.bound.is_empty() && end.not_reached.is_empty() {
            // Stopped before its first line, the worker has nothing to report.
            end.not_reached = names;
        }
        if lost {
            self.kill("The JavaScript context did not survive the stop and was replaced.");
        }
        // The last thing this thread does about the run: what waits for it may go on right here.
        inline::here(|| {
            let _ = current.end.send(end);
        });
        true
    }

    /// The run ended before its code was compiled.
    pub fn end_early(&self, run: RunId, end: RunEnd) {
        if let Some(current) = self.take_current(run) {
            self.interrupt.finish();
            let _ = current.end.send(end);
        }
    }

    /// A memory is at its limit. On the worker's thread, inside V8: nothing here may run JavaScript.
    pub fn exhausted(self: &Arc<Self>, what: Exhausted) {
        let reason = match what {
            Exhausted::Heap => format!("JavaScript ran out of memory, its heap limit is {} MB", self.limits.heap_mb),
            Exhausted::ArrayBuffers => {
                format!(
                    "JavaScript ran out of memory for array buffers, their limit is {} MB",
                    self.limits.array_buffer_mb
                )
            }
        };
        let outcome = Outcome::KernelExit {
            signal: None,
            code: None,
            reason: Some(reason.clone()),
            output_may_be_incomplete: false,
        };
        self.die(&reason, outcome);
    }

    /// The worker's environment is being taken down, whoever ended it. On its own thread.
    pub fn environment_gone(self: &Arc<Self>) {
        self.interrupt.void();
        self.exited.send_replace(true);
        self.die(
            "the JavaScript worker ended",
            Outcome::KernelExit {
                signal: None,
                code: None,
                reason: Some("The JavaScript worker ended".into()),
                output_may_be_incomplete: false,
            },
        );
    }

    /// Node reported the worker's exit. The environment's own end has usually come first.
    pub(super) fn reported_exit(self: &Arc<Self>, code: i32, failure: &str) {
        self.interrupt.set_terminating();
        self.exited.send_replace(true);
        let reason = match failure {
            "" => format!("the JavaScript worker ended with code {code}"),
            failure => format!("the JavaScript worker ended with code {code}: {failure}"),
        };
        let reason_of_run = (!failure.is_empty()).then(|| reason.clone());
        self.die(
            &reason,
            Outcome::KernelExit {
                signal: None,
                code: Some(code),
                reason: reason_of_run,
                output_may_be_incomplete: false,
            },
        );
    }

    /// Ends the worker; a current run resolves as lost. Never waits for the thread, which may be stuck for ever.
    pub(in crate::kernel::js) fn kill(self: &Arc<Self>, reason: &str) {
        self.die(reason, Outcome::Stopped);
    }

    fn die(self: &Arc<Self>, reason: &str, outcome: Outcome) {
        if self.dead.swap(true, Ordering::SeqCst) {
            return;
        }
        self.interrupt.set_terminating();
        if !*self.exited.borrow() {
            self.starter.terminate(self.worker);
        }
        self.ended.send_replace(Some(reason.to_string()));
        locked(&self.variables).clear();
        self.children.kill_all();
        *locked(&self.pipe) = None;
        self.has_pipe.store(false, Ordering::Relaxed);
        if self.has_children.load(Ordering::Relaxed) {
            let session = self.clone();
            self.runtime.spawn_blocking(move || {
                session.unblock.kill_synchronous_child(session.thread_id());
                session.end_processes();
            });
        }
        if let Some(current) = locked(&self.current).take() {
            let stopped = current.stopping;
            let mut end = RunEnd::lost(if stopped { Outcome::Stopped } else { outcome });
            end.state = State::Lost;
            end.waiting_for = stopped.then_some(WaitingFor::Code);
            let _ = current.end.send(end);
        }
    }

    pub(in crate::kernel::js) async fn ended(&self) -> String {
        let mut ended = self.ended.subscribe();
        // The sender lives in `self`, so this only ends with a reason.
        ended.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone()).unwrap_or_default()
    }

    pub(in crate::kernel::js) async fn exited(&self) {
        let _ = self.exited.subscribe().wait_for(|exited| *exited).await;
    }
}
