use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{FilterOption, KernelMode, Options, parse};

fn read(options: Value) -> Result<Options, String> {
    let variable = |name: &str| match name {
        "HOME" => Some("/home/ada".to_owned()),
        "VENV" => Some("/opt/venv".to_owned()),
        _ => None,
    };
    parse(&options, Path::new("/"), &variable).map_err(|error| format!("{}: {}", error.code.as_str(), error.message))
}

#[test]
fn every_default_is_the_documented_one() {
    let options = read(json!({})).unwrap();
    assert_eq!(options.timeouts.default, Duration::from_secs(30));
    assert_eq!(options.timeouts.min, Duration::from_secs(1));
    assert_eq!(options.timeouts.max, Duration::from_secs(600));
    assert_eq!((options.output.max_bytes, options.output.max_lines), (51_200, 3_000));
    assert_eq!(options.output.max_value_bytes, 32_768);
    assert_eq!(options.startup_timeout, Duration::from_secs(30));
    assert_eq!((options.idle_timeout, options.max_kernels), (Duration::from_secs(300), 4));
    assert_eq!((options.js_limits.max_old_generation_size_mb, options.js_limits.max_array_buffer_mb), (2_048, 4_096));
    assert_eq!(options.environment_filter, FilterOption::Safe);
    assert_eq!(options.kernel_mode, KernelMode::Session);
    assert!(options.python_enabled && options.js_enabled && !options.timeouts.pause_on_tool_calls);
}

#[test]
fn a_wrong_option_is_named_with_what_it_must_be() {
    let cases = [
        json!({ "cwdd": "/" }),
        json!({ "cwd": 7 }),
        json!({ "cwd": "/no/such/place" }),
        json!({ "python": { "kernelMode": "daily" } }),
        json!({ "python": [] }),
        json!({ "timeouts": { "minMs": 5000, "maxMs": 1000 } }),
        json!({ "timeouts": { "defaultMs": { "$kind": "NaN" } } }),
        json!({ "timeouts": { "defaultMs": -1 } }),
        json!({ "env": { "A": 1 } }),
        json!({ "env": { "A=B": "1" } }),
        json!({ "envFilter": "none" }),
        json!({ "tools": { "read": 5 } }),
        json!({ "callTool": "x" }),
        json!({ "output": { "maxBytes": 0 } }),
        json!(null),
        json!({ "$kind": "function" }),
    ];
    let messages: Vec<_> = cases.into_iter().map(|case| read(case).unwrap_err()).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn home_and_variables_are_expanded_in_the_interpreter_path() {
    let interpreter = |path: &str| read(json!({ "python": { "interpreter": path } })).unwrap().interpreter.unwrap();
    assert_eq!(interpreter("~/bin/python"), Path::new("/home/ada/bin/python"));
    assert_eq!(interpreter("$VENV/bin/python"), Path::new("/opt/venv/bin/python"));
    assert_eq!(interpreter("${VENV}/bin/python"), Path::new("/opt/venv/bin/python"));
    assert_eq!(interpreter("/a/$NOPE/p"), Path::new("/a/$NOPE/p"));
    assert_eq!(interpreter("python3.12"), Path::new("python3.12"));
}

#[test]
fn huge_durations_are_clamped_and_never_wrap() {
    let options = read(json!({ "timeouts": { "maxMs": u64::MAX, "defaultMs": u64::MAX } })).unwrap();
    assert_eq!(options.timeouts.max, options.timeouts.default);
    assert!(options.timeouts.max >= Duration::from_secs(24 * 3600));
}
