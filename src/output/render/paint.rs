//! ANSI styles, each switched off by its own code so that styles nest.

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Style {
    Bold,
    Dim,
    Italic,
    Underline,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub color: bool,
}

impl Paint {
    pub fn apply(self, style: Style, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let (on, off) = match style {
            Style::Bold => (1, 22),
            Style::Dim => (2, 22),
            Style::Italic => (3, 23),
            Style::Underline => (4, 24),
            Style::Red => (31, 39),
            Style::Green => (32, 39),
            Style::Yellow => (33, 39),
            Style::Blue => (34, 39),
            Style::Magenta => (35, 39),
            Style::Cyan => (36, 39),
        };
        format!("\u{1b}[{on}m{text}\u{1b}[{off}m")
    }

    pub fn dim(self, text: &str) -> String {
        self.apply(Style::Dim, text)
    }

    pub fn bold(self, text: &str) -> String {
        self.apply(Style::Bold, text)
    }
}
