//! What one `execute` call produces, collected from any thread while its cells run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::kernel::contract::{Background, Display, Outcome, Thrown};
use crate::limits::{MAX_DISPLAY_CHARACTERS, MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES};

use super::artifact::ArtifactPlan;
use super::details::{DetailParts, Details};
use super::finished::{FinishedOutput, Reserve};
use super::json_text::pretty;
use super::result::{ImageBlock, Json};
use super::stream::Stream;

/// The `output` options.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OutputLimits {
    /// Bytes of the whole text block.
    pub max_bytes: usize,
    /// Lines of the whole text block.
    pub max_lines: usize,
    /// Of `max_bytes`, how many go to the start of the output; 0 shows the end alone.
    pub head_bytes: usize,
    /// Columns of a line; 0 leaves lines as they are.
    pub max_columns: usize,
    /// Whether escape sequences are stripped and carriage returns applied in the text block.
    pub plain: bool,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { max_bytes: MAX_OUTPUT_BYTES, max_lines: MAX_OUTPUT_LINES, head_bytes: 0, max_columns: 0, plain: false }
    }
}

/// The output of a call: one stream for all its cells, and what they displayed.
///
/// Methods take a lock for as long as they copy; a disk write under it is the back-pressure that keeps memory bounded.
#[derive(Debug)]
pub struct CallOutput {
    state: Mutex<CallState>,
}

#[derive(Debug)]
pub(super) struct CallState {
    pub plan: ArtifactPlan,
    pub stream: Stream,
    pub details: Details,
    pub cell: CellOutput,
}

/// What one cell left when it ended.
#[derive(Clone, Debug, Default)]
pub struct CellOutput {
    /// Its own text within the limits, trailing white space removed.
    pub text: String,
    /// Images displayed, of any type and size.
    pub images: usize,
    /// Whether it displayed anything that is not text alone.
    pub rich: bool,
    pub has_markdown: bool,
    pub status_events: Vec<Json>,
}

/// How many of each kind a reader of updates has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    pub json_outputs: usize,
    pub images: usize,
    pub status_events: usize,
}

/// What has happened since the last update. Cheap: values are shared, and none is told twice.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// What is known once this was read.
    #[serde(skip)]
    pub known: Known,
    /// The end of the live output.
    pub text: String,
    pub running: Option<RunningCell>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json_outputs: Vec<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageBlock>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub status_events: Vec<Json>,
}

/// The cell that is running, or ran last, as it stands now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunningCell {
    pub index: usize,
    pub output: String,
    pub has_markdown: bool,
    /// Place of its first status event among those of the call.
    pub events_from: usize,
}

impl CallOutput {
    pub fn new(limits: OutputLimits, plan: ArtifactPlan) -> Self {
        let stream = Stream::new(limits, plan.clone());
        let state = CallState { plan, stream, details: Details::default(), cell: CellOutput::default() };
        Self { state: Mutex::new(state) }
    }

    /// What follows belongs to this cell of the call, counted from 0.
    pub fn begin_cell(&self, index: usize) {
        let mut state = self.lock();
        state.stream.begin(index, false);
        state.cell = CellOutput::default();
    }

    /// What was printed or thrown between cells; comes after [`CallOutput::begin_cell`] and before the run.
    pub fn background(&self, background: &Background) {
        if background.is_empty() {
            return;
        }
        let mut state = self.lock();
        let stream = &mut state.stream;
        // The cell has written nothing yet: its segment becomes the background's, and another begins.
        let cell = stream.segments.pop().map_or(0, |segment| segment.cell);
        stream.begin(cell, true);
        stream.write(&background.text);
        for error in &background.errors {
            stream.fresh_line();
            stream.write(error.as_bytes());
        }
        stream.fresh_line();
        stream.begin(cell, false);
    }

    /// Bytes of the stream. May be cut anywhere, need not be UTF-8.
    pub fn write(&self, bytes: &[u8]) {
        self.lock().stream.write(bytes);
    }

