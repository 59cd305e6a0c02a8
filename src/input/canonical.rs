//! Cells back to text.

use super::cell::{LanguageOrigin, ParsedCell};
use super::fence::{fence_line, single_block};
use super::marker::needs_escape;
use super::text::lines;
use super::timeout::Timeout;
use crate::language::Language;

/// The cells as text in the one form that the grammar teaches. What [`super::parse`] gave comes back from it as the same cells.
///
/// Two things have no form in text: `returns`, and a line that begins with `\*** ` in code that came as data.
pub fn canonical(cells: &[ParsedCell]) -> String {
    let mut text = String::new();
    for cell in cells {
        text.push_str("*** Cell");
        push_header(&mut text, cell);
        text.push('\n');
        push_body(&mut text, &cell.code);
    }
    text.push_str("*** End\n");
    text
}

fn push_header(text: &mut String, cell: &ParsedCell) {
    let title = cell.title.as_deref().unwrap_or("");
    if cell.language_origin == LanguageOrigin::Header {
        text.push_str(match cell.language {
            Language::Python => " py:",
            Language::Js => " js:",
        });
        push_quoted(text, title);
    } else if !title.is_empty() {
        text.push_str(" title:");
        push_quoted(text, title);
    }
    match cell.timeout {
        None => {}
        Some(Timeout::HostMaximum) => text.push_str(" t:0"),
        Some(Timeout::After(duration)) => {
            let milliseconds = duration.as_millis();
            let whole = milliseconds.is_multiple_of(1_000);
            text.push_str(&if whole { format!(" t:{}", milliseconds / 1_000) } else { format!(" t:{milliseconds}ms") });
        }
    }
    if cell.reset {
        text.push_str(" rst");
    }
}

fn push_quoted(text: &mut String, title: &str) {
    let quote = if title.contains('"') && !title.contains('\'') { '\'' } else { '"' };
    text.push(quote);
    // A header is one line.
    for character in title.chars() {
        match character {
            '\n' | '\r' => text.push(' '),
            '"' if quote == '"' => text.push_str("\\\""),
            _ => text.push(character),
        }
    }
    text.push(quote);
}

fn push_body(text: &mut String, code: &str) {
    if code.is_empty() {
        return;
    }
    // Code that would lose its own fence gets a longer one around it.
    let fence = single_block(code).map(|_| {
        let longest = lines(code).filter_map(|(_, line)| fence_line(line)).map(|(fence, _)| fence.length()).max();
        "`".repeat(longest.unwrap_or(0).max(2) + 1)
    });
    if let Some(fence) = &fence {
        text.push_str(fence);
        text.push('\n');
    }
    for line in code.split('\n') {
        if needs_escape(line) {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            text.push_str(&line[..indent]);
            text.push('\\');
            text.push_str(&line[indent..]);
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    if let Some(fence) = &fence {
        text.push_str(fence);
        text.push('\n');
    }
}
