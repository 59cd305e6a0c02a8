use std::time::Duration;

use super::super::{Timeout, clamp_timeout, parse};
use crate::options::Timeouts;

const HOST: Timeouts = Timeouts {
    default: Duration::from_secs(20),
    min: Duration::from_secs(2),
    max: Duration::from_secs(300),
    pause_on_tool_calls: false,
};

fn requested(attribute: &str) -> Option<Timeout> {
    parse(&format!("*** Cell py {attribute}\n1")).unwrap().cells[0].timeout
}

#[test]
fn a_cell_without_a_deadline_gets_the_hosts_default() {
    assert_eq!(clamp_timeout(requested(""), &HOST), HOST.default);
}

#[test]
fn zero_is_the_hosts_maximum() {
    assert_eq!(clamp_timeout(requested("t:0"), &HOST), HOST.max);
    assert_eq!(clamp_timeout(Timeout::from_seconds(0.0), &HOST), HOST.max);
    assert_eq!(clamp_timeout(Timeout::from_seconds(-0.0), &HOST), HOST.max);
}

#[test]
fn a_deadline_is_clamped_to_what_the_host_allows_and_never_wraps() {
    assert_eq!(clamp_timeout(requested("t:500ms"), &HOST), HOST.min);
    assert_eq!(clamp_timeout(requested("t:0.0001ms"), &HOST), HOST.min);
    assert_eq!(clamp_timeout(requested("t:7s"), &HOST), Duration::from_secs(7));
    for huge in ["t:7000s", "t:2147483648ms", "t:4294967296", "t:18446744073709551616", "t:9e", "t:1"] {
        let Ok(parsed) = parse(&format!("*** Cell py {huge}\n1")) else { continue };
        assert!(clamp_timeout(parsed.cells[0].timeout, &HOST) <= HOST.max, "{huge}");
    }
    let digits = format!("t:{}m", "9".repeat(10_000));
    assert_eq!(clamp_timeout(requested(&digits), &HOST), HOST.max);
}

#[test]
fn negative_and_unreal_numbers_of_seconds_are_refused() {
    for seconds in [-1.0, -0.001, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(Timeout::from_seconds(seconds), None, "{seconds}");
    }
    assert!(matches!(Timeout::from_seconds(f64::INFINITY), Some(Timeout::After(_))));
}

#[test]
fn timeout_ms_of_a_parsed_cell_speaks_of_the_documented_defaults() {
    let shown = |attribute: &str| {
        let parsed = parse(&format!("*** Cell py {attribute}\n1")).unwrap();
        serde_json::to_value(parsed.rows()).unwrap()["cells"][0][2].clone()
    };
    assert_eq!(shown(""), 30_000);
    assert_eq!(shown("t:5"), 5_000);
    assert_eq!(shown("t:500ms"), 500);
    assert_eq!(shown("t:2m"), 120_000);
    assert_eq!(shown("t:0"), 600_000);
    assert_eq!(shown("t:99999999999999999999"), 600_000);
}
