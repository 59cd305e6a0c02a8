//! The part of the stream that may still be shown: its start and its end. Memory is bounded whatever is pushed.

use std::collections::VecDeque;
use std::ops::Range;

use super::select::line_count;

/// Slack before the front is dropped: one move per this many bytes.
const SLACK_BYTES: usize = 128 * 1024;

/// Keeps the first `head_keep` and the last `tail_keep` bytes of everything pushed.
#[derive(Debug)]
pub(crate) struct Window {
    head_keep: usize,
    tail_keep: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Place of `tail[0]` in everything pushed.
    base: u64,
    /// Characters of the tail, and of the head, that stand for more or fewer bytes of the stream than they have.
    tail_uneven: VecDeque<Uneven>,
    head_uneven: Vec<Uneven>,
    /// What these differences add up to over everything pushed.
    difference: i64,
}

#[derive(Clone, Copy, Debug)]
struct Uneven {
    at: u64,
    more: i64,
}

impl Window {
    pub fn new(head_keep: usize, tail_keep: usize) -> Self {
        Self {
            head_keep,
            tail_keep,
            head: Vec::new(),
            tail: Vec::new(),
            base: 0,
            tail_uneven: VecDeque::new(),
            head_uneven: Vec::new(),
            difference: 0,
        }
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.head.capacity() + self.tail.capacity()
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.head.len() < self.head_keep {
            let room = self.head_keep - self.head.len();
            self.head.extend_from_slice(&bytes[..room.min(bytes.len())]);
        }
        if bytes.len() >= self.tail_keep {
            let dropped = self.tail.len() + bytes.len() - self.tail_keep;
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - self.tail_keep..]);
            self.forget(dropped);
            return;
        }
        if self.tail.len() + bytes.len() > self.tail_keep + SLACK_BYTES {
            let dropped = self.tail.len() + bytes.len() - self.tail_keep;
            self.tail.drain(..dropped);
            self.forget(dropped);
        }
        self.tail.extend_from_slice(bytes);
    }

    /// The next character stands for so many bytes of the stream more than it has: fewer when negative.
    pub fn stands_for(&mut self, more: i64) {
        let uneven = Uneven { at: self.end(), more };
        if uneven.at < self.head_keep as u64 {
            self.head_uneven.push(uneven);
        }
        self.tail_uneven.push_back(uneven);
        self.difference += more;
    }

    /// Pushes text that is not of the stream: `…` of a cut line, the note of a cut display.
    pub fn insert(&mut self, text: &str) {
        for letter in text.chars() {
            self.stands_for(-(letter.len_utf8() as i64));
            self.push(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn forget(&mut self, bytes: usize) {
        self.base += bytes as u64;
        while self.tail_uneven.front().is_some_and(|uneven| uneven.at < self.base) {
            self.tail_uneven.pop_front();
        }
    }

    /// Everything pushed so far, in bytes.
    pub fn end(&self) -> u64 {
        self.base + self.tail.len() as u64
    }

    /// First place that the tail still has.
    pub fn tail_start(&self) -> u64 {
        self.base
    }

    /// What the tail still has of a range.
    pub fn tail(&self, range: Range<u64>) -> &[u8] {
        let start = range.start.clamp(self.base, self.end()) - self.base;
        let end = range.end.clamp(self.base, self.end()) - self.base;
        self.tail.get(start as usize..end as usize).unwrap_or_default()
    }

    /// What the head has of a range.
    pub fn head(&self, range: Range<u64>) -> &[u8] {
        let kept = self.head.len() as u64;
        self.head.get(range.start.min(kept) as usize..range.end.min(kept) as usize).unwrap_or_default()
    }

    /// Bytes of the stream that everything pushed stands for.
    pub fn stream_bytes(&self) -> u64 {
        self.end().saturating_add_signed(self.difference)
    }

    /// Bytes of the stream that a range of the head stands for, and lines of the stream it shows.
    pub fn head_of_stream(&self, range: Range<u64>) -> (u64, u64) {
        let uneven = self.head_uneven.iter().filter(|uneven| range.contains(&uneven.at));
        of_stream(self.head(range.clone()), range.start, uneven)
    }

    /// The same of a range that the tail still has.
    pub fn tail_of_stream(&self, range: Range<u64>) -> (u64, u64) {
        let uneven = self.tail_uneven.iter().filter(|uneven| range.contains(&uneven.at));
        of_stream(self.tail(range.clone()), range.start.max(self.base), uneven)
    }
}

fn of_stream<'a>(bytes: &[u8], start: u64, uneven: impl Iterator<Item = &'a Uneven>) -> (u64, u64) {
    let mut stream_bytes = bytes.len() as u64;
    let mut lines = line_count(bytes) as u64;
    for Uneven { at, more } in uneven {
        stream_bytes = stream_bytes.saturating_add_signed(*more);
        // A line break that was inserted ends no line of the stream.
        lines -= u64::from(*more < 0 && bytes.get((at - start) as usize) == Some(&b'\n'));
    }
    (stream_bytes, lines)
}
