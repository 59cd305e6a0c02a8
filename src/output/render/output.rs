//! The output of one cell: text, markdown, and the JSON it displayed as trees.

use crate::limits::{MAX_DISPLAY_CHARACTERS, PREVIEW_LINES};
use crate::output::messages;
use crate::output::result::{CellResult, Json};

use super::RenderOptions;
use super::lines::{clean, cut, head, wrap};
use super::markdown::markdown;
use super::tree::{tree, value_end};

/// A stretch of the output.
enum Part<'a> {
    Text(&'a str),
    Json { name: &'a str, value: &'a str },
}

/// The lines of a cell's output, a preview unless expanded. `json_outputs` are those of the call.
pub(super) fn output_lines(
    cell: &CellResult,
    json_outputs: &[Json],
    options: &RenderOptions,
    width: usize,
) -> Vec<String> {
    let paint = options.paint();
    let mut lines = Vec::new();
    // A tree or a page of markdown is read from its start, printed output from its end.
    let mut from_start = cell.has_markdown || cell.value.is_some();
    for part in parts(&cell.output, json_outputs) {
        match part {
            Part::Json { name, value } => {
                from_start = true;
                lines.extend(tree(name, value, options, width));
            }
            Part::Text(text) if cell.has_markdown => lines.extend(markdown(text, width, paint)),
            Part::Text(text) => {
                for line in text.split('\n') {
                    let line = clean(line, options.color);
                    match options.expanded {
                        true => lines.extend(wrap(&line, width)),
                        false => lines.push(cut(&line, width)),
                    }
                }
            }
        }
    }
    if let Some(value) = &cell.value {
        lines.extend(tree("value", value.get(), options, width));
    }
    if options.expanded || lines.len() <= PREVIEW_LINES {
        return lines;
    }
    if from_start {
        let (mut lines, hidden) = head(lines, PREVIEW_LINES);
        lines.push(paint.dim(&messages::more_lines(hidden as u64)));
        return lines;
    }
    let hidden = lines.len() - PREVIEW_LINES;
    let mut shown = vec![paint.dim(&messages::earlier_lines(hidden as u64))];
    shown.extend(lines.split_off(hidden));
    shown
}

/// Finds the `display[k]:` blocks whose JSON is whole, in the text or in the JSON outputs.
fn parts<'a>(output: &'a str, json_outputs: &'a [Json]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let mut text_start = 0;
    let mut line_start = 0;
    while line_start < output.len() {
        let line_end = output[line_start..].find('\n').map_or(output.len(), |end| line_start + end);
        let heading = &output[line_start..line_end];
        let block = display_number(heading).and_then(|number| {
            let json_start = (line_end + 1).min(output.len());
            let shown = json_outputs.get(number.checked_sub(1)?);
            block(output, json_start, shown)
        });
        let Some((value, end)) = block else {
            line_start = line_end + 1;
            continue;
        };
        if text_start < line_start {
            parts.push(Part::Text(&output[text_start..line_start - 1]));
        }
        parts.push(Part::Json { name: heading.trim_end_matches(':'), value });
        line_start = end;
        text_start = end;
    }
    if text_start < output.len() {
        parts.push(Part::Text(&output[text_start..]));
    }
    parts
}

fn display_number(line: &str) -> Option<usize> {
    line.strip_prefix("display[")?.strip_suffix("]:")?.parse().ok()
}

/// The value of a block, and where the next line after it begins.
fn block<'a>(output: &'a str, start: usize, shown: Option<&'a Json>) -> Option<(&'a str, usize)> {
    let after_line = |place: usize| output[place..].find('\n').map_or(output.len(), |end| place + end + 1);
    if let Some(end) = value_end(output, start)
        && matches!(output.as_bytes().get(end), None | Some(b'\n'))
    {
        return Some((&output[start..end], after_line(end)));
    }
    // Cut in the middle: the value itself is in the details, and the note ends the block.
    let cut = output[start..].char_indices().nth(MAX_DISPLAY_CHARACTERS).map(|(place, _)| start + place)?;
    let note = output[cut..].strip_prefix("\n… (")?;
    Some((shown?.get(), after_line(output.len() - note.len())))
}
