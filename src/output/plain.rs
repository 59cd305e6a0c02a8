//! One line as a terminal would leave it: escape sequences taken out, carriage returns and backspaces applied.

use super::filter::{Sink, printable_run};

/// Characters of one line that can still be overwritten; what is beyond was never meant for a terminal.
const MAX_LINE: usize = 64 * 1024;
const MAX_PARAMETERS: usize = 16;

/// The current line. What is taken out or overwritten is not hidden: the next character stands for its bytes too.
#[derive(Debug, Default)]
pub(crate) struct PlainLine {
    line: Vec<Letter>,
    cursor: usize,
    escape: Escape,
    parameters: String,
    /// What the next letter that comes in stands for beyond its own bytes.
    more: i64,
    /// Bytes of the stream that no letter of the line stands for yet.
    taken_out: u64,
}

#[derive(Clone, Copy, Debug)]
struct Letter {
    letter: char,
    /// Bytes of the stream it stands for.
    bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Escape {
    #[default]
    None,
    /// After ESC.
    Start,
    /// ESC and intermediate letters.
    Intermediate,
    /// `ESC [ …`
    Control,
    /// A string that ends with BEL or ESC \.
    String,
    StringEnd,
}

/// Text in, plain lines out.
pub(crate) struct PlainLines<'a> {
    line: &'a mut PlainLine,
    sink: &'a mut dyn Sink,
}

impl Sink for PlainLines<'_> {
    fn text(&mut self, text: &str) {
        self.line.text(text, self.sink);
    }

    fn stands_for(&mut self, more: i64) {
        self.line.more += more;
    }
}

impl PlainLine {
    pub fn ahead_of<'a>(&'a mut self, sink: &'a mut dyn Sink) -> PlainLines<'a> {
        PlainLines { line: self, sink }
    }

    fn text(&mut self, text: &str, sink: &mut dyn Sink) {
        let mut done = Vec::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let length = self.plain_run(rest);
            if length > 0 {
                let (run, after) = rest.split_at(length);
                self.line.extend(run.chars().map(|letter| Letter { letter, bytes: 1 }));
                self.cursor = self.line.len();
                rest = after;
                continue;
            }
            rest = &rest[letter.len_utf8()..];
            let bytes = (letter.len_utf8() as u64).saturating_add_signed(std::mem::take(&mut self.more));
            if self.escape != Escape::None {
                self.taken_out += bytes;
                self.escape_letter(letter);
                continue;
            }
            match letter {
                '\u{1b}' => self.escape = Escape::Start,
                '\n' => {
                    done.append(&mut self.line);
                    done.push(Letter { letter, bytes: bytes + std::mem::take(&mut self.taken_out) });
                    self.cursor = 0;
                }
                '\r' => self.cursor = 0,
                '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
                '\u{7}' | '\u{0}' => {}
                letter => self.put(letter, bytes),
            }
            if matches!(letter, '\u{1b}' | '\r' | '\u{8}' | '\u{7}' | '\u{0}') {
                self.taken_out += bytes;
            }
            self.release_long(&mut done);
        }
        self.release_long(&mut done);
        emit(&done, sink);
    }

    /// Most text needs no decision: it goes to the end of its line.
    fn plain_run(&self, text: &str) -> usize {
        let room = MAX_LINE.saturating_sub(self.line.len());
        let is_plain = self.escape == Escape::None && self.cursor == self.line.len();
        if !is_plain || self.more != 0 || self.taken_out != 0 {
            return 0;
        }
        printable_run(&text.as_bytes()[..text.len().min(room)])
    }

    /// Lets go of a line that is too long to be overwritten.
    fn release_long(&mut self, done: &mut Vec<Letter>) {
        if self.line.len() >= MAX_LINE {
            done.append(&mut self.line);
            self.cursor = 0;
        }
    }

    /// Ends the line where no line break does.
    pub fn end(&mut self, sink: &mut dyn Sink) {
        if let Some(last) = self.line.last_mut() {
            last.bytes += std::mem::take(&mut self.taken_out);
        }
        emit(&self.line, sink);
        *self = Self { taken_out: self.taken_out, ..Self::default() };
    }

    pub fn current(&self) -> impl Iterator<Item = char> + '_ {
        self.line.iter().map(|letter| letter.letter)
    }

    fn put(&mut self, letter: char, bytes: u64) {
        let mut letter = Letter { letter, bytes: bytes + std::mem::take(&mut self.taken_out) };
        match self.line.get_mut(self.cursor) {
            Some(place) => {
                letter.bytes += place.bytes;
                *place = letter;
            }
            None => self.line.push(letter),
        }
        self.cursor += 1;
    }

    fn erase_from(&mut self, cursor: usize) {
        self.taken_out += self.line.drain(cursor.min(self.line.len())..).map(|letter| letter.bytes).sum::<u64>();
    }

    fn escape_letter(&mut self, letter: char) {
        self.escape = match (self.escape, letter) {
            (Escape::Start, '[') => {
                self.parameters.clear();
                Escape::Control
            }
            (Escape::Start, ']' | 'P' | 'X' | '^' | '_') => Escape::String,
            (Escape::Start | Escape::Intermediate, ' '..='/') => Escape::Intermediate,
            (Escape::Control, '@'..='~') => {
                self.control(letter);
                Escape::None
            }
            (Escape::Control, letter) => {
                if self.parameters.len() < MAX_PARAMETERS {
                    self.parameters.push(letter);
                }
                Escape::Control
            }
            (Escape::String, '\u{7}') => Escape::None,
            (Escape::String, '\u{1b}') => Escape::StringEnd,
            (Escape::String, _) => Escape::String,
            (Escape::StringEnd, '\\') => Escape::None,
            (Escape::StringEnd, _) => Escape::String,
            (Escape::Start | Escape::Intermediate | Escape::None, _) => Escape::None,
        };
    }

    fn control(&mut self, letter: char) {
        match (letter, self.parameters.as_str()) {
            ('K', "" | "0") => self.erase_from(self.cursor),
            ('K', "2") => {
                self.erase_from(0);
                let blanks = std::mem::take(&mut self.cursor);
                (0..blanks).for_each(|_| self.put(' ', 0));
            }
            ('G', "" | "1") => self.cursor = 0,
            _ => {}
        }
    }
}

fn emit(letters: &[Letter], sink: &mut dyn Sink) {
    let mut text = String::with_capacity(letters.len());
    for Letter { letter, bytes } in letters {
        let more = *bytes as i64 - letter.len_utf8() as i64;
        if more != 0 {
            sink.text(&text);
            text.clear();
            sink.stands_for(more);
        }
        text.push(*letter);
    }
    sink.text(&text);
}
