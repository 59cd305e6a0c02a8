//! Edits by spans: the text changes, the lines do not, and what moved within a line is written down.

use oxc_span::Span;

/// From here to the next segment of its line, a generated column lies `generated - original` to the right of the
/// user's own. Lines and columns count from 1, columns in UTF-16 units, as V8 counts them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Segment {
    pub line: u32,
    pub generated: u32,
    pub original: u32,
}

/// The user's column for a generated one. A line without segments stands where the user wrote it.
pub fn original_column(segments: &[Segment], line: u32, column: u32) -> u32 {
    let after = segments.partition_point(|segment| (segment.line, segment.generated) <= (line, column));
    let Some(segment) = after.checked_sub(1).map(|index| segments[index]).filter(|found| found.line == line) else {
        // Before the first change of the line nothing moved; inserted text there belongs to the place it was put at.
        return match segments.get(after).filter(|next| next.line == line) {
            Some(next) => column.min(next.original),
            None => column,
        };
    };
    let moved = segment.original + (column - segment.generated);
    // Inserted text has no column of its own: it belongs to what follows it.
    match segments.get(after).filter(|next| next.line == line) {
        Some(next) => moved.min(next.original),
        None => moved,
    }
}

#[derive(Debug)]
struct Edit {
    start: u32,
    end: u32,
    /// Edits at one place keep this order, then the order they were made in.
    rank: i8,
    text: String,
}

/// The changes to one cell, in any order; they must not overlap.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Puts text before `at`, after everything already put there.
    pub(super) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.edits.push(Edit { start: at, end: at, rank: 0, text: text.into() });
    }

    /// Puts text at the end of a node: before what others put at the start of the next one.
    /// Later calls at the same place belong to outer nodes, so they come after.
    pub(super) fn insert_after(&mut self, at: u32, text: impl Into<String>) {
        self.edits.push(Edit { start: at, end: at, rank: -1, text: text.into() });
    }

    pub(super) fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit { start: span.start, end: span.end, rank: 1, text: text.into() });
    }

    /// Replaces by spaces, keeping line ends and the width of every line; `first` goes in front where there is room.
    pub(super) fn blank(&mut self, source: &str, span: Span, first: &str) {
        if span.start < span.end {
            let text = blanked(&source[span.start as usize..span.end as usize], first);
            self.edits.push(Edit { start: span.start, end: span.end, rank: 1, text });
        }
    }

    /// Writes the text with the edits applied. `keep` says which parts of the source appear; the others become blank
    /// (and their edits vanish), with `filler` as their first character.
    pub(super) fn apply(&mut self, source: &str, head: &str, parts: &[Part], tail: &str) -> (String, Vec<Segment>) {
        self.edits.sort_by_key(|edit| (edit.start, edit.rank));
        let mut writer = Writer::new(source, head);
        let mut next = 0;
        for part in parts {
            if part.kept {
                while let Some(edit) = self.edits.get(next) {
                    if edit.start > part.span.end || (edit.start == part.span.end && !part.owns_end(edit)) {
                        break;
                    }
                    writer.copy_to(edit.start);
                    writer.substitute(edit.end, &edit.text);
                    next += 1;
                }
                writer.copy_to(part.span.end);
            } else {
                while self.edits.get(next).is_some_and(|edit| {
                    edit.start < part.span.end || (edit.start == part.span.end && part.owns_end(edit))
                }) {
                    next += 1;
                }
                let text = blanked(&source[part.span.start as usize..part.span.end as usize], part.filler);
                writer.substitute(part.span.end, &text);
            }
        }
        writer.output.push_str(tail);
        (writer.output, writer.segments)
    }
}

/// A stretch of the source: kept with its edits, or blanked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) span: Span,
    pub(super) kept: bool,
    pub(super) filler: &'static str,
    pub(super) last: bool,
}

impl Part {
    /// Of the edits at the border between two parts, closings belong to the part that ends there.
    fn owns_end(&self, edit: &Edit) -> bool {
        self.last || edit.rank < 0
    }
}

/// Spaces for everything but line ends, one for each UTF-16 unit, so that columns stay.
pub(super) fn blanked(text: &str, first: &str) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut pending = first;
    for character in text.chars() {
        if is_line_end(character) {
            blank.push(character);
            continue;
        }
        for _ in 0..character.len_utf16() {
            match pending.chars().next() {
                Some(wanted) => {
                    blank.push(wanted);
                    pending = &pending[wanted.len_utf8()..];
                }
                None => blank.push(' '),
            }
        }
    }
    // No room on any line: better a moved column than a lost separator.
    blank.insert_str(0, pending);
    blank
}

/// What ends a line in JavaScript.
pub fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

struct Writer<'s> {
    source: &'s str,
    position: usize,
    output: String,
    segments: Vec<Segment>,
    line: u32,
    /// Columns of the next character, from 1, in the user's text and in ours.
    original: u32,
    generated: u32,
}

impl<'s> Writer<'s> {
    fn new(source: &'s str, head: &str) -> Self {
        let mut output = String::with_capacity(source.len() + source.len() / 4 + 128);
        output.push_str(head);
        Self { source, position: 0, output, segments: Vec::new(), line: 1, original: 1, generated: 1 }
    }

    fn copy_to(&mut self, end: u32) {
        let end = end as usize;
        if end <= self.position {
            return;
        }
        let text = &self.source[self.position..end];
        self.output.push_str(text);
        let (lines, columns) = measure(text);
        if lines > 0 {
            self.line += lines;
            self.original = 1 + columns;
            self.generated = 1 + columns;
        } else {
            self.original += columns;
            self.generated += columns;
        }
        self.position = end;
    }

    fn substitute(&mut self, end: u32, text: &str) {
        let end = (end as usize).max(self.position);
        let shift = i64::from(self.generated) - i64::from(self.original);
        let (lines, original) = measure(&self.source[self.position..end]);
        let (_, generated) = measure(text);
        self.output.push_str(text);
        self.position = end;
        if lines > 0 {
            self.line += lines;
            self.original = 1 + original;
            self.generated = 1 + generated;
        } else {
            self.original += original;
            self.generated += generated;
        }
        let moved = i64::from(self.generated) - i64::from(self.original);
        if moved != if lines > 0 { 0 } else { shift } {
            self.segments.push(Segment { line: self.line, generated: self.generated, original: self.original });
        }
    }
}

/// Line ends in the text, and UTF-16 units after the last of them.
fn measure(text: &str) -> (u32, u32) {
    let mut lines = 0;
    let mut columns = 0;
    let mut previous = ' ';
    for character in text.chars() {
        if is_line_end(character) {
            if !(character == '\n' && previous == '\r') {
                lines += 1;
            }
            columns = 0;
        } else {
            columns += u32::try_from(character.len_utf16()).unwrap_or(1);
        }
        previous = character;
    }
    (lines, columns)
}
