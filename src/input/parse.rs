//! Cell text to cells: one pass over the lines.

use super::body::{Body, body};
use super::cell::{LanguageOrigin, ParsedCell, ParsedEvalInput};
use super::fence::{Fence, end_of_outer, fence_line};
use super::header::{Header, header};
use super::marker::{Marker, marker, old_header};
use super::notice::Notices;
use super::python_strings::open_string;
use super::sniff::sniff;
use super::text::{is_blank, lines, normalized};
use crate::error::EvalError;
use crate::language::Language;

/// How much of a marker line a notice shows.
const MARKER_CHARACTERS: usize = 60;

/// Parses cell text.
///
/// # Errors
/// `EVAL_PARSE`, naming line and token, for a duration or a `rst` value that is none. Nothing else is an error.
pub fn parse(input: &str) -> Result<ParsedEvalInput, EvalError> {
    let text = normalized(input);
    let mut has_cells = false;
    let mut first_line = None;
    for (_, line) in lines(&text) {
        match marker(line) {
            Some(Marker::Cell(_)) => has_cells = true,
            Some(Marker::Abort) => {}
            _ => {
                if first_line.is_none() && !is_blank(line) && fence_line(line).is_none() {
                    first_line = Some(line);
                }
                continue;
            }
        }
        break;
    }
    let old_format = !has_cells && first_line.is_some_and(|line| old_header(line).is_some());
    let mut parser = Parser { text: &text, old_format, ..Parser::default() };
    if has_cells || old_format {
        parser.with_headers()?
    } else {
        parser.without_header()
    }
    Ok(ParsedEvalInput { cells: parser.cells, aborted: parser.aborted, notice: parser.notices.finish() })
}

#[derive(Default)]
struct Parser<'a> {
    text: &'a str,
    /// Headers are those of an older format.
    old_format: bool,
    cells: Vec<ParsedCell>,
    aborted: bool,
    notices: Notices,
    /// A fence that was opened outside cells and is still open.
    outer: Option<Fence>,
}

/// A cell whose end has not been met.
struct Open {
    header: Header,
    /// Offset and number of the first line of its body.
    start: usize,
    line: usize,
}

impl<'a> Parser<'a> {
    fn with_headers(&mut self) -> Result<(), EvalError> {
        let mut open: Option<Open> = None;
        for (index, (start, line)) in lines(self.text).enumerate() {
            let next = start + line.len() + 1;
            match self.marker(line) {
                Some(Marker::Cell(attributes)) => {
                    self.close(open.take(), start);
                    let header = header(attributes, index + 1)?;
                    open = Some(Open { header, start: next, line: index + 2 });
                }
                Some(Marker::End) => self.close(open.take(), start),
                Some(Marker::Abort) => {
                    self.aborted = true;
                    return Ok(());
                }
                None if open.is_none() => self.stray(line, index + 1),
                None => {}
            }
        }
        self.close(open, self.text.len() + 1);
        Ok(())
    }

    fn marker(&self, line: &'a str) -> Option<Marker<'a>> {
        if self.old_format
            && let Some(attributes) = old_header(line)
        {
            return Some(Marker::Cell(attributes));
        }
        marker(line)
    }

    /// The whole text is one cell, up to `*** End`.
    fn without_header(&mut self) {
        let mut start = 0;
        let mut end = None;
        let mut content = false;
        let mut first = 1;
        for (index, (offset, line)) in lines(self.text).enumerate() {
            let next = offset + line.len() + 1;
            match marker(line) {
                Some(Marker::Abort) => {
                    // Nothing says where a finished cell ends and the one in progress begins.
                    self.aborted = true;
                    self.notices = Notices::default();
                    return;
                }
                Some(_) if end.is_none() && content => end = Some(offset),
                Some(_) if end.is_none() => (start, first) = (next, index + 2),
                Some(_) => {}
                None if end.is_some() => self.stray(line, index + 1),
                None => content = content || !is_blank(line),
            }
        }
        self.outer = None;
        self.close(Some(Open { header: Header::default(), start, line: first }), end.unwrap_or(self.text.len() + 1));
    }

    /// Ends a cell before the line at offset `end`.
    fn close(&mut self, open: Option<Open>, end: usize) {
        let Some(Open { header, start, line }) = open else { return };
        let raw = self.text.get(start..end.saturating_sub(1)).unwrap_or("");
        let cut = self.outer.and_then(|outer| end_of_outer(raw, outer));
        let body = body(cut.map_or(raw, |(close, _)| &raw[..close]));
        self.push(header, body, line);
        self.hint_at_open_string(end);
        if let Some((close, after)) = cut {
            self.outer = None;
            let first = line + raw[..close].matches('\n').count() + 1;
            for (index, prose) in raw[after..].split('\n').skip(1).enumerate() {
                self.stray(prose, first + index);
            }
        }
    }

    fn push(&mut self, header: Header, body: Body, line: usize) {
        let number = self.cells.len() + 1;
        if body.unclosed_fence {
            self.notices.add(format!("The fence that opens cell {number} is never closed; its line was left out."));
        }
        if let (Some(named), Some(fenced)) = (header.language, body.language)
            && named != fenced
        {
            self.notices.add(format!(
                "Cell {number} has {} in its header and {} on its fence; the header counts.",
                named.title(),
                fenced.title()
            ));
        }
        let named = header.language.or(body.language);
        self.cells.push(ParsedCell {
            index: self.cells.len(),
            title: header.title,
            language: named.unwrap_or_else(|| presumed(self.cells.last(), &body.code)),
            language_origin: if named.is_some() { LanguageOrigin::Header } else { LanguageOrigin::Default },
            code: body.code,
            timeout: header.timeout,
            reset: header.reset,
            returns_json: false,
            line: line + body.skipped,
        });
    }

    /// A marker inside a string is text that was cut in two. Both halves fail; this says why.
    fn hint_at_open_string(&mut self, end: usize) {
        let Some(cell) = self.cells.last().filter(|cell| cell.language == Language::Python) else { return };
        let Some(marker) = self.text.get(end..).and_then(|rest| rest.lines().next()) else { return };
        let Some(quotes) = open_string(&cell.code) else { return };
        let shown: String = marker.trim().chars().take(MARKER_CHARACTERS).collect();
        self.notices.add(format!(
            "Cell {} ends inside a {quotes} string. If the line `{shown}` belongs to it, write it as `\\{shown}`.",
            cell.index + 1
        ));
    }

    /// A line outside cells.
    fn stray(&mut self, line: &str, number: usize) {
        if is_blank(line) {
            return;
        }
        match (self.outer, fence_line(line)) {
            (None, Some((fence, _))) => self.outer = Some(fence),
            (Some(outer), Some(_)) if outer.is_closed_by(line) => self.outer = None,
            _ if self.cells.is_empty() => self.notices.text_before_cells(number),
            _ => self.notices.text_after_cell(number),
        }
    }
}

/// The language of a cell that names none, before anything is known about what is available.
pub(super) fn presumed(previous: Option<&ParsedCell>, code: &str) -> Language {
    previous.map(|cell| cell.language).or_else(|| sniff(code)).unwrap_or(Language::Python)
}
