use serde_json::{Value, json};

use super::super::{Timeout, input_from_json, parse};
use crate::error::ErrorCode;
use crate::language::Language;

#[test]
fn cell_text_and_cells_give_the_same() {
    let text = input_from_json(&json!({ "input": "*** Cell py:\"a\" t:5 rst\n1\n*** Cell ts\n2\n" })).unwrap();
    let data = input_from_json(&json!({ "cells": [
        { "language": "PY", "title": "a", "timeout": 5, "reset": true, "code": "1" },
        { "language": "ts", "code": "2" },
    ] }))
    .unwrap();
    assert_eq!(serde_json::to_value(text.rows()).unwrap(), serde_json::to_value(data.rows()).unwrap());
}

#[test]
fn what_crosses_to_javascript_is_a_row_for_each_cell() {
    let plain = serde_json::to_string(&parse("*** Cell py\n1").unwrap().rows()).unwrap();
    assert_eq!(plain, r#"{"cells":[[null,"1",30000,0]]}"#);
    let full = parse("x\n*** Cell \"a\" t:5 rst\n1\n*** End\n*** Abort").unwrap();
    insta::assert_json_snapshot!(full.rows());
}

#[test]
fn every_language_name_is_accepted_in_any_case() {
    for (name, language) in
        [("py", Language::Python), ("IPython", Language::Python), ("TS", Language::Js), ("JavaScript", Language::Js)]
    {
        let parsed = input_from_json(&json!({ "cells": [{ "language": name, "code": "" }] })).unwrap();
        assert_eq!(parsed.cells[0].language, language);
    }
}

#[test]
fn timeout_is_in_seconds_with_fractions_and_zero_is_the_hosts_maximum() {
    let timeout = |seconds: Value| {
        input_from_json(&json!({ "cells": [{ "language": "py", "code": "", "timeout": seconds }] })).unwrap().cells[0]
            .timeout
    };
    assert_eq!(timeout(json!(0)), Some(Timeout::HostMaximum));
    assert_eq!(timeout(json!(0.25)), Timeout::from_seconds(0.25));
    assert_eq!(timeout(json!(1e300)), Timeout::from_seconds(f64::MAX));
    assert_eq!(timeout(json!({ "$kind": "Infinity" })), Timeout::from_seconds(f64::MAX));
    assert_eq!(timeout(json!({ "$kind": "undefined" })), None);
}

#[test]
fn returns_json_asks_for_the_value_as_data() {
    let parsed = input_from_json(&json!({ "cells": [{ "language": "js", "code": "1", "returns": "json" }] })).unwrap();
    assert!(parsed.cells[0].returns_json);
}

#[test]
fn code_that_comes_as_data_is_not_touched_but_for_a_fence() {
    let code = |code: &str| {
        let parsed = input_from_json(&json!({ "cells": [{ "language": "py", "code": code }] })).unwrap();
        parsed.cells[0].code.clone()
    };
    for verbatim in ["", "1\n", "\n\n1\n\n", "*** Cell js\n", "\\*** x", "*** Abort", "a\r\nb", "```py\n1"] {
        assert_eq!(code(verbatim), verbatim);
    }
    assert_eq!(code("```python\nprint(1)\n```\n"), "print(1)");
}

#[test]
fn a_title_is_one_line() {
    let title = |title: &str| {
        let parsed = input_from_json(&json!({ "cells": [{ "language": "py", "code": "", "title": title }] })).unwrap();
        parsed.cells[0].title.clone()
    };
    assert_eq!(title(" a\r\n  b ").as_deref(), Some("a b"));
    assert_eq!(title(" \n"), None);
}

#[test]
fn a_wrong_parameter_is_named_with_what_belongs_there() {
    let cell = |fields: Value| {
        let mut cell = json!({ "language": "py", "code": "1" });
        cell.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({ "cells": [{ "language": "js", "code": "" }, cell] })
    };
    let kind = |kind: &str| json!({ "$kind": kind });
    let cases = [
        json!(null),
        json!("print(1)"),
        json!([]),
        kind("undefined"),
        kind("function"),
        json!({}),
        json!({ "code": "1" }),
        json!({ "input": "1", "cells": [] }),
        json!({ "input": 1 }),
        json!({ "input": null }),
        json!({ "input": kind("function") }),
        json!({ "cells": [] }),
        json!({ "cells": "1" }),
        json!({ "cells": { "0": {} } }),
        json!({ "cells": [1] }),
        json!({ "cells": [null] }),
        json!({ "cells": [{ "code": "1" }] }),
        json!({ "cells": [{ "language": "py" }] }),
        cell(json!({ "language": "ruby" })),
        cell(json!({ "language": "" })),
        cell(json!({ "language": 1 })),
        cell(json!({ "code": 1 })),
        cell(json!({ "code": ["1"] })),
        cell(json!({ "title": 1 })),
        cell(json!({ "title": null })),
        cell(json!({ "timeout": -1 })),
        cell(json!({ "timeout": "10" })),
        cell(json!({ "timeout": kind("NaN") })),
        cell(json!({ "timeout": kind("-Infinity") })),
        cell(json!({ "timeout": null })),
        cell(json!({ "timeout": true })),
        cell(json!({ "reset": 1 })),
        cell(json!({ "reset": "true" })),
        cell(json!({ "returns": "text" })),
        cell(json!({ "returns": true })),
        cell(json!({ "timeoutMs": 5 })),
        cell(json!({ "lang": "py" })),
    ];
    let messages: Vec<_> = cases
        .iter()
        .map(|case| {
            let error = input_from_json(case).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{case}");
            format!("{case}\n    {}", error.message)
        })
        .collect();
    let messages = messages.join("\n");
    insta::assert_snapshot!(messages);
}

#[test]
fn a_wrong_text_is_a_parse_error() {
    let error = input_from_json(&json!({ "input": "*** Cell py t:x" })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Parse);
}
