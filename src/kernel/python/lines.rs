//! Bytes of the child, cut into lines.

use crate::limits::FRAME_MAX_BYTES;

/// Cuts the child's bytes into lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: Vec<u8>,
    /// Up to here there is no line break.
    scanned: usize,
    /// The rest of the current line is too much and is thrown away.
    skipping: bool,
}

impl Lines {
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line; an error for one that was too long.
    pub fn take(&mut self) -> Option<Result<Vec<u8>, String>> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.scanned..]);
            let Some(found) = found else {
                self.scanned = self.buffer.len();
                if self.buffer.len() > FRAME_MAX_BYTES {
                    self.skipping = true;
                }
                if self.skipping {
                    self.buffer.clear();
                    self.scanned = 0;
                }
                return None;
            };
            let end = self.scanned + found;
            let rest = self.buffer.split_off(end + 1);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            line.pop();
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) || line.len() > FRAME_MAX_BYTES {
                return Some(Err(format!("longer than {FRAME_MAX_BYTES} bytes")));
            }
            if !line.is_empty() {
                return Some(Ok(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_wherever_the_bytes_were() {
        let mut lines = Lines::default();
        lines.push(b"{\"a\"");
        assert!(lines.take().is_none());
        lines.push(b":1}\n\n{}");
        assert_eq!(lines.take(), Some(Ok(b"{\"a\":1}".to_vec())));
        assert!(lines.take().is_none());
        lines.push(b"\n");
        assert_eq!(lines.take(), Some(Ok(b"{}".to_vec())));
    }

    #[test]
    fn a_line_over_the_limit_is_dropped_and_the_next_one_is_read() {
        let mut lines = Lines::default();
        for _ in 0..65 {
            lines.push(&vec![b'x'; 1024 * 1024]);
            assert!(lines.take().is_none());
            assert!(lines.buffer.len() <= FRAME_MAX_BYTES);
        }
        lines.push(b"tail\n{}\n");
        assert!(lines.take().is_some_and(|line| line.is_err()));
        assert_eq!(lines.take(), Some(Ok(b"{}".to_vec())));
    }
}
