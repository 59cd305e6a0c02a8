//! The one output stream of a call: counted, kept whole in the spill, kept in part in the window.

use std::ops::Range;

use crate::limits::MAX_UPDATE_BYTES;

use super::artifact::{ArtifactPlan, Spill};
use super::call_output::OutputLimits;
use super::filter::Filter;
use super::messages;
use super::result::{Direction, TruncatedBy, Truncation};
use super::select::{Budget, Gap, gap, newline_count};
use super::window::Window;

/// Bytes of what was written last, to see whether a traceback is there already.
const RECENT_BYTES: usize = 64 * 1024;

/// A stretch of the stream, in places of the window.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub cell: usize,
    /// Printed between cells, before this cell ran.
    pub background: bool,
    pub start: u64,
    /// Open while it is running.
    pub end: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Stream {
    limits: OutputLimits,
    window: Window,
    filter: Option<Filter>,
    /// The raw end of the stream, where the window holds filtered text.
    recent: Option<Window>,
    pub spill: Spill,
    pub segments: Vec<Segment>,
    total_bytes: u64,
    newlines: u64,
    last_byte: Option<u8>,
    /// Bytes written since the segment began.
    segment_bytes: u64,
    /// Bytes of displays beyond what of each is shown.
    display_hidden: u64,
}

impl Stream {
    pub fn new(limits: OutputLimits, plan: ArtifactPlan) -> Self {
        let filter = Filter::new(limits.plain, limits.max_columns);
        // A character that the window itself cuts costs its other bytes too: it must stand beyond what can be shown.
        let keep = limits.max_bytes.max(MAX_UPDATE_BYTES) + 4;
        let head_keep = if limits.head_bytes > 0 { limits.head_bytes.min(limits.max_bytes) + 4 } else { 0 };
        Self {
            window: Window::new(head_keep, keep),
            recent: filter.as_ref().map(|_| Window::new(0, RECENT_BYTES)),
            filter,
            spill: Spill::new(plan, limits.max_bytes),
            limits,
            segments: Vec::new(),
            total_bytes: 0,
            newlines: 0,
            last_byte: None,
            segment_bytes: 0,
            display_hidden: 0,
        }
    }

    pub fn limits(&self) -> &OutputLimits {
        &self.limits
    }

    #[cfg(test)]
    pub fn memory(&self) -> usize {
        self.window.capacity() + self.spill.capacity()
    }

    pub fn begin(&mut self, cell: usize, background: bool) {
        self.end();
        self.segment_bytes = 0;
        self.segments.push(Segment { cell, background, start: self.window.end(), end: None });
    }

    /// Ends the current segment: nothing that comes later joins its last line or character.
    pub fn end(&mut self) {
        if let Some(filter) = &mut self.filter {
            filter.end_line(&mut self.window);
        }
        let end = self.window.end();
        if let Some(segment) = self.segments.last_mut() {
            segment.end.get_or_insert(end);
        }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.count(bytes);
        self.show(bytes);
    }

