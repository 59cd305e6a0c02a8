//! Reads named fields of one options object and says precisely what is wrong with them.

use serde_json::{Map, Value};

use crate::error::EvalError;

/// What the host shell sends for a value that JSON has no form for, e.g. `{"$kind": "function"}`.
pub const KIND: &str = "$kind";

/// One object of the options, and where it stands.
pub struct Fields<'a> {
    place: &'a str,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// `place` is empty for the options themselves, else e.g. `python`. Refuses names that are not in `known`.
    pub fn new(place: &'a str, value: &'a Value, known: &[&str]) -> Result<Self, EvalError> {
        let Some(map) = value.as_object().filter(|map| !map.contains_key(KIND)) else {
            let what = if place.is_empty() { "EvalTool options".to_owned() } else { format!("Option `{place}`") };
            return Err(EvalError::invalid(format!("{what} must be an object, not {}.", describe(value))));
        };
        match map.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(EvalError::invalid(format!(
                "Unknown option `{}`; {} takes {}.",
                join(place, unknown),
                if place.is_empty() { "EvalTool" } else { place },
                known.join(", ")
            ))),
            None => Ok(Self { place, map }),
        }
    }

    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    pub fn bool(&self, name: &str) -> Result<Option<bool>, EvalError> {
        self.typed(name, "true or false", Value::as_bool)
    }

    /// A string that is not blank.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, EvalError> {
        self.typed(name, "a string that is not empty", |value| value.as_str().filter(|text| !text.trim().is_empty()))
    }

    /// A whole number of at least `least`.
    pub fn whole(&self, name: &str, least: u64) -> Result<Option<u64>, EvalError> {
        self.typed(name, &format!("a whole number of at least {least}"), |value| {
            let number = value.as_u64().or_else(|| {
                value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0).map(|number| number as u64)
            });
            number.filter(|number| *number >= least)
        })
    }

    pub fn function(&self, name: &str) -> Result<bool, EvalError> {
        let found = self.typed(name, "a function", |value| {
            (value.get(KIND).and_then(Value::as_str) == Some("function")).then_some(())
        })?;
        Ok(found.is_some())
    }

    pub fn texts(&self, name: &str) -> Result<Vec<String>, EvalError> {
        let list = self.typed(name, "an array of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        })?;
        Ok(list.unwrap_or_default())
    }

    pub fn wrong(&self, name: &str, expected: &str, value: &Value) -> EvalError {
        EvalError::invalid(format!("Option `{}` must be {expected}, not {}.", join(self.place, name), describe(value)))
    }

    fn typed<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, EvalError> {
        match self.map.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.wrong(name, expected, value)),
        }
    }
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// A value as a person would name it, short.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(map) => match map.get(KIND).and_then(Value::as_str) {
            Some(kind @ ("NaN" | "Infinity" | "-Infinity" | "undefined")) => kind.to_owned(),
            Some(kind) => format!("a {kind}"),
            None => "an object".to_owned(),
        },
    }
}
