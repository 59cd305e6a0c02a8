//! Promises of the output sections, one file each.

mod accounting;
mod artifacts;
mod limits;
mod shape;
mod text_block;
mod transforms;

use std::path::Path;
use std::time::Duration;

use serde_json::value::RawValue;

use super::*;
use crate::kernel::contract::{Display, Outcome, RunEnd};
use crate::language::Language;

pub(super) fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.into()).unwrap()
}

pub(super) fn json_display(text: &str) -> Display {
    Display::Json(json(text))
}

pub(super) fn output(limits: OutputLimits, folder: &Path) -> CallOutput {
    CallOutput::new(limits, ArtifactPlan::Dir(folder.to_owned()))
}

/// A cell of a test: what it prints, and how it ends.
pub(super) fn facts(title: Option<&str>, end: RunEnd) -> CellFacts {
    let end = CellEnd::new(end, None, Duration::from_millis(1200));
    CellFacts {
        language: Language::Python,
        title: title.map(str::to_owned),
        end: Some(end),
        images: 0,
        rich: false,
        notices: Vec::new(),
    }
}

pub(super) fn complete(title: Option<&str>) -> CellFacts {
    facts(title, RunEnd::kept(Outcome::Complete))
}

/// A call of one cell that prints this and ends well.
pub(super) fn print(limits: OutputLimits, folder: &Path, pieces: &[&[u8]]) -> (FinishedOutput, String) {
    let output = output(limits, folder);
    output.begin_cell(0);
    pieces.iter().for_each(|piece| output.write(piece));
    output.end_cell();
    finish(&output, &[complete(None)], &CallFacts::default())
}

pub(super) fn finish(output: &CallOutput, cells: &[CellFacts], call: &CallFacts) -> (FinishedOutput, String) {
    let finished = output.finish(reserve(cells, call));
    let text = super::text_block(cells, &finished, call);
    (finished, text)
}
