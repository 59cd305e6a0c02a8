//! `tree`: a folder, drawn.

use std::fs;
use std::path::Path;

use serde_json::json;
use walkdir::{DirEntry, WalkDir};

use super::arguments::Arguments;
use super::path::{shown, system_error};
use super::{HelperError, Outcome};
use crate::limits::TREE_MAX_ENTRIES;

const DEFAULT_DEPTH: u64 = 3;

struct Row {
    depth: usize,
    text: String,
}

pub(super) fn tree(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let (given, path) = match arguments.path("path")? {
        Some(found) => found,
        None => (".".to_owned(), arguments.cwd.clone()),
    };
    let depth = arguments.whole("max_depth", 0)?.unwrap_or(DEFAULT_DEPTH);
    let hidden = arguments.flag("show_hidden")?;
    let metadata = fs::metadata(&path).map_err(|error| system_error(&given, &error))?;
    if !metadata.is_dir() {
        return Err(HelperError::failed(format!("not a folder: {given}")));
    }
    let (rows, more) = rows_of(&path, usize::try_from(depth).unwrap_or(usize::MAX), hidden)?;
    let status = json!({ "op": "tree", "path": shown(&path), "entries": rows.len(), "truncated": more });
    let mut text = format!("{}/", printable(given.trim_end_matches(std::path::is_separator)));
    draw(&rows, &mut text);
    if more {
        text.push_str(&format!("\n… more than {TREE_MAX_ENTRIES} entries"));
    }
    Outcome::new(&text, status)
}

/// Entries in order: folders first, then by name in code point order. Links are shown and never followed.
fn rows_of(path: &Path, depth: usize, hidden: bool) -> Result<(Vec<Row>, bool), HelperError> {
    let mut rows: Vec<Row> = Vec::new();
    if depth == 0 {
        return Ok((rows, false));
    }
    let walk = WalkDir::new(path).min_depth(1).max_depth(depth).sort_by(|a, b| {
        b.file_type().is_dir().cmp(&a.file_type().is_dir()).then_with(|| a.file_name().cmp(b.file_name()))
    });
    let shown =
        |entry: &DirEntry| hidden || entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
    for found in walk.into_iter().filter_entry(shown) {
        match found {
            Ok(_) if rows.len() == TREE_MAX_ENTRIES => return Ok((rows, true)),
            Ok(entry) => rows.push(Row { depth: entry.depth(), text: label(&entry) }),
            // The folder's own row came just before: it exists, but cannot be listed.
            Err(error) if error.depth() == 0 => return Err(HelperError::failed("the folder cannot be listed")),
            // The folder's own row came just before: it exists, but cannot be listed.
            Err(error) => {
                if let Some(row) = rows.last_mut().filter(|row| row.depth == error.depth()) {
                    row.text.push_str(" [unreadable]");
                }
            }
        }
    }
    Ok((rows, false))
}

fn label(entry: &DirEntry) -> String {
    let name = printable(&entry.file_name().to_string_lossy());
    if entry.file_type().is_dir() {
        return format!("{name}/");
    }
    if entry.path_is_symlink() {
        let target = fs::read_link(entry.path()).map(|target| printable(&target.to_string_lossy()));
        return format!("{name} -> {}", target.unwrap_or_else(|_| "?".to_owned()));
    }
    name
}

/// A name on one line: control characters as escapes.
fn printable(name: &str) -> String {
    name.chars()
        .map(
            |character| {
                if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
            },
        )
        .collect()
}

fn draw(rows: &[Row], text: &mut String) {
    // From the end: whether a later sibling exists on each level.
    let mut later: Vec<bool> = Vec::new();
    let mut drawn: Vec<String> = Vec::with_capacity(rows.len());
    for row in rows.iter().rev() {
        later.resize(row.depth + 1, false);
        let rails: String = later[1..row.depth].iter().map(|more| if *more { "│   " } else { "    " }).collect();
        let branch = if later[row.depth] { "├── " } else { "└── " };
        drawn.push(format!("\n{rails}{branch}{}", row.text));
        later[row.depth] = true;
    }
    text.extend(drawn.into_iter().rev());
}
