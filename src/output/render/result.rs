//! The result view: each cell with status, duration and output, then images and notices.

use std::time::Duration;

use crate::kernel::contract::State;
use crate::output::messages;
use crate::output::result::{CellFailure, CellResult, CellStatus, Content, EvalResult, FailureKind, ImageBlock};

use super::lines::{clean, cut, wrap};
use super::output::output_lines;
use super::paint::Style;
use super::{INDENT, RenderOptions};

/// Renders a result given as JSON text. What is no result is shown as text: a view never fails.
pub fn render_result_json(json: &str, options: &RenderOptions) -> Vec<String> {
    match serde_json::from_str::<EvalResult>(json) {
        Ok(result) => render_result(&result, options),
        Err(_) => {
            text_content(json).split('\n').map(|line| cut(&clean(line, options.color), options.width())).collect()
        }
    }
}

/// The text blocks of something that has the content of a result and not its details.
fn text_content(json: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Bare {
        content: Vec<Content>,
    }
    let Ok(bare) = serde_json::from_str::<Bare>(json) else { return String::new() };
    let texts = bare.content.into_iter().filter_map(|content| match content {
        Content::Text(block) => Some(block.text),
        Content::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The lines of a result, partial or final.
pub fn render_result(result: &EvalResult, options: &RenderOptions) -> Vec<String> {
    let details = &result.details;
    let paint = options.paint();
    let mut lines = Vec::new();
    let of = details.cells.len();
    for cell in &details.cells {
        lines.push(cut(&heading(cell, of, options), options.width()));
        let inner = options.width() - INDENT.len();
        let mut body = output_lines(cell, &details.json_outputs, options, inner);
        if let Some(failure) = &cell.failure {
            let shown: Vec<String> = failure_lines(cell, failure, options);
            body.extend(shown.iter().flat_map(|line| wrap(line, inner)));
        } else if body.is_empty() && cell.status == CellStatus::Complete && details.images.is_empty() {
            body.push(paint.dim(messages::NO_OUTPUT));
        }
        lines.extend(body.into_iter().map(|line| if line.is_empty() { line } else { format!("{INDENT}{line}") }));
    }
    for (place, image) in details.images.iter().enumerate() {
        lines.push(cut(&paint.apply(Style::Blue, &image_line(place + 1, image)), options.width()));
    }
    let truncation = details
        .meta
        .as_ref()
        .and_then(|meta| meta.truncation.as_ref())
        .map(|truncation| messages::truncated(truncation, false));
    let notices = details.notice.iter().flat_map(|notice| notice.split('\n')).map(str::to_owned);
    for notice in notices.chain(truncation) {
        lines.extend(wrap(&paint.dim(&clean(&notice, false)), options.width()));
    }
    lines
}

fn heading(cell: &CellResult, of: usize, options: &RenderOptions) -> String {
    let paint = options.paint();
    let mark = match cell.status {
        CellStatus::Pending => paint.dim("○"),
        CellStatus::Running => paint.apply(Style::Yellow, "●"),
        CellStatus::Complete => paint.apply(Style::Green, "✓"),
        CellStatus::Error => paint.apply(Style::Red, "✗"),
    };
    let title = cell.title.as_deref().map(|title| clean(title, false));
    let name = match (of, title) {
        (0 | 1, None) => "cell".to_owned(),
        (0 | 1, Some(title)) => title,
        (_, title) => messages::cell_heading(cell.index + 1, of, title.as_deref()),
    };
    let mut facts = vec![cell.language.title().to_owned()];
    match cell.status {
        CellStatus::Pending => facts.push("pending".into()),
        CellStatus::Running => facts.push("running".into()),
        CellStatus::Complete | CellStatus::Error => {}
    }
    facts.extend(cell.duration_ms.map(|time| messages::duration(Duration::from_millis(time))));
    if cell.state == State::Lost {
        facts.push("state lost".into());
    }
    format!("{mark} {} {}", paint.bold(&name), paint.dim(&format!("· {}", facts.join(" · "))))
}

fn failure_lines(cell: &CellResult, failure: &CellFailure, options: &RenderOptions) -> Vec<String> {
    let paint = options.paint();
    let red = |text: &str| paint.apply(Style::Red, &clean(text, false));
    let mut lines = Vec::new();
    if !failure.not_reached.is_empty() && cell.state == State::Kept {
        lines.push(paint.dim(&clean(&messages::not_updated(&failure.not_reached), false)));
    }
    match failure.kind {
        FailureKind::Timeout | FailureKind::Abort => {
            lines.push(paint.apply(Style::Yellow, &clean(&failure.message, false)));
        }
        // The traceback is in the output already.
        FailureKind::Exception | FailureKind::Syntax | FailureKind::Stdin if !cell.output.is_empty() => {
            lines.push(red(&messages::exit_code_line(cell.exit_code.unwrap_or(1))));
        }
        FailureKind::Exit => lines.push(red(&messages::exit_code_line(cell.exit_code.unwrap_or(1)))),
        _ => lines.extend(failure.message.split('\n').map(red)),
    }
    lines
}

/// `image-1.png (12.3 KB, 640 × 480)`
fn image_line(number: usize, image: &ImageBlock) -> String {
    let bytes = messages::byte_size(image.byte_size() as u64);
    let extension = crate::output::details::extension(&image.image.mime_type);
    let size = png_size(image).map(|(width, height)| format!(", {width} × {height}")).unwrap_or_default();
    format!("image-{number}.{extension} ({bytes}{size})")
}

/// Width and height from the header of a PNG.
fn png_size(image: &ImageBlock) -> Option<(u32, u32)> {
    use base64::Engine;
    let head = image.image.data.get(..32)?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(head).ok()?;
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return None;
    }
    let number = |from: usize| Some(u32::from_be_bytes(bytes.get(from..from + 4)?.try_into().ok()?));
    Some((number(16)?, number(20)?))
}
