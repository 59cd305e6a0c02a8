//! Any text parses without a panic, and what it parses to comes back from its canonical form.
//!
//! `cargo install cargo-fuzz`, then `cargo +nightly fuzz run input -- -max_len=4096 -dict=fuzz/input.dict`. A text that is
//! slow rather than wrong shows up as well: libFuzzer reports what takes longer than `-timeout`.
#![no_main]

use evalcell::input::{ParsedCell, canonical, input_from_json, parse, sniff};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = sniff(text);
    let _ = input_from_json(&as_data(text));
    let Ok(parsed) = parse(text) else { return };
    if parsed.cells.is_empty() {
        return;
    }
    let written = canonical(&parsed.cells);
    let again = parse(&written).expect("canonical text has no bad values");
    assert_eq!(without_places(&again.cells), without_places(&parsed.cells), "{written}");
    assert!(!again.aborted, "{written}");
});

/// Lines of the input differ between a text and its canonical form; nothing else does.
fn without_places(cells: &[ParsedCell]) -> Vec<ParsedCell> {
    cells.iter().map(|cell| ParsedCell { line: 0, ..cell.clone() }).collect()
}

fn as_data(code: &str) -> serde_json::Value {
    serde_json::json!({ "cells": [{ "language": "py", "code": code, "title": code }] })
}
