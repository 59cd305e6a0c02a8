//! What changes the shown text as it streams by: `plain` and `maxColumns`. The artifact never sees it.

use super::columns::Columns;
use super::plain::PlainLine;
use super::window::Window;

const REPLACEMENT: &str = "\u{fffd}";

/// Where shown text goes.
pub(crate) trait Sink {
    fn text(&mut self, text: &str);
    /// The next character stands for so many bytes of the stream more than it has: fewer when negative. So it is known to
    /// the byte what is hidden with a character.
    fn stands_for(&mut self, more: i64);
}

impl Sink for Window {
    fn text(&mut self, text: &str) {
        self.push(text.as_bytes());
    }

    fn stands_for(&mut self, more: i64) {
        Window::stands_for(self, more);
    }
}

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
                    self.replaced(invalid, window);
                    rest = &after[invalid..];
                }
            }
        }
    }

    /// What is shown in place of so many bytes that are not UTF-8.
    fn replaced(&mut self, bytes: usize, window: &mut Window) {
        let more = bytes as i64 - REPLACEMENT.len() as i64;
        self.through(window, |sink| {
            sink.stands_for(more);
            sink.text(REPLACEMENT);
        });
    }

    fn text(&mut self, text: &str, window: &mut Window) {
        if !text.is_empty() {
            self.through(window, |sink| sink.text(text));
        }
    }

    fn through(&mut self, window: &mut Window, send: impl FnOnce(&mut dyn Sink)) {
        let Self { plain, columns, .. } = self;
        let mut cut;
        let last: &mut dyn Sink = match columns {
            None => window,
            Some(columns) => {
                cut = columns.cutting_into(window);
                &mut cut
            }
        };
        match plain {
            None => send(last),
            Some(plain) => send(&mut plain.ahead_of(last)),
        }
    }

    /// Ends the current line: nothing that comes later belongs to it.
    pub fn end_line(&mut self, window: &mut Window) {
        let incomplete = std::mem::take(&mut self.carry).len();
        if incomplete > 0 {
            self.replaced(incomplete, window);
        }
        let Self { plain, columns, .. } = self;
        match (plain, columns.as_mut()) {
            (Some(plain), None) => plain.end(window),
            (Some(plain), Some(columns)) => plain.end(&mut columns.cutting_into(window)),
            (None, _) => {}
        }
        if let Some(columns) = columns {
            columns.cutting_into(window).end();
        }
    }

    /// The part of the current line that is not in the window yet.
    pub fn pending(&self) -> String {
        let mut text = self.columns.as_ref().map(|columns| columns.pending().to_owned()).unwrap_or_default();
        text.extend(self.plain.iter().flat_map(|plain| plain.current()));
        text
    }

    /// Bytes of the stream that are not in the window because their line was too long.
    pub fn hidden(&self) -> u64 {
        self.columns.as_ref().map_or(0, Columns::hidden)
    }
}

/// Length of the printable ASCII that these bytes begin with.
pub(super) fn printable_run(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !(0x20..0x7f).contains(byte)).unwrap_or(bytes.len())
}