    fn count(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        // What comes late still belongs somewhere: nothing is counted that no cell shows.
        match self.segments.last_mut() {
            Some(segment) => segment.end = None,
            None => self.begin(0, false),
        }
        self.total_bytes += bytes.len() as u64;
        self.segment_bytes += bytes.len() as u64;
        self.newlines += newline_count(bytes) as u64;
        self.last_byte = Some(*last);
        self.spill.push(bytes);
        if let Some(recent) = &mut self.recent {
            recent.push(bytes);
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        match &mut self.filter {
            None => self.window.push(bytes),
            Some(filter) => filter.push(bytes, &mut self.window),
        }
    }

    /// What follows begins on a line of its own.
    pub fn fresh_line(&mut self) {
        if self.segment_bytes > 0 && self.last_byte != Some(b'\n') {
            self.write(b"\n");
        }
    }

    /// Writes a block on lines of its own, of which at most `max_characters` are shown. The block comes in pieces.
    pub fn block(&mut self, max_characters: usize, produce: impl FnOnce(&mut dyn FnMut(&str))) {
        self.fresh_line();
        let mut room = max_characters;
        let mut hidden = 0;
        let mut ends_line = true;
        produce(&mut |piece| {
            self.count(piece.as_bytes());
            let shown = piece.char_indices().nth(room).map_or(piece, |(place, _)| &piece[..place]);
            let rest = &piece[shown.len()..];
            room -= shown.chars().count();
            hidden += rest.chars().count() as u64;
            self.display_hidden += rest.len() as u64;
            ends_line = shown.chars().last().map_or(ends_line, |last| last == '\n');
            self.show(shown.as_bytes());
        });
        if hidden > 0 {
            if let Some(filter) = &mut self.filter {
                filter.end_line(&mut self.window);
            }
            let line_break = if ends_line { "" } else { "\n" };
            self.window.insert(&format!("{line_break}{}", messages::display_cut(hidden)));
        }
        self.write(b"\n");
    }

    /// Whether the segment's text, trailing white space aside, ends with this.
    pub fn ends_with(&self, text: &str) -> bool {
        let window = self.recent.as_ref().unwrap_or(&self.window);
        let have = self.segment_bytes.min(window.end() - window.tail_start());
        let recent = window.tail(window.end() - have..window.end()).trim_ascii_end();
        let text = text.trim_end().as_bytes();
        // Where the text is longer than what is kept, its end has to do.
        let kept_all = have == self.segment_bytes;
        let wanted = if kept_all { text } else { &text[text.len().saturating_sub(recent.len())..] };
        recent.ends_with(wanted)
    }

    /// The end of everything written, as text of at most `max_bytes`.
    pub fn live_tail(&self, max_bytes: usize) -> String {
        let end = self.window.end();
        let bytes = self.window.tail(end.saturating_sub(max_bytes as u64)..end);
        let mut text = decode_live(bytes);
        if let Some(filter) = &self.filter {
            text.push_str(&filter.pending());
        }
        if text.len() > max_bytes {
            let from = (text.len() - max_bytes..=text.len()).find(|place| text.is_char_boundary(*place));
            text.drain(..from.unwrap_or(0));
        }
        text
    }

    fn ranges(&self) -> Vec<Range<u64>> {
        let end = self.window.end();
        self.segments.iter().map(|segment| segment.start..segment.end.unwrap_or(end)).collect()
    }

    /// The last segment's text as it stands now, within the limits.
    pub fn current_text(&self) -> String {
        let Some(range) = self.ranges().pop() else { return String::new() };
        let budget = self.budget(0, 0);
        let gap = gap(&self.window, std::slice::from_ref(&range), budget, budget);
        let mut text = self.text(range, gap.as_ref(), true, "…");
        let running = self.segments.last().is_some_and(|segment| segment.end.is_none());
        if let (true, Some(filter)) = (running, &self.filter) {
            text.push_str(&filter.pending());
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn budget(&self, reserved_bytes: usize, reserved_lines: usize) -> Budget {
        let bytes = self.limits.max_bytes.saturating_sub(reserved_bytes);
        Budget {
            bytes,
            lines: self.limits.max_lines.saturating_sub(reserved_lines),
            head_bytes: self.limits.head_bytes.min(bytes),
        }
    }

    /// Decides what is shown. `whole` and `cut` are bytes and lines that the rest of the text block takes when nothing
    /// is hidden, and when something is.
    pub fn select(&self, whole: (usize, usize), cut: (usize, usize)) -> Option<Gap> {
        gap(&self.window, &self.ranges(), self.budget(whole.0, whole.1), self.budget(cut.0, cut.1))
    }

    /// What is hidden, counted; none when every byte is shown.
    pub fn truncation(&self, gap: Option<&Gap>) -> Option<Truncation> {
        let cut_off = self.filter.as_ref().map_or(0, Filter::hidden);
        let truncated_by = match gap {
            Some(gap) => gap.by,
            None if self.display_hidden > 0 => TruncatedBy::Bytes,
            None if cut_off > 0 => TruncatedBy::Columns,
            None => return None,
        };
        let total_lines = self.newlines + u64::from(self.last_byte.is_some_and(|last| last != b'\n'));
        let end = self.window.end();
        let (head, tail) = gap.map_or((0..0, 0..end), |gap| (0..gap.start, gap.end..end));
        let (head_bytes, head_lines) = self.window.head_of_stream(head);
        let (tail_bytes, tail_lines) = self.window.tail_of_stream(tail);
        let in_gap = self.window.stream_bytes() - head_bytes - tail_bytes;
        Some(Truncation {
            direction: if self.limits.head_bytes > 0 { Direction::Middle } else { Direction::Tail },
            truncated_by,
            total_lines,
            total_bytes: self.total_bytes,
            output_lines: (head_lines + tail_lines).min(total_lines),
            output_bytes: self.total_bytes - in_gap - cut_off - self.display_hidden,
            artifact_id: String::new(),
            artifact_path: String::new(),
        })
    }

    /// A segment's shown text; `marker` stands where the gap begins.
    pub fn text(&self, segment: Range<u64>, gap: Option<&Gap>, marks: bool, marker: &str) -> String {
        let Some(gap) = gap.filter(|gap| gap.start < segment.end && gap.end > segment.start) else {
            return decode(self.window.tail(segment));
        };
        let head = self.window.head(segment.start..gap.start.max(segment.start));
        let tail = self.window.tail(gap.end.min(segment.end)..segment.end);
        let mut text = decode(head);
        if marks && self.limits.head_bytes > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(marker);
            text.push('\n');
        }
        text.push_str(&decode(tail));
        text
    }
}

fn decode(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Like [`decode`], for a window whose borders are where the stream happens to be: characters cut there are left out.
fn decode_live(bytes: &[u8]) -> String {
    let start = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let bytes = &bytes[start..];
    let incomplete = bytes.utf8_chunks().last().map_or(0, |chunk| match std::str::from_utf8(chunk.invalid()) {
        Err(error) if error.error_len().is_none() => chunk.invalid().len(),
        _ => 0,
    });
    decode(&bytes[..bytes.len() - incomplete])
}
