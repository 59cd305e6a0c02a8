//! What state a kernel is in. Pure: it holds what is current and says what follows, and touches nothing else.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::frames::{Done, Ending, Error, Waiting};
use crate::kernel::{Outcome, RunEnd, RunObserver, State, Thrown, WaitingFor};

/// The states of a kernel.
#[derive(Debug)]
pub enum Phase {
    Starting,
    Idle {
        /// Nothing goes on in the kernel: a run starts when it is sent.
        quiet: bool,
    },
    Busy(Run),
    /// The run was asked to stop.
    Interrupting(Run),
    /// It has ended; the sentence says how.
    Dead(String),
}

/// The run that a kernel is at.
pub struct Run {
    pub id: u64,
    pub observer: Arc<dyn RunObserver>,
    /// The runner has taken it up.
    pub started: bool,
    /// Calls of host tools without an answer, by the kernel's id.
    pub pending: BTreeMap<u64, String>,
    thrown: Option<Thrown>,
    value: Option<Box<RawValue>>,
    end: oneshot::Sender<RunEnd>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Run").field("id", &self.id).field("started", &self.started).finish_non_exhaustive()
    }
}

impl Run {
    pub fn new(id: u64, observer: Arc<dyn RunObserver>) -> (Self, oneshot::Receiver<RunEnd>) {
        let (end, ended) = oneshot::channel();
        (Self { id, observer, started: false, pending: BTreeMap::new(), thrown: None, value: None, end }, ended)
    }

    fn tools(&self) -> Option<WaitingFor> {
        (!self.pending.is_empty()).then(|| WaitingFor::Tools(self.pending.values().cloned().collect()))
    }

    fn finish(self, end: RunEnd) {
        // Nobody may be waiting any more; then nobody needs it.
        let _ = self.end.send(end);
    }
}

impl Phase {
    pub fn current(&mut self) -> Option<&mut Run> {
        match self {
            Self::Busy(run) | Self::Interrupting(run) => Some(run),
            Self::Starting | Self::Idle { .. } | Self::Dead(_) => None,
        }
    }

    pub fn current_is(&mut self, id: u64) -> Option<&mut Run> {
        self.current().filter(|run| run.id == id)
    }

    /// Takes up a run. When the kernel cannot run it, the run ends here and false is returned.
    pub fn begin(&mut self, mut run: Run) -> bool {
        match self {
            Self::Idle { quiet } => {
                run.started = *quiet;
                *self = Self::Busy(run);
                true
            }
            Self::Dead(reason) => {
                let reason = Some(reason.clone());
                run.finish(RunEnd::lost(Outcome::KernelExit {
                    signal: None,
                    code: None,
                    reason,
                    output_may_be_incomplete: false,
                }));
                false
            }
            // The caller has broken the contract; the kernel must not pay for it.
            Self::Starting | Self::Busy(_) | Self::Interrupting(_) => {
                run.finish(RunEnd::kept(Outcome::Stopped));
                false
            }
        }
    }

    /// Marks the run as asked to stop. False when it is not current; true again for each further request.
    pub fn interrupt(&mut self, id: u64) -> bool {
        if self.current_is(id).is_none() {
            return false;
        }
        *self = match mem::replace(self, Self::Starting) {
            Self::Busy(run) => Self::Interrupting(run),
            other => other,
        };
        true
    }

    /// Whether the run is current and has been asked to stop.
    pub fn is_interrupting(&self, id: u64) -> bool {
        matches!(self, Self::Interrupting(run) if run.id == id)
    }

    /// An `error` frame: the exception with which the run is about to end.
    pub fn error(&mut self, error: Error) -> bool {
        let Some(run) = self.current_is(error.run) else { return false };
        run.thrown = Some(Thrown {
            name: Some(error.name),
            message: error.message,
            traceback: error.traceback,
            line: error.line,
            column: error.column,
        });
        true
    }

    /// A `result` frame: the run's value.
    pub fn value(&mut self, id: u64, value: Box<RawValue>) -> bool {
        let Some(run) = self.current_is(id) else { return false };
        run.value = Some(value);
        true
    }

    /// A `done` frame: ends the run it is for. False when that is not the current one.
    pub fn done(&mut self, done: Done) -> bool {
        if self.current_is(done.run).is_none() {
            return false;
        }
        let (Self::Busy(mut run) | Self::Interrupting(mut run)) = mem::replace(self, Self::Idle { quiet: done.quiet })
        else {
            return false;
        };
        let thrown = run.thrown.take().unwrap_or_default();
        let outcome = match done.outcome {
            Ending::Complete => Outcome::Complete,
            Ending::Syntax => Outcome::Syntax(thrown),
            Ending::Exception => Outcome::Exception(thrown),
            Ending::Stdin => Outcome::Stdin(thrown),
            Ending::Exit => Outcome::Exit { code: done.code.unwrap_or(0), message: done.message },
            Ending::Stopped => Outcome::Stopped,
            Ending::InvalidOutput => Outcome::InvalidOutput {
                place: done.place.unwrap_or_default(),
                problem: done.problem.unwrap_or_default(),
            },
            Ending::OutputLimit => {
                Outcome::OutputLimit { bytes: done.bytes.unwrap_or(0), limit: done.limit.unwrap_or(0) }
            }
        };
        let waiting_for = matches!(outcome, Outcome::Stopped).then(|| {
            run.tools().unwrap_or(match done.waiting {
                Some(Waiting::Await) => WaitingFor::Await,
                Some(Waiting::Code) | None => WaitingFor::Code,
            })
        });
        let value = matches!(outcome, Outcome::Complete).then(|| run.value.take()).flatten();
        run.finish(RunEnd {
            outcome,
            state: State::Kept,
            value,
            bound: done.bound,
            not_reached: done.not_reached,
            waiting_for,
            notices: done.notices,
        });
        true
    }

    /// The process has ended: so has its run. `how` is a sentence for later runs; `asked` says who of us ended it.
    pub fn die(
        &mut self,
        exit: crate::process::Exit,
        how: String,
        asked: Option<String>,
        output_may_be_incomplete: bool,
    ) {
        if let Self::Busy(run) | Self::Interrupting(run) = mem::replace(self, Self::Dead(how)) {
            let waiting_for = run.tools();
            let outcome =
                Outcome::KernelExit { signal: exit.signal, code: exit.code, reason: asked, output_may_be_incomplete };
            run.finish(RunEnd { waiting_for, ..RunEnd::lost(outcome) });
        }
    }
}

/// The kernel is gone and nobody saw how.
pub fn unknown_exit() -> Outcome {
    Outcome::KernelExit { signal: None, code: None, reason: None, output_may_be_incomplete: true }
}