    /// Something displayed, at this place of the stream.
    pub fn display(&self, display: Display) {
        let mut state = self.lock();
        let CallState { plan, stream, details, cell } = &mut *state;
        match display {
            Display::Text { text, markdown } => {
                cell.has_markdown |= markdown;
                cell.rich = true;
                if !text.is_empty() {
                    stream.fresh_line();
                    stream.write(text.as_bytes());
                    stream.fresh_line();
                }
            }
            Display::Json(value) => {
                cell.rich = true;
                let text = value.clone();
                let number = details.json(value);
                stream.fresh_line();
                stream.write(format!("display[{number}]:\n").as_bytes());
                stream.block(MAX_DISPLAY_CHARACTERS, |emit| pretty(text.get(), emit));
            }
            Display::Image { mime_type, data } => {
                cell.images += 1;
                cell.rich = true;
                details.image(mime_type, data, plan);
            }
        }
    }

    /// A status event of the prelude.
    pub fn status(&self, event: Box<RawValue>) {
        let mut state = self.lock();
        let event = state.details.status(event);
        state.cell.status_events.extend(event);
    }

    /// Writes the traceback, or the text of `sys.exit(text)`, unless the kernel has written it already. Not for a run
    /// that was stopped: it has none.
    pub fn outcome(&self, outcome: &Outcome) {
        let text = match outcome {
            Outcome::Syntax(thrown) | Outcome::Exception(thrown) | Outcome::Stdin(thrown) => thrown_text(thrown),
            Outcome::Exit { message: Some(message), .. } => message.clone(),
            _ => return,
        };
        let stream = &mut self.lock().stream;
        if !text.trim_end().is_empty() && !stream.ends_with(&text) {
            stream.fresh_line();
            stream.write(text.as_bytes());
            stream.fresh_line();
        }
    }

    /// The cell has ended: everything of it has been written.
    pub fn end_cell(&self) -> CellOutput {
        let mut state = self.lock();
        state.stream.end();
        let text = state.stream.current_text();
        CellOutput { text, ..std::mem::take(&mut state.cell) }
    }

    /// What an update shows; of what was displayed, only what came after the first `known` of each kind.
    pub fn progress(&self, known: Known, max_bytes: usize) -> Progress {
        let state = self.lock();
        let DetailParts { json_outputs, images, status_events } = &state.details.parts;
        let rest = Known { json_outputs: json_outputs.len(), images: images.len(), status_events: status_events.len() };
        let running = state.stream.segments.last().map(|segment| RunningCell {
            index: segment.cell,
            output: state.stream.current_text(),
            has_markdown: state.cell.has_markdown,
            // A cell's events are the last ones of the call.
            events_from: rest.status_events - state.cell.status_events.len(),
        });
        Progress {
            known: rest,
            text: state.stream.live_tail(max_bytes),
            running,
            json_outputs: json_outputs.get(known.json_outputs..).unwrap_or_default().to_vec(),
            images: images.get(known.images..).unwrap_or_default().to_vec(),
            status_events: status_events.get(known.status_events..).unwrap_or_default().to_vec(),
        }
    }

    /// Decides what is shown and saves the rest. Never fails: what cannot be saved is a notice.
    pub fn finish(&self, reserve: Reserve) -> FinishedOutput {
        FinishedOutput::new(&mut self.lock(), reserve)
    }

    /// Bytes of the stream in memory.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.lock().stream.memory()
    }

    fn lock(&self) -> MutexGuard<'_, CallState> {
        // A panic of another thread may have lost its own bytes, never made the rest unusable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn thrown_text(thrown: &Thrown) -> String {
    if !thrown.traceback.trim_end().is_empty() {
        return thrown.traceback.clone();
    }
    match &thrown.name {
        Some(name) if !thrown.message.is_empty() => format!("{name}: {}", thrown.message),
        Some(name) => name.clone(),
        None => thrown.message.clone(),
    }
}
