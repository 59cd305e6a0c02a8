//! `renderCall` and `renderResult`: conversion only.

use std::time::Duration;

use napi::bindgen_prelude::Unknown;
use napi::{Env, Result};
use napi_derive::napi;
use serde_json::Value;

use super::environment;
use super::functions::{invalid, value_of};
use crate::input::{self, Timeout};
use crate::language::Language;
use crate::options::Fields;
use crate::output::render::{self, CallCell, RenderOptions};

fn options(env: &Env, value: Unknown<'static>) -> Result<RenderOptions> {
    let value = value_of(env, value, "The render options")?;
    if value.get("$kind").is_some_and(|kind| kind == "undefined") || value.is_null() {
        return Ok(RenderOptions::default());
    }
    let read = || {
        let fields = Fields::new("render", &value, &["width", "color", "expanded"])?;
        let default = RenderOptions::default();
        let width = fields.whole("width", 1)?.and_then(|width| usize::try_from(width).ok());
        Ok(RenderOptions {
            width: width.unwrap_or(default.width),
            color: fields.bool("color")?.unwrap_or(default.color),
            expanded: fields.bool("expanded")?.unwrap_or(default.expanded),
        })
    };
    read().map_err(|error| environment::to_js(env, &error))
}

/// Lines of text for a terminal that show a call: each cell with title, language, deadline and highlighted code.
///
/// Takes what `execute` takes, also while it is still being written. ANSI colours unless `color` is false.
#[napi(catch_unwind, ts_args_type = "params: EvalInput, options?: RenderOptions", ts_return_type = "string[]")]
pub fn render_call(env: Env, params: Unknown<'static>, render_options: Unknown<'static>) -> Result<Vec<String>> {
    let options = options(&env, render_options)?;
    let params = value_of(&env, params, "renderCall: the input")?;
    if let Some(text) = params.get("input").and_then(Value::as_str) {
        return Ok(match input::parse(text) {
            Ok(parsed) if !parsed.cells.is_empty() => render::render_call(&parsed_cells(&parsed), &options),
            _ => render::render_input(text, &options),
        });
    }
    match params.get("cells").and_then(Value::as_array) {
        Some(cells) => Ok(render::render_call(&cells.iter().map(cell).collect::<Vec<_>>(), &options)),
        None => Err(invalid(&env, "renderCall takes what `execute` takes: { input } or { cells }.".to_owned())),
    }
}

fn parsed_cells(parsed: &input::ParsedEvalInput) -> Vec<CallCell> {
    let cells = parsed.cells.iter().map(|cell| CallCell {
        title: cell.title.clone(),
        language: Some(cell.language),
        timeout: cell.timeout.and_then(|timeout| match timeout {
            Timeout::After(duration) => Some(duration),
            Timeout::HostMaximum => None,
        }),
        reset: cell.reset,
        returns_json: cell.returns_json,
        code: cell.code.clone(),
    });
    cells.collect()
}

/// A cell as far as it is written: whatever is wrong or missing is left out.
fn cell(value: &Value) -> CallCell {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let seconds = value.get("timeout").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0);
    CallCell {
        title: text("title").map(str::to_owned),
        language: text("language").and_then(Language::from_name),
        timeout: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        reset: value.get("reset").and_then(Value::as_bool).unwrap_or(false),
        returns_json: text("returns") == Some("json"),
        code: text("code").unwrap_or_default().to_owned(),
    }
}

/// Lines of text for a terminal that show a result, partial or final. A value that is no result is shown as its text.
#[napi(catch_unwind, ts_args_type = "result: EvalResult, options?: RenderOptions", ts_return_type = "string[]")]
pub fn render_result(env: Env, result: Unknown<'static>, render_options: Unknown<'static>) -> Result<Vec<String>> {
    let options = options(&env, render_options)?;
    let json = environment::to_json(&env, result, "renderResult: the result")?;
    Ok(render::render_result_json(&json, &options))
}
