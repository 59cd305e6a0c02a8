//! `diff`: a unified diff of two files or two texts.

use std::path::Path;

use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::arguments::Arguments;
use super::files::read_lines;
use super::path::resolve;
use super::{HelperError, Outcome};
use crate::limits::DIFF_EFFORT;

/// One side: what it is called, and its text.
struct Side {
    label: String,
    text: String,
}

pub(super) fn diff(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let (a, b) = (arguments.required_text("a")?, arguments.required_text("b")?);
    let neither = !is_file(&arguments.cwd, &a) && !is_file(&arguments.cwd, &b);
    let a = side(&arguments.cwd, a, "a", neither)?;
    let b = side(&arguments.cwd, b, "b", neither)?;
    let diff = TextDiff::configure().timeout(DIFF_EFFORT).diff_lines(&a.text, &b.text);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let status = json!({
        "op": "diff", "a": a.label, "b": b.label, "added": count(ChangeTag::Insert), "removed": count(ChangeTag::Delete),
    });
    let text = diff.unified_diff().context_radius(3).header(&a.label, &b.label).to_string();
    Outcome::new(&text, status)
}

fn is_file(cwd: &Path, given: &str) -> bool {
    !given.is_empty() && !given.contains(['\n', '\0']) && cwd.join(given).exists()
}

/// An argument that names an existing file is that file. Otherwise it is text, unless it can only have been meant as the
/// name of a file: it has no line break, and the other side is a file or it looks like a path.
fn side(cwd: &Path, given: String, name: &str, neither_is_file: bool) -> Result<Side, HelperError> {
    if is_file(cwd, &given) {
        let bytes = read_lines(&resolve(cwd, &given)?, &given, 1, None)?;
        return Ok(Side { label: given, text: String::from_utf8_lossy(&bytes).into_owned() });
    }
    let one_line = !given.is_empty() && !given.contains('\n');
    if one_line && (!neither_is_file || looks_like_path(&given)) {
        // Also says what is wrong with a path that can name no file.
        resolve(cwd, &given)?;
        return Err(HelperError::missing(format!(
            "no such file or folder: {given} (arguments are names of files, or texts of several lines)"
        )));
    }
    Ok(Side { label: name.to_owned(), text: given })
}

/// `notes.txt`, `src/main`, `skill://x`; not `some words`.
fn looks_like_path(given: &str) -> bool {
    if given.contains(char::is_whitespace) {
        return false;
    }
    let extension = given.rsplit_once('.').map(|(stem, extension)| !stem.is_empty() && is_extension(extension));
    given.contains(['/', '\\']) || extension == Some(true)
}

fn is_extension(text: &str) -> bool {
    (1..=8).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}
