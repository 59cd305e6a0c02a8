//! The value of a `returns: 'json'` cell, as it arrives from either kernel.

use serde_json::value::RawValue;

use crate::json;
use crate::kernel::contract::Outcome;

use super::result::Json;

/// Takes a value that is lossless JSON of at most `max_bytes`, exactly; anything else is how the cell failed.
///
/// Kernels refuse bad values themselves and name the place; this holds also for what a cell forges past them.
pub fn checked_value(text: &str, max_bytes: usize) -> Result<Json, Outcome> {
    if text.len() > max_bytes {
        return Err(Outcome::OutputLimit { bytes: text.len(), limit: max_bytes });
    }
    json::check(text, "").map_err(|refused| invalid(refused.place, refused.problem))?;
    let value = RawValue::from_string(text.to_owned());
    value.map(Json::from).map_err(|error| invalid(String::new(), error.to_string()))
}

fn invalid(place: String, problem: String) -> Outcome {
    Outcome::InvalidOutput { place, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str, max_bytes: usize) -> String {
        match checked_value(text, max_bytes) {
            Ok(value) => value.get().to_owned(),
            Err(outcome) => format!("{outcome:?}"),
        }
    }

    #[test]
    fn a_value_arrives_exactly_or_not_at_all() {
        assert_eq!(outcome("{\"n\":9007199254740992,\"d\":1.50}", 100), "{\"n\":9007199254740992,\"d\":1.50}");
        assert_eq!(outcome("\"12345678\"", 10), "\"12345678\"");
        assert_eq!(outcome("\"123456789\"", 10), "OutputLimit { bytes: 11, limit: 10 }");
        let refused = outcome("{\"rows\":[0,{\"id\":-0}]}", 100);
        assert!(refused.starts_with("InvalidOutput { place: \"rows[1].id\""), "{refused}");
        assert!(outcome("NaN", 100).starts_with("InvalidOutput"));
    }

    #[test]
    fn depth_is_limited_by_size_alone() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(outcome(&deep, 32_768), deep);
    }
}
