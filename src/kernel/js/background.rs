//! What nobody's run owns: output and errors that surface between runs, or from an earlier cell during a later one.

use std::sync::{Mutex, PoisonError};

use crate::kernel::Background;
use crate::limits::{JS_BACKGROUND_BYTES, JS_BACKGROUND_ERRORS};

/// Collects until the next result takes it. Bounded: the beginning stays, what is over the bound is counted.
#[derive(Default)]
pub struct BackgroundBuffer(Mutex<Collected>);

#[derive(Default)]
struct Collected {
    background: Background,
    dropped_bytes: usize,
    dropped_errors: usize,
}

impl BackgroundBuffer {
    fn with<Answer>(&self, change: impl FnOnce(&mut Collected) -> Answer) -> Answer {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn text(&self, bytes: &[u8]) {
        self.with(|collected| {
            let room = JS_BACKGROUND_BYTES.saturating_sub(collected.background.text.len());
            let (kept, dropped) = bytes.split_at(bytes.len().min(room));
            collected.background.text.extend_from_slice(kept);
            collected.dropped_bytes += dropped.len();
        });
    }

    pub fn error(&self, sentence: String) {
        self.with(|collected| {
            if collected.background.errors.len() < JS_BACKGROUND_ERRORS {
                collected.background.errors.push(sentence);
            } else {
                collected.dropped_errors += 1;
            }
        });
    }

    pub fn take(&self) -> Background {
        let mut collected = self.with(std::mem::take);
        if collected.dropped_bytes > 0 {
            let note = format!("\n[{} more bytes of background output were dropped]\n", collected.dropped_bytes);
            collected.background.text.extend_from_slice(note.as_bytes());
        }
        if collected.dropped_errors > 0 {
            collected.background.errors.push(format!("{} more errors", collected.dropped_errors));
        }
        collected.background
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_output_is_bounded_and_says_what_was_dropped() {
        let buffer = BackgroundBuffer::default();
        buffer.text(&vec![b'x'; JS_BACKGROUND_BYTES]);
        buffer.text(b"more");
        for index in 0..JS_BACKGROUND_ERRORS + 2 {
            buffer.error(index.to_string());
        }
        let taken = buffer.take();
        assert!(taken.text.ends_with(b"[4 more bytes of background output were dropped]\n"));
        assert_eq!(taken.errors.last().map(String::as_str), Some("2 more errors"));
        assert!(buffer.take().is_empty());
    }
}
