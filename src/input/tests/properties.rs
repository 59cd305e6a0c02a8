//! For every text.

use proptest::prelude::*;

use super::super::{LanguageOrigin, ParsedCell, canonical, input_from_json, parse, sniff};

/// Pieces that make up markers, headers and fences, among others.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "*** Cell",
        "**Cell",
        "*** ",
        "**",
        "*",
        "\\",
        "\\*** ",
        "\\**",
        "Cell",
        "cell",
        "End",
        "*** End",
        "*** Abort",
        "Begin",
        " py",
        " js:",
        "ts",
        "py:",
        ":",
        "=",
        "===",
        "\"",
        "'",
        "“",
        "”",
        "’",
        "t:",
        "t:5",
        "t:0",
        "500ms",
        "rst",
        "rst:",
        "true",
        "title:",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\u{feff}",
        "\u{a0}",
        "\u{200b}",
        "```",
        "````",
        "~~~",
        "```py\n",
        "\n```\n",
        "'''",
        "\"\"\"",
        "#",
        "//",
        "print(1)",
        "const a = 1",
        ",",
        "🚀",
        "é",
        "\0",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z]{1,3}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Without what depends on where the text stood.
fn same(cells: &[ParsedCell]) -> Vec<ParsedCell> {
    cells.iter().map(|cell| ParsedCell { line: 0, ..cell.clone() }).collect()
}

/// A line of code that cannot be taken for anything else.
fn code_line() -> impl Strategy<Value = String> {
    "[a-z (){}=.'\"#\\\\é🚀\t]{0,12}[a-z;]"
}

proptest! {
    #[test]
    fn nothing_panics(input in text()) {
        let _ = parse(&input);
        let _ = sniff(&input);
        let _ = input_from_json(&serde_json::json!({ "cells": [{ "language": "py", "code": input }] }));
    }

    #[test]
    fn nothing_panics_whatever_the_characters(input in any::<String>()) {
        let _ = parse(&input);
        let _ = sniff(&input);
    }

    #[test]
    fn canonical_text_parses_to_the_same_cells(input in text()) {
        if let Ok(parsed) = parse(&input)
            && !parsed.cells.is_empty()
        {
            let text = canonical(&parsed.cells);
            let again = parse(&text).unwrap();
            prop_assert_eq!(same(&again.cells), same(&parsed.cells), "{}", text);
            prop_assert!(!again.aborted);
            prop_assert_eq!(canonical(&again.cells), text);
        }
    }

    #[test]
    fn a_body_is_verbatim(
        bodies in prop::collection::vec(prop::collection::vec(code_line(), 1..8), 1..6),
        blanks in 0usize..3,
    ) {
        let separator = "\n".repeat(blanks + 1);
        let mut input = String::new();
        for body in &bodies {
            input.push_str("*** Cell py:\"a b\" t:5\n");
            input.push_str(&body.join("\n"));
            input.push_str(&separator);
        }
        let parsed = parse(&input).unwrap();
        let codes: Vec<_> = parsed.cells.iter().map(|cell| cell.code.clone()).collect();
        let expected: Vec<_> = bodies.iter().map(|body| body.join("\n")).collect();
        prop_assert_eq!(codes, expected);
    }

    #[test]
    fn every_title_can_be_written(title in "[a-z\"'\\\\“”’ 🚀,:=*]{0,10}") {
        let title = title.trim();
        let cell = ParsedCell {
            index: 0,
            title: (!title.is_empty()).then(|| title.to_owned()),
            code: "1".to_owned(),
            language: crate::language::Language::Js,
            language_origin: LanguageOrigin::Header,
            timeout: None,
            reset: true,
            returns_json: false,
            line: 2,
        };
        let again = parse(&canonical(std::slice::from_ref(&cell))).unwrap();
        prop_assert_eq!(again.cells, vec![cell]);
    }
}
