//! The JSON Schema of a call's parameters.

use serde_json::{Value, json};

/// Accepts `{ input }` and `{ cells }`, one of them.
///
/// The choice is a count of properties, not `oneOf`: providers refuse that at the top of a tool's schema.
pub fn parameters_schema() -> Value {
    json!({
        "type": "object",
        "description": "The cells to run, as cell text in `input` or as data in `cells`. Send exactly one of the two.",
        "properties": {
            "input": {
                "type": "string",
                "description": "Cell text. Each cell is a header line `*** Cell py:\"title\"` or `*** Cell js:\"title\"`, \
                    optionally with `t:<seconds>` and `rst`, and below it the code, as it is, without quoting. Close the \
                    last cell with `*** End`."
            },
            "cells": {
                "type": "array",
                "minItems": 1,
                "description": "The same cells as data. They run in order; the first that fails stops the call.",
                "items": cell()
            }
        },
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false
    })
}

fn cell() -> Value {
    json!({
        "type": "object",
        "properties": {
            "language": {
                "type": "string",
                "enum": ["py", "js", "ts", "python", "javascript", "typescript", "ipy", "ipython"],
                "description": "`py` or `js`. TypeScript runs as `js`."
            },
            "code": {
                "type": "string",
                "description": "The source to run. The value of its last expression is shown."
            },
            "title": {
                "type": "string",
                "description": "A few words on what the cell does; shown beside its result."
            },
            "timeout": {
                "type": "number",
                "minimum": 0,
                "description": "Deadline in seconds. 0 is the longest that the host allows."
            },
            "reset": {
                "type": "boolean",
                "description": "Wipe this language's variables and imports before the cell runs."
            },
            "returns": {
                "type": "string",
                "enum": ["json"],
                "description": "Ask for the cell's value as exact JSON data instead of text. The cell fails when its value \
                    is not plain JSON."
            }
        },
        "required": ["language", "code"],
        "additionalProperties": false
    })
}
