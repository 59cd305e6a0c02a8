//! What changes the shown text as it streams by: `plain` and `maxColumns`. The artifact never sees it.

use unicode_width::UnicodeWidthChar;

use super::plain::PlainLine;
use super::window::Window;

const REPLACEMENT: &str = "\u{fffd}";
const CUT_MARK: &str = "…";
/// Longest escape sequence that passes; longer ones are not for terminals.
const MAX_SEQUENCE_BYTES: usize = 64;

/// Bytes in, shown text into the window.
#[derive(Debug)]
pub(crate) struct Filter {
    /// Start of a character whose rest has not come yet.
    carry: Vec<u8>,
    plain: Option<PlainLine>,
    columns: Option<Columns>,
}

impl Filter {
    /// None when nothing changes the text.
    pub fn new(plain: bool, max_columns: usize) -> Option<Self> {
        if !plain && max_columns == 0 {
            return None;
        }
        let columns = (max_columns > 0).then(|| Columns::new(max_columns));
        Some(Self { carry: Vec::new(), plain: plain.then(PlainLine::default), columns })
    }

    pub fn push(&mut self, bytes: &[u8], window: &mut Window) {
        let joined;
        let bytes = if self.carry.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.carry).as_slice(), bytes].concat();
            &joined
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text, window),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    // Checked just above; an empty text in its place would be a lost character, never a crash.
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), window);
                    let Some(invalid) = error.error_len() else {
                        self.carry = after.to_vec();
                        return;
                    };
                    self.text(REPLACEMENT, window);
                    rest = &after[invalid..];
                }
            }
        }
    }

    fn text(&mut self, text: &str, window: &mut Window) {
        let Self { plain, columns, .. } = self;
        match (plain, columns) {
            (None, None) => window.push(text.as_bytes()),
            (None, Some(columns)) => columns.text(text, window),
            (Some(plain), None) => plain.text(text, &mut |line| window.push(line.as_bytes())),
            (Some(plain), Some(columns)) => plain.text(text, &mut |line| columns.text(line, window)),
        }
    }

    /// Ends the current line: nothing that comes later belongs to it.
    pub fn end_line(&mut self, window: &mut Window) {
        if !std::mem::take(&mut self.carry).is_empty() {
            self.text(REPLACEMENT, window);
        }
        let Self { plain, columns, .. } = self;
        match (plain, columns.as_mut()) {
            (Some(plain), None) => plain.end(&mut |line| window.push(line.as_bytes())),
            (Some(plain), Some(columns)) => plain.end(&mut |line| columns.text(line, window)),
            (None, _) => {}
        }
        if let Some(columns) = columns {
            columns.end(window);
        }
    }

    /// The part of the current line that is not in the window yet.
    pub fn pending(&self) -> String {
        let mut text = self.columns.as_ref().map(|columns| columns.pending.clone()).unwrap_or_default();
        text.extend(self.plain.iter().flat_map(|plain| plain.current()));
        text
    }

    pub fn has_cut(&self) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.cut_lines > 0)
    }
}

/// Length of the printable ASCII that these bytes begin with.
pub(super) fn printable_run(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !(0x20..0x7f).contains(byte)).unwrap_or(bytes.len())
}

/// Cuts long lines: what is shown of one is never wider than the limit, the mark included.
#[derive(Debug)]
struct Columns {
    max: usize,
    width: usize,
    /// What stands in the last column, until it is known whether more follows.
    pending: String,
    /// Colours that follow what is pending.
    pending_colours: String,
    cut: bool,
    cut_lines: u64,
    /// An escape sequence in progress; it takes no room.
    sequence: String,
}

impl Columns {
    fn new(max: usize) -> Self {
        Self {
            max,
            width: 0,
            pending: String::new(),
            pending_colours: String::new(),
            cut: false,
            cut_lines: 0,
            sequence: String::new(),
        }
    }

    fn text(&mut self, text: &str, window: &mut Window) {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let length = self.plain_run(rest);
            if length > 0 {
                let (run, after) = rest.split_at(length);
                if !self.cut {
                    self.width += length;
                    shown.push_str(run);
                }
                rest = after;
                continue;
            }
            rest = &rest[letter.len_utf8()..];
            if !self.sequence.is_empty() {
                self.sequence_letter(letter, &mut shown);
            } else if letter == '\u{1b}' {
                self.sequence.push(letter);
            } else if letter == '\n' {
                self.end_line(&mut shown);
            } else if !self.cut {
                self.letter(letter, &mut shown, window);
            }
        }
        window.push(shown.as_bytes());
    }

    /// Bytes that need no decision: printable ASCII that fits before the last column, or that is cut anyway.
    fn plain_run(&self, text: &str) -> usize {
        if !self.sequence.is_empty() || !self.pending.is_empty() {
            return 0;
        }
        let room = if self.cut { text.len() } else { (self.max - 1).saturating_sub(self.width) };
        printable_run(&text.as_bytes()[..room.min(text.len())])
    }

    fn letter(&mut self, letter: char, shown: &mut String, window: &mut Window) {
        let width = letter.width().unwrap_or(usize::from(letter != '\r'));
        let end = self.width + width;
        if end > self.max || self.pending.len() + self.pending_colours.len() > 4 * MAX_SEQUENCE_BYTES {
            self.pending.clear();
            self.cut = true;
            self.cut_lines += 1;
            window.push(shown.as_bytes());
            shown.clear();
            window.insert(CUT_MARK.as_bytes());
            shown.push_str(&std::mem::take(&mut self.pending_colours));
            return;
        }
        self.width = end;
        // A full line waits with its last column; so does what combines with it.
        if end == self.max {
            self.pending.push(letter);
        } else {
            shown.push(letter);
        }
    }

    /// Colours pass also after the cut, so that a line ends in the colour it would have ended in.
    fn sequence_letter(&mut self, letter: char, shown: &mut String) {
        let opens = self.sequence.len() == 1 && letter == '[';
        if letter != '\n' {
            self.sequence.push(letter);
        }
        let ends = !opens && ('\u{40}'..='\u{7e}').contains(&letter);
        if !ends && letter != '\n' && self.sequence.len() <= MAX_SEQUENCE_BYTES {
            return;
        }
        let sequence = std::mem::take(&mut self.sequence);
        if !self.pending.is_empty() {
            self.pending_colours.push_str(&sequence);
        } else if letter == 'm' || !self.cut {
            shown.push_str(&sequence);
        }
        if letter == '\n' {
            self.end_line(shown);
        }
    }

    fn end_line(&mut self, shown: &mut String) {
        shown.push_str(&std::mem::take(&mut self.pending));
        shown.push_str(&std::mem::take(&mut self.pending_colours));
        shown.push('\n');
        self.width = 0;
        self.cut = false;
    }

    fn end(&mut self, window: &mut Window) {
        window.push(std::mem::take(&mut self.pending).as_bytes());
        window.push(std::mem::take(&mut self.pending_colours).as_bytes());
        let sequence = std::mem::take(&mut self.sequence);
        if !self.cut {
            window.push(sequence.as_bytes());
        }
        self.width = 0;
        self.cut = false;
    }
}
