//! One `execute()`: cells in order, the first that does not end well stops the call, one result.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::cell::{self, CellDone, PlannedCell};
use super::updates::Updates;
use super::{Tool, result};
use crate::error::{ErrorCode, EvalError};
use crate::input::{self, ParsedEvalInput};
use crate::kernel::Returns;
use crate::kernel::registry::{self, Retention};
use crate::kernel::stop::StopSignal;
use crate::language::Language;
use crate::limits;
use crate::output::{
    CallFacts, CallOutput, CellFacts, CellResult, CellStatus, EvalResult, OutputLimits, messages, notice, reserve,
    text_block,
};

/// What the cells of one call share.
pub struct Call {
    pub id: u64,
    pub tool: Arc<Tool>,
    pub stop: StopSignal,
    pub output: Arc<CallOutput>,
    pub updates: Arc<Updates>,
    pub tools: Arc<Vec<String>>,
}

/// Runs a whole call; `params` is the JSON text of an `EvalInput`.
///
/// # Errors
/// Misuse, and what stops the call before any cell starts. What a cell does is never an error.
pub async fn execute(
    tool: Arc<Tool>,
    id: u64,
    stop: StopSignal,
    params: &str,
    tools: Vec<String>,
    wants_updates: bool,
) -> Result<EvalResult, EvalError> {
    let value: Value = serde_json::from_str(params)
        .map_err(|error| EvalError::invalid(format!("The input cannot be read: {error}.")))?;
    let parsed = input::input_from_json(&value)?;
    let mut notices: Vec<String> = parsed.notice.clone().into_iter().collect();
    let cells = plan(&tool, &parsed, &mut notices)?;
    let rows = pending_rows(&cells);
    let options = &tool.options;
    let limits = OutputLimits {
        max_bytes: options.output.max_bytes,
        max_lines: options.output.max_lines,
        head_bytes: options.output.head_bytes,
        max_columns: options.output.max_columns,
        plain: options.output.plain,
    };
    let call = Call {
        id,
        stop,
        output: Arc::new(CallOutput::new(limits, tool.artifact_plan())),
        updates: Updates::new(wants_updates, rows),
        tools: Arc::new(tools),
        tool,
    };
    let facts = CallFacts { notices, input_aborted: parsed.aborted, never_started: None };
    // In boxes, part by part, here and below: memory of more than a kilobyte costs an allocator more than all of these.
    Ok(Box::pin(run(&call, &cells, facts, wants_updates)).await)
}

async fn run(call: &Call, cells: &[PlannedCell], mut facts: CallFacts, wants_updates: bool) -> EvalResult {
    let session = Arc::clone(&call.tool.session);
    let turn = tokio::select! {
        biased;
        cause = call.stop.stopped() => Err(cause),
        turn = session.turn.lock() => Ok(turn),
    };
    let turn = match turn {
        Ok(turn) => turn,
        Err(cause) => {
            facts.never_started = Some(cause);
            return finish(call, cells, Vec::new(), facts).await;
        }
    };
    let pump = wants_updates.then(|| {
        let (output, host) = (Arc::clone(&call.output), Arc::clone(&call.tool.host));
        tokio::spawn(Arc::clone(&call.updates).pump(call.id, output, host))
    });
    let _ending = Ending { call };
    let mut done: Vec<CellDone> = Vec::with_capacity(cells.len());
    for (index, cell) in cells.iter().enumerate() {
        session.set_running(Some((cell.language, call.stop.clone())));
        call.updates.status_changed(index, |row| row.status = CellStatus::Running);
        let ended = Box::pin(cell::run(call, index, cell)).await;
        session.set_running(None);
        let failed = ended.end.status() == CellStatus::Error;
        call.updates.status_changed(index, |row| record(row, &ended));
        done.push(ended);
        if failed {
            break;
        }
        if let Some(cause) = call.stop.cause() {
            // Stopped between two cells: the next one never starts.
            if done.len() < cells.len() {
                facts.never_started = Some(cause);
            }
            break;
        }
    }
    call.updates.close();
    // Before retention looks: it leaves a session alone whose turn is taken.
    drop(turn);
    if session.current(Language::Python).is_some() {
        let options = &call.tool.options;
        registry::became_idle(
            &session,
            Retention { idle_timeout: options.idle_timeout, max_kernels: options.max_kernels },
        );
    }
    if let Some(pump) = pump {
        // The pump ends by itself once the gate is closed; a panic in it must not cost the result.
        let _ = pump.await;
    }
    Box::pin(finish(call, cells, done, facts)).await
}

