//! The part of the stream that may still be shown: its start and its end. Memory is bounded whatever is pushed.

use std::collections::VecDeque;
use std::ops::Range;

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
    /// Bytes that stand in the window but not in the stream: `…` of a cut line, the note of a cut display.
    inserted: VecDeque<Inserted>,
    head_inserted: Vec<Inserted>,
}

#[derive(Clone, Copy, Debug)]
struct Inserted {
    at: u64,
    bytes: u32,
}

impl Window {
    pub fn new(head_keep: usize, tail_keep: usize) -> Self {
        Self {
            head_keep,
            tail_keep,
            head: Vec::new(),
            tail: Vec::new(),
            base: 0,
            inserted: VecDeque::new(),
            head_inserted: Vec::new(),
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

    /// Pushes bytes that are not of the stream.
    pub fn insert(&mut self, bytes: &[u8]) {
        let inserted = Inserted { at: self.end(), bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX) };
        if inserted.at < self.head_keep as u64 {
            self.head_inserted.push(inserted);
        }
        self.inserted.push_back(inserted);
        self.push(bytes);
    }

    fn forget(&mut self, bytes: usize) {
        self.base += bytes as u64;
        while self.inserted.front().is_some_and(|inserted| inserted.at < self.base) {
            self.inserted.pop_front();
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

    /// Bytes of the range that are not of the stream.
    pub fn inserted_in(&self, range: Range<u64>) -> u64 {
        let in_range = |inserted: &&Inserted| range.contains(&inserted.at);
        let of_tail = self.inserted.iter().filter(in_range);
        // Marks that both lists have are counted from the tail's.
        let first_of_tail = self.inserted.front().map_or(u64::MAX, |inserted| inserted.at);
        let of_head = self.head_inserted.iter().filter(in_range).filter(|inserted| inserted.at < first_of_tail);
        of_tail.chain(of_head).map(|inserted| u64::from(inserted.bytes)).sum()
    }
}
