//! The text block, from facts alone.

use crate::kernel::contract::{Outcome, State};

use super::facts::{CallFacts, CellEnd, CellFacts};
use super::finished::{FinishedOutput, Reserve, ShownCell};
use super::messages;
use super::result::{Direction, FailureKind, Truncation};

/// The one text block of a result. `cells` are all of the call, also those that did not run.
pub fn text_block(cells: &[CellFacts], finished: &FinishedOutput, call: &CallFacts) -> String {
    let mut notices = call.notices.clone();
    notices.extend(finished.notices());
    let end_only =
        |truncation: &Truncation| truncation.direction == Direction::Tail && finished.cells.iter().any(|cell| cell.cut);
    notices
        .extend(finished.truncation.as_ref().map(|truncation| messages::truncated(truncation, end_only(truncation))));
    compose(cells, &|index| finished.cells.get(index), &notices, call)
}

/// Room that everything but the cells' output takes in the text block.
pub fn reserve(cells: &[CellFacts], call: &CallFacts) -> Reserve {
    let shown = ShownCell { output: "x".into(), ..ShownCell::default() };
    let text = compose(cells, &|_| Some(&shown), &call.notices, call);
    let run = cells.iter().filter(|cell| cell.end.is_some()).count();
    Reserve { bytes: text.len().saturating_sub(run), lines: text.matches('\n').count() }
}

/// `details.notice`: every sentence that is about more than one cell's output.
pub fn notice(cells: &[CellFacts], finished: &FinishedOutput, call: &CallFacts) -> Option<String> {
    let mut notices = call.notices.clone();
    notices.extend(cells.iter().flat_map(cell_notices));
    notices.extend(finished.notices());
    (!notices.is_empty()).then(|| notices.join("\n"))
}

fn compose<'a>(
    cells: &[CellFacts],
    shown: &dyn Fn(usize) -> Option<&'a ShownCell>,
    notices: &[String],
    call: &CallFacts,
) -> String {
    let nothing = ShownCell::default();
    let mut paragraphs: Vec<String> = Vec::new();
    let mut notices = notices.to_vec();
    for (index, cell) in cells.iter().enumerate() {
        let Some(end) = &cell.end else { continue };
        let shown = shown(index).unwrap_or(&nothing);
        if !shown.background.is_empty() {
            paragraphs.push(format!("{}\n{}", messages::BACKGROUND_HEADING, shown.background));
        }
        if cells.len() == 1 {
            paragraphs.extend(single(cell, end, shown));
            notices.splice(0..0, cell_notices(cell));
        } else {
            paragraphs.push(one_of_several(cell, end, shown, index + 1, cells.len()));
        }
    }
    if let Some(cause) = call.never_started {
        paragraphs.push(messages::never_started(cause));
    }
    if !notices.is_empty() {
        paragraphs.push(notices.join("\n"));
    }
    paragraphs.extend(verdict(cells));
    if call.input_aborted {
        paragraphs.push(messages::input_aborted(cells.iter().any(|cell| cell.end.is_some())));
    }
    if paragraphs.is_empty() {
        paragraphs.push(messages::NO_OUTPUT.into());
    }
    paragraphs.join("\n\n")
}

fn single(cell: &CellFacts, end: &CellEnd, shown: &ShownCell) -> Option<String> {
    if !shown.output.is_empty() {
        return Some(shown.output.clone());
    }
    if cell.images > 0 {
        return Some(messages::displayed_images(cell.images, false));
    }
    // A failure says enough, and so does the line about what is hidden.
    if end.kind().is_some() || shown.cut {
        return None;
    }
    Some(if cell.rich { messages::NO_TEXT_OUTPUT.into() } else { messages::NO_OUTPUT.into() })
}

fn one_of_several(cell: &CellFacts, end: &CellEnd, shown: &ShownCell, place: usize, of: usize) -> String {
    let mut block = messages::cell_heading(place, of, cell.title.as_deref());
    if !shown.output.is_empty() {
        block.push('\n');
        block.push_str(&shown.output);
    } else if cell.images > 0 {
        block.push(' ');
        block.push_str(&messages::displayed_images(cell.images, true));
    } else if shown.cut {
        block.push_str(" (output not shown)");
    } else if end.kind().is_none() {
        block.push_str(" (ok)");
    }
    for notice in cell_notices(cell) {
        block.push('\n');
        block.push_str(&notice);
    }
    block
}

fn cell_notices(cell: &CellFacts) -> Vec<String> {
    let mut notices = cell.notices.clone();
    if let Some(CellEnd { outcome: Outcome::Exit { code: 0, .. }, stop: None, .. }) = &cell.end {
        notices.push(messages::ended_itself(0));
    }
    notices
}

/// The last lines: which cell did not end well, why, and what that leaves.
fn verdict(cells: &[CellFacts]) -> Option<String> {
    let (index, cell, end, kind) = cells.iter().enumerate().find_map(|(index, cell)| {
        let end = cell.end.as_ref()?;
        Some((index, cell, end, end.kind()?))
    })?;
    let several = cells.len() > 1;
    let place = index + 1;
    let stopped = matches!(kind, FailureKind::Timeout | FailureKind::Abort);
    let mut lines = Vec::new();
    if matches!(kind, FailureKind::KernelExit | FailureKind::InvalidOutput | FailureKind::OutputLimit) {
        lines.push(messages::failure_message(end, kind));
    }
    // Names of variables that are gone tell nobody anything.
    if !end.not_reached.is_empty() && end.state == State::Kept {
        lines.push(messages::not_updated(&end.not_reached));
    }
    if !several {
        lines.push(match stopped {
            true => messages::stopped(end, None),
            false => messages::exit_code_line(end.shown_exit_code()),
        });
        return Some(lines.join("\n"));
    }
    let mut sentences = vec![match stopped {
        true => messages::stopped(end, Some(place)),
        false => messages::cell_failed(place, end.shown_exit_code()),
    }];
    let mut earlier = Vec::new();
    for language in cells[..index].iter().map(|cell| cell.language) {
        if !earlier.contains(&language) {
            earlier.push(language);
        }
    }
    sentences.extend(messages::earlier_cells(&earlier, cell.language, end.state));
    if !stopped && (end.state == State::Kept || !earlier.contains(&cell.language)) {
        sentences.push(messages::fix_only(place));
    }
    if place < cells.len() {
        sentences.push(messages::LATER_CELLS.into());
    }
    lines.push(sentences.join(" "));
    Some(lines.join("\n"))
}
