//! A small part of jq for `output(query=…)`: `.a.b`, `."key"`, `["key"]`, `[0]`, `[-1]`, `[1:3]`, `[]`, `| keys`,
//! `| length`. Works on JSON text, so that numbers keep their digits and depth does not matter.

use serde_json::value::RawValue;

use super::arguments::kind_of;
use super::request::Members;
use crate::json::{is_json, quote, repair_surrogates, string_value};

#[derive(Debug, Eq, PartialEq)]
enum Step {
    Key(String),
    Index(i64),
    Slice(Option<i64>, Option<i64>),
    Each,
    Keys,
    Length,
}

/// JSON text of what `query` finds in `content`, which is JSON, alone or in one code fence.
pub(super) fn run_query(content: &str, query: &str) -> Result<String, String> {
    let steps = parse(query)?;
    let text = repair_surrogates(unfenced(content.trim())).into_owned();
    if !is_json(&text) {
        return Err("the output is not JSON, so `query` cannot look into it".to_owned());
    }
    let many = steps.contains(&Step::Each);
    let mut values = vec![text];
    for step in &steps {
        let mut next = Vec::new();
        for value in &values {
            apply(step, value, &mut next)?;
        }
        values = next;
    }
    if many { Ok(format!("[{}]", values.join(","))) } else { Ok(values.concat()) }
}

fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((_, body)) => body.trim(),
        None => text,
    }
}

fn apply(step: &Step, value: &str, out: &mut Vec<String>) -> Result<(), String> {
    let value = value.trim();
    let found = match (step, value.as_bytes().first()) {
        (Step::Key(key), Some(b'{')) => {
            members(value)?.into_iter().rev().find(|(name, _)| name == key).map(|(_, found)| found)
        }
        (Step::Index(index), Some(b'[')) => {
            let mut items = items(value)?;
            place(*index, items.len()).filter(|place| *place < items.len()).map(|place| items.swap_remove(place))
        }
        (Step::Slice(from, to), Some(b'[')) => {
            let items = items(value)?;
            let from = from.map_or(0, |from| place(from, items.len()).unwrap_or(0)).min(items.len());
            let to = to.map_or(items.len(), |to| place(to, items.len()).unwrap_or(0)).min(items.len());
            Some(format!("[{}]", items[from..to.max(from)].join(",")))
        }
        (Step::Each, Some(b'[')) => {
            out.extend(items(value)?);
            return Ok(());
        }
        (Step::Each, Some(b'{')) => {
            out.extend(members(value)?.into_iter().map(|(_, found)| found));
            return Ok(());
        }
        (Step::Keys, Some(b'{')) => {
            let mut keys: Vec<String> = members(value)?.into_iter().map(|(key, _)| key).collect();
            keys.sort_unstable();
            let keys: Vec<String> = keys.iter().map(|key| quote(key)).collect();
            Some(format!("[{}]", keys.join(",")))
        }
        (Step::Length, Some(b'{')) => Some(members(value)?.len().to_string()),
        (Step::Length, Some(b'[')) => Some(items(value)?.len().to_string()),
        (Step::Length, Some(b'"')) => Some(string_value(value).chars().count().to_string()),
        (Step::Length, Some(b'n')) => Some("0".to_owned()),
        // As in jq, what is not there is null, and null has every member.
        (Step::Key(_) | Step::Index(_) | Step::Slice(..), Some(b'n')) => None,
        (step, _) => return Err(format!("the query asks for {} of {}", wanted(step), kind_of(value))),
    };
    out.push(found.unwrap_or_else(|| "null".to_owned()));
    Ok(())
}

fn wanted(step: &Step) -> String {
    match step {
        Step::Key(key) => format!("member `{key}`"),
        Step::Index(index) => format!("element {index}"),
        Step::Slice(..) => "elements".to_owned(),
        Step::Each => "the values".to_owned(),
        Step::Keys => "the keys".to_owned(),
        Step::Length => "the length".to_owned(),
    }
}

fn place(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let place = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(place).ok()
}

fn members(value: &str) -> Result<Vec<(String, String)>, String> {
    let Members(members) = serde_json::from_str(value).map_err(|error| error.to_string())?;
    Ok(members.into_iter().map(|(key, found)| (key, String::from(Box::<str>::from(found)))).collect())
}