/// Ends what runs beside a call, also when a panic ends the call.
struct Ending<'a> {
    call: &'a Call,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.call.tool.session.set_running(None);
        self.call.updates.close();
    }
}

async fn finish(call: &Call, cells: &[PlannedCell], done: Vec<CellDone>, facts: CallFacts) -> EvalResult {
    let mut rows = call.updates.cells();
    let mut outputs_failed = done.len() < cells.len() || facts.input_aborted;
    let mut cell_facts = Vec::with_capacity(cells.len());
    let mut done = done.into_iter();
    for cell in cells {
        let Some(ended) = done.next() else {
            cell_facts.push(CellFacts::pending(cell.language, cell.title.clone()));
            continue;
        };
        outputs_failed |= ended.end.status() == CellStatus::Error;
        cell_facts.push(CellFacts {
            language: cell.language,
            title: cell.title.clone(),
            images: ended.output.images,
            rich: ended.output.rich || ended.value.is_some(),
            notices: ended.notices,
            end: Some(ended.end),
        });
    }
    let mut finished = call.output.finish(reserve(&cell_facts, &facts));
    // One budget for all of them: a host function that never answers must not hold the result, nor `dispose`.
    let until = Instant::now() + limits::ALLOCATE_TIMEOUT;
    for kind in finished.wanted() {
        match timeout_at(until, call.tool.host.allocate_artifact(kind.as_str())).await {
            Ok(Ok(place)) => finished.adopt(kind, place.id, place.path),
            Ok(Err(why)) => finished.refuse(kind, &why),
            Err(_) => finished.refuse(kind, messages::ALLOCATE_TIMED_OUT),
        }
    }
    for row in &mut rows {
        row.output = finished.cell_output(row.index, std::mem::take(&mut row.output));
    }
    let text = text_block(&cell_facts, &finished, &facts);
    let notice = notice(&cell_facts, &finished, &facts);
    result::whole(text, rows, finished, notice, outputs_failed)
}

fn record(row: &mut CellResult, ended: &CellDone) {
    row.status = ended.end.status();
    row.output.clone_from(&ended.output.text);
    row.value.clone_from(&ended.value);
    row.duration_ms = Some(u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX));
    row.exit_code = ended.end.exit_code();
    row.status_events.clone_from(&ended.output.status_events);
    row.has_markdown = ended.output.has_markdown;
    row.failure = ended.end.failure();
    row.state = ended.end.state;
}

fn pending_rows(cells: &[PlannedCell]) -> Vec<CellResult> {
    let rows = cells.iter().enumerate();
    rows.map(|(index, cell)| CellResult::pending(index, cell.title.clone(), cell.code.clone(), cell.language)).collect()
}

/// Decides each cell's language and deadline before anything runs.
fn plan(tool: &Tool, parsed: &ParsedEvalInput, notices: &mut Vec<String>) -> Result<Vec<PlannedCell>, EvalError> {
    let availability = tool.availability();
    let timeouts = &tool.options.timeouts;
    let mut previous = None;
    let mut planned = Vec::with_capacity(parsed.cells.len());
    for cell in &parsed.cells {
        let choice = input::choose(cell, previous, &availability)?;
        if let Some(notice) = choice.notice
            && !notices.contains(&notice)
        {
            notices.push(notice);
        }
        previous = Some(choice.language);
        planned.push(PlannedCell {
            title: cell.title.clone(),
            code: cell.code.clone(),
            language: choice.language,
            timeout: input::clamp_timeout(cell.timeout, timeouts),
            reset: cell.reset,
            returns: if cell.returns_json {
                Returns::Json { max_bytes: tool.options.output.max_value_bytes }
            } else {
                Returns::Shown
            },
        });
    }
    if planned.is_empty() && !parsed.aborted {
        return Err(EvalError::new(
            ErrorCode::Parse,
            "There is no cell to run; send code, or a `*** Cell py` header with code below it.",
        ));
    }
    Ok(planned)
}
