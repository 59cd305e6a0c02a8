//! One cell: its kernel, its deadline, its stop, its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::bridge::RunBridge;
use super::deadline::Deadline;
use super::execute::Call;
use crate::kernel::session::{Session, StartFailure};
use crate::kernel::stop::StopSignal;
use crate::kernel::{Driver, Outcome, Returns, RunEnd, RunId, RunRequest, State};
use crate::language::Language;
use crate::limits;
use crate::options::KernelMode;
use crate::output::{CellEnd, CellOutput, Json, StopCause, checked_value, messages};

/// A cell whose language and deadline are decided.
#[derive(Clone, Debug)]
pub struct PlannedCell {
    pub title: Option<String>,
    pub code: String,
    pub language: Language,
    pub timeout: Duration,
    pub reset: bool,
    pub returns: Returns,
}

/// What is left of a cell that ran.
pub struct CellDone {
    pub end: CellEnd,
    pub output: CellOutput,
    pub value: Option<Json>,
    pub notices: Vec<String>,
    pub elapsed: Duration,
}

static RUNS: AtomicU64 = AtomicU64::new(1);

/// Runs the cell and collects what it left. Never fails: whatever happens is how the cell ended.
pub async fn run(call: &Call, index: usize, cell: &PlannedCell) -> CellDone {
    let session = &call.tool.session;
    let language = cell.language;
    call.output.begin_cell(index);
    let begun = Instant::now();
    if cell.reset {
        session.close(language, None).await;
        session.clear_loss(language);
    }
    let mut notices = Vec::new();
    let kernel = tokio::select! {
        biased;
        cause = call.stop.stopped() => Err(CellEnd::new(RunEnd::kept(Outcome::Stopped), Some(cause), begun.elapsed())),
        kernel = session.kernel(language, call.tool.starter.as_ref()) => kernel.map_err(|failure| not_started(failure, begun)),
    };
    let driver = match kernel {
        Ok(driver) => driver,
        Err(end) => return finish(call, end, None, notices, begun),
    };
    if let Some(reason) = session.take_loss(language) {
        notices.push(messages::state_was_lost(language, &reason));
    }
    call.output.background(&driver.take_background());
    let mut hold = Hold::take(session, language, &driver);
    let (mut end, stop) = Box::pin(supervised(call, cell, &driver, begun)).await;
    hold.ended = true;
    drop(hold);
    if end.state == State::Lost {
        session.forget(language, &driver, Some(messages::loss_reason(&end.outcome, stop)));
        driver.kill();
    } else if call.tool.options.kernel_mode == KernelMode::PerCall && language == Language::Python {
        session.close(language, None).await;
    }
    notices.append(&mut end.notices);
    let value = checked(cell.returns, &mut end);
    if stop.is_none() {
        call.output.outcome(&end.outcome);
    }
    let elapsed = begun.elapsed();
    finish(call, CellEnd::new(end, stop, elapsed), value, notices, begun)
}

/// The cell's value as data. A kernel refuses bad values itself; a forged one becomes the failure it should have been.
fn checked(returns: Returns, end: &mut RunEnd) -> Option<Json> {
    let (Some(value), Returns::Json { max_bytes }) = (end.value.take(), returns) else { return None };
    match checked_value(value.get(), max_bytes) {
        Ok(value) => Some(value),
        Err(outcome) => {
            end.outcome = outcome;
            None
        }
    }
}

fn finish(call: &Call, end: CellEnd, value: Option<Json>, notices: Vec<String>, begun: Instant) -> CellDone {
    let output = call.output.end_cell();
    CellDone { end, output, value, notices, elapsed: begun.elapsed() }
}

fn not_started(failure: StartFailure, begun: Instant) -> CellEnd {
    let outcome = Outcome::KernelExit {
        signal: None,
        code: None,
        reason: Some(failure.message),
        output_may_be_incomplete: false,
    };
    CellEnd::new(RunEnd::lost(outcome), None, begun.elapsed())
}

/// A run's hold on its kernel. When a panic lets go of it in the middle, the kernel goes too: nobody knows what it is at.
struct Hold<'a> {
    session: &'a Session,
    language: Language,
    driver: &'a Arc<dyn Driver>,
    ended: bool,
}

impl<'a> Hold<'a> {
    fn take(session: &'a Session, language: Language, driver: &'a Arc<dyn Driver>) -> Self {
        session.mark_busy(language);
        Self { session, language, driver, ended: false }
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.session.mark_idle(self.language);
        if !self.ended {
            self.session.forget(self.language, self.driver, Some(messages::FAILED_INSIDE.to_owned()));
            self.driver.kill();
        }
    }
}

/// Runs the cell under its deadline and the call's stop. On a stop: interrupt, wait for the grace, then kill.
async fn supervised(
    call: &Call,
    cell: &PlannedCell,
    driver: &Arc<dyn Driver>,
    begun: Instant,
) -> (RunEnd, Option<StopCause>) {
    let options = &call.tool.options;
    let run: RunId = RUNS.fetch_add(1, Ordering::Relaxed);
    let (timeouts, alarm) = (&options.timeouts, &call.tool.session.alarm);
    let deadline = Deadline::start(alarm, cell.timeout, timeouts.max, timeouts.pause_on_tool_calls);
    let bridge = RunBridge::new(
        Arc::clone(&call.output),
        Arc::clone(&call.updates),
        Arc::clone(&call.tool.host),
        call.id,
        deadline.clone(),
    );
    let request = RunRequest {
        run,
        cell: format!("cell-{}", call.tool.session.next_cell()),
        code: cell.code.clone(),
        returns: cell.returns,
        tools: Arc::clone(&call.tools),
        open_tools: options.dynamic_tools,
    };
    tracing::debug!(run, language = cell.language.name(), waited_ms = begun.elapsed().as_millis() as u64, "run starts");
    let mut running = driver.run(request, bridge.clone());
    let (end, stop) = tokio::select! {
        biased;
        end = &mut running => {
            // A kernel that was ended for a stop, and was quicker than this task, has not died by itself.
            let stop = call.stop.cause().filter(|_| matches!(end.outcome, Outcome::KernelExit { .. }));
            (end, stop)
        }
        cause = stop_or_deadline(&call.stop, &deadline, cell.timeout) => {
            tracing::debug!(run, ?cause, "run is being stopped");
            driver.interrupt(run);
            let end = match timeout(limits::INTERRUPT_GRACE, &mut running).await {
                Ok(end) => end,
                Err(_) => {
                    driver.kill();
                    // A killed kernel ends its run; one that does not must not hold the session for ever.
                    timeout(limits::KILL_GRACE, running).await.unwrap_or_else(|_| RunEnd::lost(Outcome::Stopped))
                }
            };
            (end, Some(cause))
        }
    };
    let mut end = end;
    let cut_off = bridge.close(messages::TOOL_CALL_CUT_OFF);
    if stop.is_none() && !cut_off.is_empty() {
        end.notices.push(messages::pending_tool_calls(&cut_off));
    }
    tracing::debug!(run, outcome = ?end.outcome, state = ?end.state, "run ended");
    (end, stop)
}

async fn stop_or_deadline(stop: &StopSignal, deadline: &Deadline, length: Duration) -> StopCause {
    tokio::select! {
        biased;
        cause = stop.stopped() => cause,
        () = deadline.passed() => {
            // First cause wins: an abort that came in the same instant stays an abort.
            let timeout = StopCause::Timeout(length);
            if stop.stop(timeout) { timeout } else { stop.cause().unwrap_or(timeout) }
        }
    }
}
