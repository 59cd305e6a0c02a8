//! What is printed between cells: kept to a bound, the newest of it.

use crate::limits::BACKGROUND_BYTES;

/// The last [`BACKGROUND_BYTES`] of a stream.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    left_out: usize,
}

impl Tail {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Cut at twice the bound, so that a steady stream is not moved with every write.
        if self.bytes.len() > 2 * BACKGROUND_BYTES {
            self.cut();
        }
    }

    /// Takes it all. When something was left out, a line says how much.
    pub fn take(&mut self) -> Vec<u8> {
        self.cut();
        let left_out = std::mem::take(&mut self.left_out);
        let bytes = std::mem::take(&mut self.bytes);
        if left_out == 0 {
            return bytes;
        }
        let mut text = format!("… {left_out} bytes of earlier background output left out …\n").into_bytes();
        text.extend(bytes);
        text
    }

    fn cut(&mut self) {
        let excess = self.bytes.len().saturating_sub(BACKGROUND_BYTES);
        if excess > 0 {
            // From the start of a line on, where there is one.
            let start =
                self.bytes[excess..].iter().position(|byte| *byte == b'\n').map_or(excess, |at| excess + at + 1);
            self.bytes.drain(..start);
            self.left_out += start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_output_is_kept_and_a_line_says_what_was_left_out() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = String::from_utf8(tail.take()).expect("text");
        assert!(text.starts_with("… "), "{}", &text[..40]);
        assert!(text.ends_with("line 99999\n"));
        assert!(text.len() <= BACKGROUND_BYTES + 80);
        assert!(tail.take().is_empty());
    }
}
