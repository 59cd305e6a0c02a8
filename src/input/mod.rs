//! Input: the `cells` form.
use crate::{error::EvalError, language::Language, options::Timeouts};
use std::time::Duration;
#[derive(Clone, Copy, Debug)]
pub enum Timeout {
    Maximum,
    After(Duration),
}
#[derive(Clone, Debug)]
pub struct ParsedCell {
    pub index: usize,
    pub title: Option<String>,
    pub code: String,
    pub language: Option<Language>,
    pub timeout: Option<Timeout>,
    pub reset: bool,
    pub returns_json: bool,
}
#[derive(Clone, Debug)]
pub struct ParsedEvalInput {
    pub cells: Vec<ParsedCell>,
    pub aborted: bool,
    pub notice: Option<String>,
}
pub struct Availability {
    pub python_enabled: bool,
    pub python_available: Result<(), String>,
    pub js_enabled: bool,
}
pub struct Choice {
    pub language: Language,
    pub notice: Option<String>,
}
pub fn choose(cell: &ParsedCell, _previous: Option<Language>, _a: &Availability) -> Result<Choice, EvalError> {
    Ok(Choice { language: cell.language.unwrap_or(Language::Python), notice: None })
}
pub fn clamp_timeout(t: Option<Timeout>, o: &Timeouts) -> Duration {
    match t {
        None => o.default,
        Some(Timeout::Maximum) => o.max,
        Some(Timeout::After(d)) => d.clamp(o.min, o.max),
    }
}
pub fn input_from_json(v: &serde_json::Value) -> Result<ParsedEvalInput, EvalError> {
    let cells = v["cells"]
        .as_array()
        .cloned()
        .unwrap_or_default()
        .iter()
        .enumerate()
        .map(|(index, c)| ParsedCell {
            index,
            title: c["title"].as_str().map(str::to_owned),
            code: c["code"].as_str().unwrap_or("").to_owned(),
            language: c["language"].as_str().and_then(Language::from_name),
            timeout: c["timeout"].as_f64().map(|s| Timeout::After(Duration::from_secs_f64(s))),
            reset: c["reset"].as_bool().unwrap_or(false),
            returns_json: c["returns"] == "json",
        })
        .collect();
    Ok(ParsedEvalInput { cells, aborted: false, notice: None })
}
pub fn grammar() -> &'static str {
    ""
}
pub fn parameters_schema() -> serde_json::Value {
    serde_json::json!({})
}
pub fn description(_: &Availability) -> String {
    String::new()
}
pub fn parse(_: &str) -> Result<serde_json::Value, EvalError> {
    Ok(serde_json::Value::Null)
}
pub fn sniff(_: &str) -> Option<Language> {
    None
}
