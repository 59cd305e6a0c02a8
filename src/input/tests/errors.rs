use super::super::parse;
use crate::error::ErrorCode;

fn message(input: &str) -> String {
    let error = parse(input).unwrap_err();
    assert_eq!(error.code, ErrorCode::Parse);
    error.message
}

#[test]
fn a_bad_duration_names_line_and_token() {
    assert_eq!(
        message("*** Cell py\n1\n*** Cell py t:forever\n2"),
        "Eval line 3: invalid duration `forever`; use a number with optional ms, s, or m units."
    );
}

#[test]
fn a_bad_rst_value_names_line_and_token() {
    assert_eq!(message("*** Cell py rst:maybe\n1"), "Eval line 1: invalid rst value `maybe`; use true or false.");
}

#[test]
fn every_bad_value_is_an_error_and_not_a_guess() {
    let attributes = [
        "t:-1",
        "t:+1",
        "t:NaN",
        "t:Infinity",
        "t:1e3",
        "t:0x10",
        "t:1h",
        "t:30d",
        "t:1.2.3",
        "t:.",
        "t:ms",
        "t:",
        "t:\"\"",
        "t:\"5 s\"",
        "t:5sec",
        "t:5,5",
        "t: soon",
        "timeout:-5",
        "duration:x",
        "time:now",
        "t:١",
        "rst:2",
        "rst:",
        "rst:\"\"",
        "reset:truee",
        "rst:tr ue",
    ];
    let messages: Vec<_> = attributes
        .iter()
        .map(|attribute| format!("{attribute:12} {}", message(&format!("*** Cell py {attribute}\n1"))))
        .collect();
    let messages = messages.join("\n");
    insta::assert_snapshot!(messages);
}

#[test]
fn lines_are_counted_the_same_for_every_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let input = ["*** Cell py", "1", "", "*** Cell py t:x", "2"].join(end);
        assert!(message(&input).starts_with("Eval line 4: "), "{end:?}");
    }
}

#[test]
fn a_long_token_is_shown_in_part() {
    let error = message(&format!("*** Cell py t:{}\n1", "x".repeat(100_000)));
    assert!(error.chars().count() < 200);
}
