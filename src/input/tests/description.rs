use super::super::{Availability, description, grammar, parameters_schema, parse};

/// The promise: short enough to stand in every prompt.
const LONGEST: usize = 3_500;

fn host(python: bool, js: bool) -> Availability {
    Availability { python_enabled: python, python_available: Ok(()), js_enabled: js }
}

#[test]
fn it_is_short_and_its_example_parses() {
    for (python, js) in [(true, true), (true, false), (false, true)] {
        let text = description(&host(python, js));
        assert!(text.chars().count() < LONGEST, "{} characters", text.chars().count());
        let example = text.split("```\n").nth(1).unwrap();
        let parsed = parse(example).unwrap();
        assert_eq!(parsed.cells.len(), 2);
        assert_eq!(parsed.notice, None);
    }
}

#[test]
fn both_languages() {
    insta::assert_snapshot!(description(&host(true, true)));
}

#[test]
fn python_only() {
    let text = description(&host(true, false));
    assert!(!["JavaScript", "TypeScript", "js:", "`js`", "Node"].iter().any(|name| text.contains(name)));
    insta::assert_snapshot!(text);
}

#[test]
fn javascript_only() {
    let text = description(&host(false, true));
    assert!(!["Python", "py:", "`py`", "%pip"].iter().any(|name| text.contains(name)));
    insta::assert_snapshot!(text);
}

#[test]
fn a_python_that_is_missing_is_not_mentioned() {
    let missing =
        Availability { python_enabled: true, python_available: Err("tried python3".to_owned()), js_enabled: true };
    assert_eq!(description(&missing), description(&host(false, true)));
}

#[test]
fn no_language() {
    insta::assert_snapshot!(description(&host(false, false)));
}

#[test]
fn the_grammar_pins_the_end_and_the_schema_both_forms() {
    assert!(grammar().contains("start: cell+ end") && grammar().contains("end: \"*** End\" NEWLINE?"));
    let schema = parameters_schema();
    assert_eq!(schema["maxProperties"], 1);
    assert_eq!(schema["properties"]["cells"]["items"]["required"], serde_json::json!(["language", "code"]));
}
