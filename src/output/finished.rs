//! The end of a call's output: what is shown, what is hidden, and where the whole is.

use std::path::PathBuf;

use super::artifact::{ArtifactPlan, Saved, move_private, reason};
use super::call_output::CallState;
use super::details::{DetailParts, SavedImage};
use super::messages;
use super::result::Truncation;

/// Room that the rest of the text block takes beside the cells' output.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reserve {
    pub bytes: usize,
    pub lines: usize,
}

/// Room for the line that says what is hidden, its path included.
const TRUNCATION_LINE: Reserve = Reserve { bytes: 400, lines: 2 };
/// Room for the marker between head and tail.
const MARKER: Reserve = Reserve { bytes: 100, lines: 2 };

/// What a file holds, as `allocateArtifact(kind)` is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ArtifactKind {
    Output,
    Image,
}

impl ArtifactKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Image => "image",
        }
    }
}

/// The shown part of one cell.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ShownCell {
    /// Printed between cells, before this one ran.
    pub background: String,
    /// Trailing white space removed.
    pub output: String,
    /// Whether a part of it is hidden.
    pub cut: bool,
}

/// Everything that the result of a call shows.
#[derive(Debug)]
pub struct FinishedOutput {
    /// By the cell's index in the call.
    pub cells: Vec<ShownCell>,
    /// Complete once nothing is [`FinishedOutput::wanted`] any more.
    pub truncation: Option<Truncation>,
    pub details: DetailParts,
    host_allocated: bool,
    answered: usize,
    output_failure: Option<String>,
    output_saved: bool,
    images: Vec<SavedImage>,
    further_notices: Vec<String>,
}

impl FinishedOutput {
    pub(super) fn new(state: &mut CallState, reserve: Reserve) -> Self {
        let CallState { plan, stream, details, .. } = state;
        stream.end();
        let images = std::mem::take(&mut details.saved_images);
        let mut finished = Self {
            cells: Vec::new(),
            truncation: None,
            details: std::mem::take(&mut details.parts),
            host_allocated: matches!(plan, ArtifactPlan::HostAllocated),
            answered: 0,
            output_failure: None,
            output_saved: false,
            images,
            further_notices: details.notices(),
        };
        let notices = finished.notices();
        let whole = (
            reserve.bytes + notices.iter().map(|notice| notice.len() + 1).sum::<usize>(),
            reserve.lines + notices.len(),
        );
        let limits = stream.limits().clone();
        let marker = if limits.head_bytes > 0 { MARKER } else { Reserve::default() };
        let cut = (whole.0 + TRUNCATION_LINE.bytes + marker.bytes, whole.1 + TRUNCATION_LINE.lines + marker.lines);
        let whole = (taken(whole.0, limits.max_bytes, 4, 0), taken(whole.1, limits.max_lines, 256, 0));
        let cut = (taken(cut.0, limits.max_bytes, 4, whole.0), taken(cut.1, limits.max_lines, 256, whole.1));
        let gap = stream.select(whole, cut);
        finished.truncation = stream.truncation(gap.as_ref());
        let marker = finished.truncation.as_ref().map(|truncation| {
            let Truncation { total_lines, output_lines, total_bytes, output_bytes, .. } = truncation;
            messages::left_out(total_lines - output_lines, total_bytes - output_bytes)
        });
        let marker = marker.unwrap_or_default();
        let mut marked = false;
        for segment in &stream.segments {
            if finished.cells.len() <= segment.cell {
                finished.cells.resize_with(segment.cell + 1, ShownCell::default);
            }
            let range = segment.start..segment.end.unwrap_or(segment.start);
            let touched = gap.is_some_and(|gap| gap.start < range.end && gap.end > range.start);
            let mut text = stream.text(range, gap.as_ref(), !marked, &marker);
            marked |= touched;
            text.truncate(text.trim_end().len());
            let cell = &mut finished.cells[segment.cell];
            if segment.background {
                cell.background = text;
            } else {
                cell.output = text;
                cell.cut = touched;
            }
        }
        match &finished.truncation {
            None => stream.spill.discard(),
            Some(_) => {
                let saved = stream.spill.keep();
                finished.name_output(saved);
            }
        }
        finished
    }

