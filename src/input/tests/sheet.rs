//! Renders inputs beside what they parse to.

use std::fmt::Write;

use super::super::{LanguageOrigin, ParsedCell, ParsedEvalInput, Timeout, parse};

/// Width of the left column.
const WIDTH: usize = 44;

/// One block per example: its sentence, then the input's lines at the left and the cells at the right.
pub fn sheet(examples: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (sentence, input) in examples {
        let right = match parse(input) {
            Ok(parsed) => described(&parsed),
            Err(error) => vec![format!("{}: {}", error.code.as_str(), error.message)],
        };
        let left = left(input);
        let _ = writeln!(text, "── {sentence}");
        for index in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(index).map_or("", |s| s), right.get(index).map_or("", |s| s));
            let padding = " ".repeat(WIDTH.saturating_sub(left.chars().count()));
            let _ = writeln!(text, "{}", format!("{left}{padding} │ {right}").trim_end());
        }
        text.push('\n');
    }
    text
}

fn left(input: &str) -> Vec<String> {
    input.split('\n').map(visible).collect()
}

/// A line with every character visible.
fn visible(line: &str) -> String {
    let characters = line.chars().map(|c| match c {
        '\t' => "→".to_owned(),
        '\r' => "␍".to_owned(),
        '\u{a0}' | '\u{200b}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{3000}' | '\0' => {
            format!("⟨{:04x}⟩", c as u32)
        }
        c => c.to_string(),
    });
    characters.collect()
}

fn described(parsed: &ParsedEvalInput) -> Vec<String> {
    let mut lines: Vec<String> = parsed.cells.iter().flat_map(cell).collect();
    if parsed.cells.is_empty() {
        lines.push("no cells".to_owned());
    }
    if parsed.aborted {
        lines.push("aborted".to_owned());
    }
    lines.extend(parsed.notice.iter().flat_map(|notice| notice.lines()).map(|line| format!("notice: {line}")));
    lines
}

fn cell(cell: &ParsedCell) -> Vec<String> {
    let mut head = format!("{}: {}", cell.index, cell.language.name());
    if cell.language_origin == LanguageOrigin::Default {
        head.push_str(" (default)");
    }
    if let Some(title) = &cell.title {
        let _ = write!(head, " “{}”", visible(title));
    }
    match cell.timeout {
        None => {}
        Some(Timeout::HostMaximum) => head.push_str(" t=maximum"),
        Some(Timeout::After(duration)) => {
            let _ = write!(head, " t={duration:?}");
        }
    }
    if cell.reset {
        head.push_str(" reset");
    }
    let mut lines = vec![head];
    if !cell.code.is_empty() {
        lines.extend(
            cell.code.split('\n').zip(cell.line..).map(|(line, number)| format!("   {number:>2} {}", visible(line))),
        );
    }
    lines
}
