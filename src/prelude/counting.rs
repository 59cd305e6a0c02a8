//! `counter`: how often each item occurs.

use std::collections::HashMap;

use serde_json::json;
use serde_json::value::RawValue;

use super::arguments::Arguments;
use super::lines::lines_of;
use super::{HelperError, Outcome, text_of};
use crate::json::quote;

pub(super) fn counter(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let items = items_of(arguments)?;
    let limit = arguments.whole("limit", 0)?;
    let reverse = arguments.flag("reverse")?;
    let total = items.len();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut counts: Vec<(u64, Box<RawValue>)> = Vec::new();
    for item in items {
        let place = *places.entry(key_of(&item)).or_insert(counts.len());
        match counts.get_mut(place) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, item)),
        }
    }
    let unique = counts.len();
    // Stable: among equal counts the item that came first stays first.
    if reverse {
        counts.sort_by_key(|(count, _)| *count);
    } else {
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    }
    counts.truncate(usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX));
    Outcome::new(&counts, json!({ "op": "counter", "total": total, "unique": unique }))
}

/// The items as JSON text: elements of an array, or the lines of a text.
fn items_of(arguments: &mut Arguments) -> Result<Vec<Box<RawValue>>, HelperError> {
    let Some(raw) = arguments.take("items") else { return Ok(Vec::new()) };
    if let Some(text) = text_of(&raw) {
        let lines = lines_of(&text).into_iter().map(|line| RawValue::from_string(quote(line)));
        return lines.collect::<Result<_, _>>().map_err(|error| HelperError::failed(error.to_string()));
    }
    serde_json::from_str(raw.get()).map_err(|_| arguments.wrong("items", "text or an array", &raw))
}

/// What makes two items equal: strings by their characters, numbers by their value, everything else by its text.
fn key_of(item: &RawValue) -> String {
    if let Some(text) = text_of(item) {
        return format!("s{text}");
    }
    match item.get().parse::<f64>() {
        Ok(value) => format!("n{value}"),
        Err(_) => format!("j{}", item.get()),
    }
}
