//! One line as a terminal would leave it: escape sequences taken out, carriage returns and backspaces applied.

use super::filter::printable_run;

/// Characters of one line that can still be overwritten; what is beyond was never meant for a terminal.
const MAX_LINE: usize = 64 * 1024;
const MAX_PARAMETERS: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct PlainLine {
    line: Vec<char>,
    cursor: usize,
    escape: Escape,
    parameters: String,
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

impl PlainLine {
    pub fn text(&mut self, text: &str, emit: &mut dyn FnMut(&str)) {
        let mut done = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            // Most text needs no decision: it goes to the end of its line.
            if self.escape == Escape::None && self.cursor == self.line.len() && self.line.len() < MAX_LINE {
                let length = printable_run(&rest.as_bytes()[..rest.len().min(MAX_LINE - self.line.len())]);
                let (run, after) = rest.split_at(length);
                self.line.extend(run.chars());
                self.cursor = self.line.len();
                rest = after;
                if length > 0 {
                    continue;
                }
            }
            rest = &rest[letter.len_utf8()..];
            if self.escape != Escape::None {
                self.escape_letter(letter);
                continue;
            }
            match letter {
                '\u{1b}' => self.escape = Escape::Start,
                '\n' => {
                    done.extend(self.line.drain(..));
                    done.push('\n');
                    self.cursor = 0;
                }
                '\r' => self.cursor = 0,
                '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
                '\u{7}' | '\u{0}' => {}
                letter => {
                    self.put(letter);
                }
            }
            self.release_long(&mut done);
        }
        self.release_long(&mut done);
        if !done.is_empty() {
            emit(&done);
        }
    }

    /// Lets go of a line that is too long to be overwritten.
    fn release_long(&mut self, done: &mut String) {
        if self.line.len() >= MAX_LINE {
            done.extend(self.line.drain(..));
            self.cursor = 0;
        }
    }

    pub fn end(&mut self, emit: &mut dyn FnMut(&str)) {
        let line: String = self.line.drain(..).collect();
        *self = Self::default();
        if !line.is_empty() {
            emit(&line);
        }
    }

    pub fn current(&self) -> impl Iterator<Item = char> + '_ {
        self.line.iter().copied()
    }

    fn put(&mut self, letter: char) {
        match self.line.get_mut(self.cursor) {
            Some(place) => *place = letter,
            None => self.line.push(letter),
        }
        self.cursor += 1;
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
            ('K', "" | "0") => self.line.truncate(self.cursor),
            ('K', "2") => {
                self.line.clear();
                let blanks = std::mem::take(&mut self.cursor);
                (0..blanks).for_each(|_| self.put(' '));
            }
            ('G', "" | "1") => self.cursor = 0,
            _ => {}
        }
    }
}
