//! Calls and results as lines for a terminal: `renderCall` and `renderResult`.
//!
//! Nothing here knows a terminal: width and colours are given. Text of a cell is shown without any escape sequence but
//! colours, so that no output can move the cursor or write elsewhere.

mod call;
mod highlight;
mod lines;
mod markdown;
mod output;
mod paint;
mod result;
#[cfg(test)]
mod tests;
mod tree;

pub use call::{CallCell, render_call, render_input};
pub use result::{render_result, render_result_json};

/// Narrower terminals are treated as this wide.
const MIN_WIDTH: usize = 20;
/// Indent of what belongs to a heading.
const INDENT: &str = "  ";

/// How lines are rendered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RenderOptions {
    /// Columns of a line, at least 20.
    pub width: usize,
    /// Whether ANSI colours are used; without, lines are plain text.
    pub color: bool,
    /// Whether everything is shown, not a preview.
    pub expanded: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { width: 80, color: true, expanded: false }
    }
}

impl RenderOptions {
    fn width(&self) -> usize {
        self.width.max(MIN_WIDTH)
    }

    fn paint(&self) -> paint::Paint {
        paint::Paint { color: self.color }
    }
}
