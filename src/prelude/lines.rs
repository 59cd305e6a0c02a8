//! `sort` and `uniq`: text by lines.
//!
//! A line ends with `\n` or `\r\n`; both are gone from what is returned, which is joined with `\n` and has no last one.

use serde_json::json;

use super::arguments::Arguments;
use super::{HelperError, Outcome};

/// The lines of a text. The empty text has none.
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    text.lines().collect()
}

pub(super) fn sort(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let text = arguments.required_text("text")?;
    let (reverse, unique) = (arguments.flag("reverse")?, arguments.flag("unique")?);
    let mut lines = lines_of(&text);
    // Order of UTF-8 bytes is order of code points: the same in every locale and language.
    lines.sort_unstable();
    if unique {
        lines.dedup();
    }
    if reverse {
        lines.reverse();
    }
    let status = json!({ "op": "sort", "lines": lines.len(), "reverse": reverse, "unique": unique });
    Outcome::new(&lines.join("\n"), status)
}

pub(super) fn uniq(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let text = arguments.required_text("text")?;
    let count = arguments.flag("count")?;
    let mut groups: Vec<(u64, &str)> = Vec::new();
    let mut total: u64 = 0;
    for line in lines_of(&text) {
        total += 1;
        match groups.last_mut() {
            Some((count, last)) if *last == line => *count += 1,
            _ => groups.push((1, line)),
        }
    }
    let status = json!({ "op": "uniq", "lines": total, "groups": groups.len() });
    if count {
        return Outcome::new(&groups, status);
    }
    let lines: Vec<&str> = groups.into_iter().map(|(_, line)| line).collect();
    Outcome::new(&lines.join("\n"), status)
}
