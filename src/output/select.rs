//! Which part of the window is shown. Pure: bytes and budgets in, places out.

use std::ops::Range;

use super::result::TruncatedBy;
use super::window::Window;

/// What is hidden: everything between two places of the window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Gap {
    pub start: u64,
    pub end: u64,
    pub by: TruncatedBy,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub bytes: usize,
    pub lines: usize,
    /// Of `bytes`, for the start.
    pub head_bytes: usize,
}

/// None when everything fits.
pub(crate) fn gap(window: &Window, segments: &[Range<u64>], whole: Budget, cut: Budget) -> Option<Gap> {
    let first = segments.first()?.start;
    if window.tail_start() <= first && fits(window, segments, whole) {
        return None;
    }
    let head = head_end(window, segments, cut);
    let rest = Budget { bytes: cut.bytes.saturating_sub(head.bytes), lines: cut.lines - head.lines, head_bytes: 0 };
    let (start, by) = tail_start(window, segments, rest);
    Some(Gap { start: head.end.min(start), end: start, by })
}

fn fits(window: &Window, segments: &[Range<u64>], budget: Budget) -> bool {
    let mut bytes = 0;
    let mut lines = 0;
    for segment in segments {
        let text = window.tail(segment.clone());
        bytes += decoded_len(text);
        lines += line_count(text);
    }
    bytes <= budget.bytes && lines <= budget.lines
}

struct Head {
    end: u64,
    bytes: usize,
    lines: usize,
}

fn head_end(window: &Window, segments: &[Range<u64>], budget: Budget) -> Head {
    let mut head = Head { end: segments.first().map_or(0, |segment| segment.start), bytes: 0, lines: 0 };
    if budget.head_bytes == 0 {
        return head;
    }
    // Lines are shared as bytes are.
    let share = budget.lines as u128 * budget.head_bytes as u128 / budget.bytes.max(1) as u128;
    let most_lines = usize::try_from(share).unwrap_or(usize::MAX).clamp(usize::from(budget.lines > 1), budget.lines);
    for segment in segments {
        let text = window.head(segment.clone());
        let kept = keep_start(text, budget.head_bytes - head.bytes, most_lines - head.lines);
        head.bytes += decoded_len(&text[..kept]);
        head.lines += line_count(&text[..kept]);
        head.end = segment.start + kept as u64;
        if kept as u64 != segment.end - segment.start {
            break;
        }
    }
    head
}

fn tail_start(window: &Window, segments: &[Range<u64>], budget: Budget) -> (u64, TruncatedBy) {
    let mut bytes = budget.bytes;
    let mut lines = budget.lines;
    for segment in segments.iter().rev() {
        let text = window.tail(segment.clone());
        let (from, by) = keep_end(text, bytes, lines);
        let kept = &text[from..];
        if (kept.len() as u64) < segment.end - segment.start {
            return (segment.end - kept.len() as u64, by);
        }
        bytes -= decoded_len(kept);
        lines -= line_count(kept);
    }
    (segments.first().map_or(0, |segment| segment.start), TruncatedBy::Bytes)
}

/// How much of the start fits: whole lines, unless that would leave much unused.
fn keep_start(text: &[u8], bytes: usize, lines: usize) -> usize {
    let by_lines = match text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(lines.saturating_sub(1)) {
        _ if lines == 0 => 0,
        Some((place, _)) => place + 1,
        None => text.len(),
    };
    let by_bytes = fitting_prefix(text, bytes);
    if by_lines <= by_bytes || by_bytes == text.len() {
        return by_lines.min(by_bytes);
    }
    match text[..by_bytes].iter().rposition(|byte| *byte == b'\n') {
        Some(newline) if newline + 1 >= by_bytes - by_bytes / 4 => newline + 1,
        _ => by_bytes,
    }
}

fn fitting_prefix(text: &[u8], bytes: usize) -> usize {
    let mut room = bytes;
    let mut end = 0;
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        if valid.len() > room {
            return end + valid.floor_char_boundary(room);
        }
        room -= valid.len();
        end += valid.len();
        if chunk.invalid().is_empty() {
            continue;
        }
        if room < REPLACEMENT_LEN {
            return end;
        }
        room -= REPLACEMENT_LEN;
        end += chunk.invalid().len();
    }
    end
}

/// From where the end fits, and which limit said so.
fn keep_end(text: &[u8], bytes: usize, lines: usize) -> (usize, TruncatedBy) {
    let by_lines = last_lines(text, lines);
    let by_bytes = fitting_suffix(text, bytes);
    if by_lines >= by_bytes {
        return (by_lines, TruncatedBy::Lines);
    }
    // A line without its start reads as something else: it goes, unless it is most of what can be shown.
    let kept = &text[by_bytes..];
    let starts_line = text[by_bytes - 1] == b'\n';
    let from = match kept.iter().position(|byte| *byte == b'\n') {
        Some(newline) if !starts_line && newline < kept.len() / 4 => by_bytes + newline + 1,
        _ => by_bytes,
    };
    (from, TruncatedBy::Bytes)
}

fn last_lines(text: &[u8], lines: usize) -> usize {
    if lines == 0 {
        return text.len();
    }
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let mut newlines = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    newlines.nth(lines - 1).map_or(0, |(place, _)| place + 1)
}

fn fitting_suffix(text: &[u8], bytes: usize) -> usize {
    let mut excess = decoded_len(text).saturating_sub(bytes);
    let mut from = 0;
    for chunk in text.utf8_chunks() {
        if excess == 0 {
            break;
        }
        let valid = chunk.valid();
        if valid.len() >= excess {
            return from + ceil_char_boundary(valid, excess);
        }
        excess -= valid.len();
        from += valid.len() + chunk.invalid().len();
        if !chunk.invalid().is_empty() {
            excess = excess.saturating_sub(REPLACEMENT_LEN);
        }
    }
    from
}

fn ceil_char_boundary(text: &str, place: usize) -> usize {
    (place..=text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len())
}

const REPLACEMENT_LEN: usize = char::REPLACEMENT_CHARACTER.len_utf8();

/// Bytes of the text these bytes are shown as.
fn decoded_len(bytes: &[u8]) -> usize {
    if std::str::from_utf8(bytes).is_ok() {
        return bytes.len();
    }
    let len = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { REPLACEMENT_LEN }
    };
    bytes.utf8_chunks().map(len).sum()
}

pub(crate) fn newline_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Lines, the last of which need not end.
pub(crate) fn line_count(bytes: &[u8]) -> usize {
    newline_count(bytes) + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}
