//! Puts the parts of a finished call together.

use crate::language::Language;
use crate::output::{CellResult, Content, EvalResult, EvalToolDetails, FinishedOutput, Meta, TextBlock};

/// Details around the rows: languages in first-use order.
pub fn details(cells: Vec<CellResult>) -> EvalToolDetails {
    let mut languages: Vec<Language> = Vec::new();
    for cell in &cells {
        if !languages.contains(&cell.language) {
            languages.push(cell.language);
        }
    }
    let language = languages.first().copied().unwrap_or(Language::Python);
    EvalToolDetails::new(cells, language, languages)
}

/// The whole result; `text` is the finished text block.
pub fn whole(
    text: String,
    cells: Vec<CellResult>,
    finished: FinishedOutput,
    notice: Option<String>,
    is_error: bool,
) -> EvalResult {
    let mut content = vec![Content::Text(TextBlock { text })];
    let visible = finished.details.images.iter().filter(|image| image.is_content());
    content.extend(visible.map(|image| Content::Image(image.image.clone())));
    let mut details = details(cells);
    details.json_outputs = finished.details.json_outputs;
    details.images = finished.details.images;
    details.status_events = finished.details.status_events;
    details.notice = notice;
    details.meta = finished.truncation.map(|truncation| Meta { truncation: Some(truncation) });
    details.is_error = is_error;
    EvalResult { content, details }
}
