//! `EvalInput`: `{ input }` or `{ cells }`.

use serde_json::{Map, Value};

use super::cell::{LanguageOrigin, ParsedCell, ParsedEvalInput};
use super::fence::single_block;
use super::parse::parse;
use super::timeout::Timeout;
use crate::error::EvalError;
use crate::language::Language;
use crate::options::describe;

/// What the host's shell sends for a value that JSON has no form for, e.g. `{"$kind": "function"}`.
const KIND: &str = "$kind";

const CELL_FIELDS: [&str; 6] = ["language", "code", "title", "timeout", "reset", "returns"];

/// Checks the parameters of a call and gives its cells. Values that JSON has no form for stand as `{"$kind": "NaN"}`;
/// a field whose kind is `undefined` counts as left out.
///
/// # Errors
/// `EVAL_INVALID_ARGUMENT`, naming the place and what belongs there; `EVAL_PARSE` for what [`parse`] refuses.
pub fn input_from_json(value: &Value) -> Result<ParsedEvalInput, EvalError> {
    let Some(map) = object(value) else {
        return Err(EvalError::invalid(format!(
            "The parameters must be an object with `input` or `cells`, not {}.",
            describe(value)
        )));
    };
    if let Some(unknown) = unknown(map, &["input", "cells"]) {
        return Err(EvalError::invalid(format!("Unknown parameter `{unknown}`; send either `input` or `cells`.")));
    }
    match (field(map, "input"), field(map, "cells")) {
        (Some(_), Some(_)) => Err(EvalError::invalid("Both `input` and `cells` were given; send one of them.")),
        (None, None) => Err(EvalError::invalid("Neither `input` nor `cells` was given; send one of them.")),
        (Some(Value::String(text)), None) => parse(text),
        (Some(other), None) => Err(wrong("input", "a string of cell text", other)),
        (None, Some(Value::Array(items))) if items.is_empty() => {
            Err(EvalError::invalid("`cells` is empty; send at least one cell."))
        }
        (None, Some(Value::Array(items))) => {
            let cells = items.iter().enumerate().map(|(index, item)| cell(index, item)).collect::<Result<_, _>>()?;
            Ok(ParsedEvalInput { cells, ..ParsedEvalInput::default() })
        }
        (None, Some(other)) => Err(wrong("cells", "an array of cells", other)),
    }
}

fn cell(index: usize, item: &Value) -> Result<ParsedCell, EvalError> {
    let place = format!("cells[{index}]");
    let at = |name: &str| format!("{place}.{name}");
    let Some(map) = object(item) else {
        return Err(wrong(&place, "an object with `language` and `code`", item));
    };
    if let Some(unknown) = unknown(map, &CELL_FIELDS) {
        return Err(EvalError::invalid(format!(
            "Unknown field `{place}.{unknown}`; a cell takes {}.",
            CELL_FIELDS.join(", ")
        )));
    }
    let language = match field(map, "language") {
        None => return Err(EvalError::invalid(format!("`{}` is missing; name \"py\" or \"js\".", at("language")))),
        Some(value) => value
            .as_str()
            .and_then(Language::from_name)
            .ok_or_else(|| wrong(&at("language"), "\"py\" or \"js\" (also \"ts\")", value))?,
    };
    let code = match field(map, "code") {
        None => return Err(EvalError::invalid(format!("`{}` is missing; send the source to run.", at("code")))),
        Some(Value::String(code)) => data_code(code),
        Some(other) => return Err(wrong(&at("code"), "a string", other)),
    };
    let title = match field(map, "title") {
        None => None,
        Some(Value::String(title)) => one_line(title),
        Some(other) => return Err(wrong(&at("title"), "a string", other)),
    };
    let timeout = match field(map, "timeout") {
        None => None,
        Some(value) => Some(seconds(value).and_then(Timeout::from_seconds).ok_or_else(|| {
            wrong(&at("timeout"), "a number of seconds of at least 0 (0 is the host's maximum)", value)
        })?),
    };
    let reset = match field(map, "reset") {
        None => false,
        Some(Value::Bool(reset)) => *reset,
        Some(other) => return Err(wrong(&at("reset"), "true or false", other)),
    };
    let returns_json = match field(map, "returns") {
        None => false,
        Some(Value::String(returns)) if returns == "json" => true,
        Some(other) => return Err(wrong(&at("returns"), "\"json\" or left out", other)),
    };
    Ok(ParsedCell {
        index,
        title,
        code,
        language,
        language_origin: LanguageOrigin::Header,
        timeout,
        reset,
        returns_json,
        line: 1,
    })
}

/// Code that comes as data is not touched, but for a fence around all of it, which is code in no language.
fn data_code(code: &str) -> String {
    let code = code.strip_prefix('\u{feff}').unwrap_or(code);
    match single_block(code.trim_end()) {
        Some(block) if !block.unclosed => block.inner.to_owned(),
        _ => code.to_owned(),
    }
}

/// Infinity is a number of seconds as good as any huge one.
fn seconds(value: &Value) -> Option<f64> {
    let infinite = value.get(KIND).and_then(Value::as_str) == Some("Infinity");
    if infinite { Some(f64::INFINITY) } else { value.as_f64() }
}

/// Titles stand on a line of their own in results.
fn one_line(title: &str) -> Option<String> {
    let words = title.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty());
    Some(words.collect::<Vec<_>>().join(" ")).filter(|title| !title.is_empty())
}

fn object(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object().filter(|map| !map.contains_key(KIND))
}

fn field<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    map.get(name).filter(|value| value.get(KIND).and_then(Value::as_str) != Some("undefined"))
}

fn unknown<'a>(map: &'a Map<String, Value>, known: &[&str]) -> Option<&'a str> {
    map.keys().map(String::as_str).find(|name| !known.contains(name))
}

fn wrong(place: &str, expected: &str, value: &Value) -> EvalError {
    EvalError::invalid(format!("`{place}` must be {expected}, not {}.", describe(value)))
}
