//! The call view: each cell with title, language, deadline and highlighted code.

use std::time::Duration;

use crate::language::Language;
use crate::limits::PREVIEW_LINES;
use crate::output::messages;

use super::highlight::highlight;
use super::lines::{clean, cut, head};
use super::paint::Style;
use super::{INDENT, RenderOptions};

/// A cell that is about to run, as far as it is known: a host may render input that is still being written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CallCell {
    pub title: Option<String>,
    pub language: Option<Language>,
    pub timeout: Option<Duration>,
    pub reset: bool,
    /// The cell's value is asked for as JSON.
    pub returns_json: bool,
    pub code: String,
}

/// The lines of a call.
pub fn render_call(cells: &[CallCell], options: &RenderOptions) -> Vec<String> {
    let paint = options.paint();
    let mut lines = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let title = cell.title.as_deref().map(|title| clean(title, false));
        let name = match (cells.len(), title) {
            (1, None) => "cell".to_owned(),
            (1, Some(title)) => title,
            (of, title) => messages::cell_heading(index + 1, of, title.as_deref()),
        };
        let mut facts = Vec::new();
        facts.extend(cell.language.map(|language| language.title().to_owned()));
        facts.extend(cell.timeout.map(|time| format!("at most {}", messages::duration(time))));
        facts.extend(cell.reset.then(|| "fresh runtime".to_owned()));
        facts.extend(cell.returns_json.then(|| "returns JSON".to_owned()));
        let facts = if facts.is_empty() { String::new() } else { format!(" · {}", facts.join(" · ")) };
        let mark = paint.apply(Style::Blue, "▸");
        lines.push(cut(&format!("{mark} {}{}", paint.bold(&name), paint.dim(&facts)), options.width()));
        lines.extend(code_lines(&cell.code, cell.language, options));
    }
    lines
}

/// Input that is no cell text yet, or never will be.
pub fn render_input(input: &str, options: &RenderOptions) -> Vec<String> {
    code_lines(input, None, options)
}

fn code_lines(code: &str, language: Option<Language>, options: &RenderOptions) -> Vec<String> {
    let code: Vec<String> = code.trim_end().split('\n').map(|line| clean(line, false)).collect();
    let lines = highlight(&code.join("\n"), language, options.paint());
    let most = if options.expanded { usize::MAX } else { PREVIEW_LINES };
    let (lines, hidden) = head(lines, most);
    let mut lines: Vec<String> = lines
        .iter()
        .map(|line| if line.is_empty() { String::new() } else { cut(&format!("{INDENT}{line}"), options.width()) })
        .collect();
    if hidden > 0 {
        let more = options.paint().dim(&messages::more_lines(hidden as u64));
        lines.push(cut(&format!("{INDENT}{more}"), options.width()));
    }
    lines
}