    fn name_output(&mut self, saved: Result<Saved, String>) {
        let Some(truncation) = &mut self.truncation else { return };
        match saved {
            Ok(saved) => {
                truncation.artifact_id = saved.id;
                truncation.artifact_path = saved.path.to_string_lossy().into_owned();
                self.output_saved = true;
            }
            Err(why) => self.output_failure = Some(why),
        }
    }

    /// What the host must name a place for, in this order: one answer each, by [`FinishedOutput::adopt`] or
    /// [`FinishedOutput::refuse`]. Empty unless the plan is [`ArtifactPlan::HostAllocated`] and something is hidden.
    pub fn wanted(&self) -> Vec<ArtifactKind> {
        if !self.host_allocated {
            return Vec::new();
        }
        let images = self.images.iter().filter(|image| image.place.is_ok()).map(|_| ArtifactKind::Image);
        let output = self.output_saved.then_some(ArtifactKind::Output);
        output.into_iter().chain(images).skip(self.answered).collect()
    }

    /// The host's place for the next wanted file: it moves there.
    pub fn adopt(&mut self, kind: ArtifactKind, id: String, path: PathBuf) {
        let Some(saved) = self.next_saved(kind) else { return };
        match move_private(&saved.path, &path) {
            Ok(()) => self.rename(kind, Saved { id, path }),
            Err(error) => self.further_notices.push(messages::host_refused(kind.as_str(), &reason(&error))),
        }
        self.answered += 1;
    }

    /// The host named no place: our own file keeps the bytes, and is named instead.
    pub fn refuse(&mut self, kind: ArtifactKind, why: &str) {
        if self.next_saved(kind).is_some() {
            self.further_notices.push(messages::host_refused(kind.as_str(), why));
            self.answered += 1;
        }
    }

    fn next_saved(&self, kind: ArtifactKind) -> Option<Saved> {
        if self.wanted().first() != Some(&kind) {
            return None;
        }
        match kind {
            ArtifactKind::Output => self.truncation.as_ref().map(|truncation| Saved {
                id: truncation.artifact_id.clone(),
                path: PathBuf::from(&truncation.artifact_path),
            }),
            ArtifactKind::Image => self.images.get(self.image_place()?).and_then(|image| image.place.clone().ok()),
        }
    }

    fn rename(&mut self, kind: ArtifactKind, saved: Saved) {
        match kind {
            ArtifactKind::Output => self.name_output(Ok(saved)),
            ArtifactKind::Image => {
                if let Some(image) = self.image_place().and_then(|place| self.images.get_mut(place)) {
                    image.place = Ok(saved);
                }
            }
        }
    }

    /// Place of the image that is answered next.
    fn image_place(&self) -> Option<usize> {
        let nth = self.answered - usize::from(self.output_saved);
        self.images.iter().enumerate().filter(|(_, image)| image.place.is_ok()).nth(nth).map(|(place, _)| place)
    }

    /// Sentences about files and what was left out, for `details.notice`; the text block has them too.
    pub fn notices(&self) -> Vec<String> {
        let failure = self.output_failure.as_deref().map(messages::output_not_saved);
        let images = self.images.iter().map(SavedImage::notice);
        images.chain(self.further_notices.iter().cloned()).chain(failure).collect()
    }

    /// `CellResult.output` at the end: what is shown of the cell, or its own text where the call's window passed it by.
    pub fn cell_output(&self, index: usize, own: String) -> String {
        match self.cells.get(index) {
            Some(cell) if cell.cut && !cell.output.is_empty() => cell.output.clone(),
            _ => own,
        }
    }
}

/// What is taken off a limit. The rest of the text block counts within it, unless a small limit would then show little
/// of the output itself: in that case it comes on top.
fn taken(wanted: usize, limit: usize, least_part: usize, otherwise: usize) -> usize {
    if wanted <= limit / least_part { wanted } else { otherwise }
}
