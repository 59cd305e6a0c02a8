//! `output`: results of other agents of the host session, `<artifacts>/<id>.md`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use serde_json::value::RawValue;

use super::arguments::{Arguments, kind_of};
use super::files::read_lines;
use super::path::shown;
use super::query::run_query;
use super::{HelperContext, HelperError, Outcome, text_of};
use crate::json::quote;

/// How many names an error lists.
const MAX_LISTED: usize = 50;

enum Format {
    Raw,
    Stripped,
    Json,
}

pub(super) fn output(arguments: &mut Arguments, context: &HelperContext) -> Result<Outcome, HelperError> {
    let format = match arguments.text("format")?.as_deref() {
        None | Some("raw") => Format::Raw,
        Some("stripped") => Format::Stripped,
        Some("json") => Format::Json,
        Some(other) => {
            return Err(HelperError::argument(format!("unknown format `{other}`; expected raw, stripped or json")));
        }
    };
    let query = arguments.text("query")?;
    let (offset, limit) = (arguments.whole("offset", 1)?, arguments.whole("limit", 0)?);
    if query.is_some() && (offset.is_some() || limit.is_some()) {
        return Err(HelperError::argument("`query` cannot be combined with `offset` and `limit`"));
    }
    let folder = folder_of(arguments, context)?;
    let ids = ids_of(&arguments.rest, &folder)?;
    let mut results = Vec::new();
    let mut total = 0;
    for id in &ids {
        let path = folder.join(format!("{id}.md"));
        if !path.is_file() {
            return Err(HelperError::missing(format!("no output `{id}`; {}", available(&folder))));
        }
        let bytes = read_lines(&path, &shown(&path), offset.unwrap_or(1), limit)?;
        total += bytes.len();
        let content = String::from_utf8_lossy(&bytes);
        let content = if matches!(format, Format::Stripped) { strip_ansi(&content) } else { content.into_owned() };
        let (name, value) = match &query {
            Some(query) => (
                "data",
                run_query(&content, query).map_err(|problem| HelperError::failed(format!("`{id}`: {problem}")))?,
            ),
            None => ("content", quote(&content)),
        };
        results.push(match format {
            Format::Json => {
                let (lines, characters) = (content.lines().count(), content.chars().count());
                format!(
                    r#"{{"id":{},"path":{},"line_count":{lines},"char_count":{characters},"{name}":{value}}}"#,
                    quote(id),
                    quote(&shown(&path))
                )
            }
            _ if ids.len() > 1 => format!(r#"{{"id":{},"{name}":{value}}}"#, quote(id)),
            _ => value,
        });
    }
    let result = if ids.len() > 1 { format!("[{}]", results.join(",")) } else { results.concat() };
    Ok(Outcome { result, status: json!({ "op": "output", "ids": ids, "bytes": total }) })
}

/// The folder of the host session's outputs: named, or the session file without its extension.
fn folder_of(arguments: &Arguments, context: &HelperContext) -> Result<PathBuf, HelperError> {
    let given =
        |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).map(|text| arguments.join(text));
    if let Some(folder) = given(&arguments.artifacts_dir) {
        return Ok(folder);
    }
    given(&arguments.session_file)
        .or_else(|| context.session_file.as_ref().map(|file| context.cwd.join(file)))
        .map(|file| file.with_extension(""))
        .ok_or_else(|| {
            HelperError::failed("there is no host session: PI_ARTIFACTS_DIR and PI_SESSION_FILE are not set")
        })
}

fn ids_of(rest: &[Box<RawValue>], folder: &Path) -> Result<Vec<String>, HelperError> {
    if rest.is_empty() {
        return Err(HelperError::argument(format!("at least one id is needed; {}", available(folder))));
    }
    rest.iter()
        .map(|raw| {
            let id = match text_of(raw) {
                Some(text) => text.trim_end_matches(".md").to_owned(),
                None if raw.get().bytes().all(|byte| byte.is_ascii_digit()) => raw.get().to_owned(),
                None => {
                    return Err(HelperError::argument(format!("an id must be a string, not {}", kind_of(raw.get()))));
                }
            };
            // An id is a name, never a way out of the folder.
            if id.is_empty() || id.starts_with('.') || id.contains(['/', '\\', '\0']) {
                return Err(HelperError::argument(format!("`{id}` is not an id; {}", available(folder))));
            }
            Ok(id)
        })
        .collect()
}

fn available(folder: &Path) -> String {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().strip_suffix(".md").map(str::to_owned))
        .filter(|name| !name.is_empty() && !name.starts_with('.'))
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        return "none is available".to_owned();
    }
    let hidden = names.len().saturating_sub(MAX_LISTED);
    names.truncate(MAX_LISTED);
    let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
    format!("available: {}{more}", names.join(", "))
}

/// Text without ANSI escape sequences.
fn strip_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            out.push(character);
            continue;
        }
        match characters.next() {
            // CSI: parameters, then one final byte.
            Some('[') => while characters.next().is_some_and(|next| !('@'..='~').contains(&next)) {},
            // OSC, DCS and their like: up to BEL or ESC \.
            Some(']' | 'P' | '_' | '^' | 'X') => {
                while let Some(next) = characters.next() {
                    if next == '\u{7}' || (next == '\u{1b}' && characters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            // Two or three characters.
            Some(' '..='/') => {
                characters.next();
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::strip_ansi;

    #[test]
    fn escape_sequences_go_and_text_stays() {
        assert_eq!(
            strip_ansi("\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\ ü\u{1b}(B!\u{1b}"),
            "red link ü!"
        );
    }
}
