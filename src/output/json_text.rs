//! JSON text made readable, in one pass and without recursion: ten thousand levels are as good as two.

/// Levels that get lines of their own; deeper ones stay on one line.
const MAX_DEPTH: usize = 32;
/// Bytes of white space added to one value; the rest of it stays on one line.
const MAX_WHITE_SPACE: usize = 1024 * 1024;
/// Bytes emitted at once.
const PIECE_BYTES: usize = 8 * 1024;

/// Emits JSON text with two spaces a level. What stands inside strings and numbers is copied as it is.
pub(crate) fn pretty(json: &str, emit: &mut dyn FnMut(&str)) {
    let mut printer = Printer { piece: String::new(), emit, white_space: 0, depth: 0 };
    let bytes = json.as_bytes();
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'"' => {
                let end = string_end(bytes, place);
                printer.copy(&json[place..end]);
                place = end;
                continue;
            }
            b'{' | b'[' => match next_token(bytes, place + 1) {
                Some((close, b'}' | b']')) => {
                    printer.copy(if *byte == b'{' { "{}" } else { "[]" });
                    place = close;
                }
                _ => printer.open(char::from(*byte)),
            },
            b'}' | b']' => printer.close(char::from(*byte)),
            b',' => {
                printer.copy(",");
                printer.line();
            }
            b':' => printer.copy(": "),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                let end = bytes[place..].iter().position(|byte| b",]}: \t\r\n\"".contains(byte));
                let end = end.map_or(bytes.len(), |length| place + length.max(1));
                printer.copy(&json[place..end]);
                place = end;
                continue;
            }
        }
        place += 1;
    }
    printer.flush();
}

/// The place after the string that starts here.
pub(crate) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut place = start + 1;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'"' => return place + 1,
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
    bytes.len()
}

fn next_token(bytes: &[u8], from: usize) -> Option<(usize, u8)> {
    let place = bytes.get(from..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
    Some((from + place, bytes[from + place]))
}

struct Printer<'a> {
    piece: String,
    emit: &'a mut dyn FnMut(&str),
    white_space: usize,
    depth: usize,
}

impl Printer<'_> {
    fn open(&mut self, bracket: char) {
        self.piece.push(bracket);
        self.depth += 1;
        self.line();
    }

    fn close(&mut self, bracket: char) {
        let deep = self.depth > MAX_DEPTH;
        self.depth = self.depth.saturating_sub(1);
        if !deep {
            self.line();
        }
        self.piece.push(bracket);
    }

    fn line(&mut self) {
        if self.depth > MAX_DEPTH || self.white_space > MAX_WHITE_SPACE {
            if self.piece.ends_with(',') {
                self.piece.push(' ');
            }
            return;
        }
        self.white_space += 1 + 2 * self.depth;
        self.piece.push('\n');
        self.piece.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn copy(&mut self, text: &str) {
        self.piece.push_str(text);
        if self.piece.len() >= PIECE_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.piece.is_empty() {
            (self.emit)(&self.piece);
            self.piece.clear();
        }
    }
}
