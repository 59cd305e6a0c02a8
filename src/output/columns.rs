//! `maxColumns`: what is shown of a line is never wider than the limit, the mark included.

use unicode_width::UnicodeWidthChar;

use super::filter::{Sink, printable_run};
use super::window::Window;

const CUT_MARK: &str = "…";
/// Longest escape sequence that passes; longer ones are not for terminals.
const MAX_SEQUENCE_BYTES: usize = 64;

/// The current line.
#[derive(Debug)]
pub(crate) struct Columns {
    max: usize,
    width: usize,
    /// What stands in the last column, until it is known whether more follows.
    pending: Held,
    /// Colours that follow what is pending.
    pending_colours: Held,
    cut: bool,
    hidden: u64,
    /// An escape sequence in progress; it takes no room.
    sequence: Held,
    /// What the next letter stands for beyond its own bytes.
    more: i64,
}

/// Text that is not in the window yet.
#[derive(Debug, Default)]
struct Held {
    text: String,
    more: i64,
}

impl Held {
    fn push(&mut self, letter: char, more: i64) {
        self.text.push(letter);
        self.more += more;
    }

    fn append(&mut self, other: Self) {
        self.text += &other.text;
        self.more += other.more;
    }

    fn stream_bytes(&self) -> u64 {
        (self.text.len() as u64).saturating_add_signed(self.more)
    }
}

impl Columns {
    pub fn new(max: usize) -> Self {
        Self {
            max,
            width: 0,
            pending: Held::default(),
            pending_colours: Held::default(),
            cut: false,
            hidden: 0,
            sequence: Held::default(),
            more: 0,
        }
    }

    pub fn pending(&self) -> &str {
        &self.pending.text
    }

    /// Bytes of the stream that were cut off so far.
    pub fn hidden(&self) -> u64 {
        self.hidden
    }

    pub fn cutting_into<'a>(&'a mut self, window: &'a mut Window) -> CutLines<'a> {
        CutLines { line: self, shown: String::new(), window }
    }
}

/// Text in, cut lines into the window.
pub(crate) struct CutLines<'a> {
    line: &'a mut Columns,
    shown: String,
    window: &'a mut Window,
}

impl Sink for CutLines<'_> {
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let length = self.plain_run(rest);
            if length > 0 {
                let (run, after) = rest.split_at(length);
                if self.line.cut {
                    self.line.hidden += length as u64;
                } else {
                    self.line.width += length;
                    self.shown.push_str(run);
                }
                rest = after;
                continue;
            }
            rest = &rest[letter.len_utf8()..];
            let more = std::mem::take(&mut self.line.more);
            if !self.line.sequence.text.is_empty() {
                self.sequence_letter(letter, more);
            } else if letter == '\u{1b}' {
                self.line.sequence.push(letter, more);
            } else if letter == '\n' {
                self.end_line(more);
            } else if self.line.cut {
                self.hide(letter, more);
            } else {
                self.letter(letter, more);
            }
        }
        self.flush();
    }

    fn stands_for(&mut self, more: i64) {
        self.line.more += more;
    }
}

impl CutLines<'_> {
    /// Bytes that need no decision: printable ASCII that fits before the last column, or that is cut anyway.
    fn plain_run(&self, text: &str) -> usize {
        let Columns { max, width, pending, cut, sequence, more, .. } = &*self.line;
        if !sequence.text.is_empty() || !pending.text.is_empty() || *more != 0 {
            return 0;
        }
        let room = if *cut { text.len() } else { (max - 1).saturating_sub(*width) };
        printable_run(&text.as_bytes()[..room.min(text.len())])
    }

    fn letter(&mut self, letter: char, more: i64) {
        let line = &mut *self.line;
        let end = line.width + letter.width().unwrap_or(usize::from(letter != '\r'));
        if end > line.max || line.pending.text.len() + line.pending_colours.text.len() > 4 * MAX_SEQUENCE_BYTES {
            line.cut = true;
            line.hidden += std::mem::take(&mut line.pending).stream_bytes();
            let colours = std::mem::take(&mut line.pending_colours);
            self.hide(letter, more);
            self.flush();
            self.window.insert(CUT_MARK);
            self.show(&colours);
            return;
        }
        line.width = end;
        // A full line waits with its last column; so does what combines with it.
        if end == line.max {
            line.pending.push(letter, more);
        } else {
            self.show_letter(letter, more);
        }
    }

    /// Colours pass also after the cut, so that a line ends in the colour it would have ended in.
    fn sequence_letter(&mut self, letter: char, more: i64) {
        let line = &mut *self.line;
        let opens = line.sequence.text.len() == 1 && letter == '[';
        if letter != '\n' {
            line.sequence.push(letter, more);
        }
        let ends = !opens && ('\u{40}'..='\u{7e}').contains(&letter);
        if !ends && letter != '\n' && line.sequence.text.len() <= MAX_SEQUENCE_BYTES {
            return;
        }
        let sequence = std::mem::take(&mut line.sequence);
        if !line.pending.text.is_empty() {
            line.pending_colours.append(sequence);
        } else if letter == 'm' || !line.cut {
            self.show(&sequence);
        } else {
            line.hidden += sequence.stream_bytes();
        }
        if letter == '\n' {
            self.end_line(more);
        }
    }

    fn end_line(&mut self, more: i64) {
        self.show_pending();
        self.show_letter('\n', more);
        self.line.width = 0;
        self.line.cut = false;
    }

    /// Ends the line where no line break does.
    pub fn end(&mut self) {
        self.show_pending();
        let sequence = std::mem::take(&mut self.line.sequence);
        if self.line.cut {
            self.line.hidden += sequence.stream_bytes();
        } else {
            self.show(&sequence);
        }
        self.flush();
        self.line.width = 0;
        self.line.cut = false;
    }

    fn show_pending(&mut self) {
        let (pending, colours) =
            (std::mem::take(&mut self.line.pending), std::mem::take(&mut self.line.pending_colours));
        self.show(&pending);
        self.show(&colours);
    }

    fn show(&mut self, held: &Held) {
        self.stand_for(held.more);
        self.shown.push_str(&held.text);
    }

    fn show_letter(&mut self, letter: char, more: i64) {
        self.stand_for(more);
        self.shown.push(letter);
    }

    fn hide(&mut self, letter: char, more: i64) {
        self.line.hidden += (letter.len_utf8() as u64).saturating_add_signed(more);
    }

    fn stand_for(&mut self, more: i64) {
        if more != 0 {
            self.flush();
            self.window.stands_for(more);
        }
    }

    fn flush(&mut self) {
        self.window.push(self.shown.as_bytes());
        self.shown.clear();
    }
}