fn items(value: &str) -> Result<Vec<String>, String> {
    let items: Vec<Box<RawValue>> = serde_json::from_str(value).map_err(|error| error.to_string())?;
    Ok(items.into_iter().map(|found| String::from(Box::<str>::from(found))).collect())
}

fn parse(query: &str) -> Result<Vec<Step>, String> {
    let unclear = |rest: &str| {
        format!(
            "the query `{query}` is not understood at `{rest}`; it may hold .key, [\"key\"], [0], [1:3], [], | keys, | length"
        )
    };
    let mut steps = Vec::new();
    let mut rest = query.trim();
    while !rest.is_empty() {
        rest = if let Some(after) = rest.strip_prefix('[') {
            let (step, after) = bracket(after).ok_or_else(|| unclear(rest))?;
            steps.push(step);
            after
        } else if let Some(after) = rest.strip_prefix('|') {
            after.trim_start()
        } else if let Some(after) = rest.strip_prefix('.') {
            if after.starts_with('"') {
                let end = string_end(after).ok_or_else(|| unclear(rest))?;
                steps.push(Step::Key(string_value(&after[..end])));
                &after[end..]
            } else {
                let end = after.find(['.', '[', '|', ' ', ']', '"']).unwrap_or(after.len());
                if end > 0 {
                    steps.push(Step::Key(after[..end].to_owned()));
                }
                &after[end..]
            }
        } else if let Some(after) = rest.strip_prefix("keys") {
            steps.push(Step::Keys);
            after
        } else if let Some(after) = rest.strip_prefix("length") {
            steps.push(Step::Length);
            after
        } else {
            return Err(unclear(rest));
        };
        rest = rest.trim_start();
    }
    Ok(steps)
}

/// What stands between brackets, and what follows them.
fn bracket(after: &str) -> Option<(Step, &str)> {
    let after = after.trim_start();
    if after.starts_with('"') {
        let end = string_end(after)?;
        let rest = after[end..].trim_start().strip_prefix(']')?;
        return Some((Step::Key(string_value(&after[..end])), rest));
    }
    let (inner, rest) = after.split_once(']')?;
    let number = |text: &str| -> Option<Option<i64>> {
        let text = text.trim();
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    };
    let step = match inner.split_once(':') {
        Some((from, to)) => Step::Slice(number(from)?, number(to)?),
        None => number(inner)?.map_or(Step::Each, Step::Index),
    };
    Some((step, rest))
}

/// Where the JSON string at the start of `text` ends.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends.then_some(at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::run_query;

    const TEXT: &str =
        r#"{"a": {"b": [1, 2.50, 1152921504606846976]}, "my key": "x", "list": [{"n": 1}, {"n": 2}, {}]}"#;

    #[test]
    fn paths_find_what_jq_finds() {
        for (query, expected) in [
            (".", TEXT),
            (".a.b[0]", "1"),
            (".a.b[-1]", "1152921504606846976"),
            (".a.b[1:]", "[2.50,1152921504606846976]"),
            (".a.b[:-1]", "[1,2.50]"),
            (".a.b[9]", "null"),
            (".\"my key\"", "\"x\""),
            (".[\"my key\"]", "\"x\""),
            (".list[].n", "[1,2,null]"),
            (".list | length", "3"),
            (". | keys", "[\"a\",\"list\",\"my key\"]"),
            (".nope.deeper", "null"),
            ("", TEXT),
        ] {
            assert_eq!(run_query(TEXT, query).as_deref(), Ok(expected), "{query}");
        }
        assert_eq!(run_query("```json\n{\"a\":1}\n```", ".a").as_deref(), Ok("1"));
    }

    #[test]
    fn a_query_that_cannot_be_answered_says_why() {
        for query in ["a", ".a[", ".a[x]", ".list.n", ".a.b.c", ".[\"a", "keys2x"] {
            assert!(run_query(TEXT, query).is_err(), "{query}");
        }
        assert!(run_query("# prose", ".a").unwrap_err().contains("not JSON"));
    }
}
