//! Cells on real Node: what the transform emits, run by the smallest runtime that keeps its contract.

#[allow(dead_code)]
#[path = "../examples/transform.rs"]
mod example;

use std::process::Command;

/// Set for the copy of this test binary that Node starts to ask the transform.
const SERVES: &str = "EVALCELL_TEST_SERVES_TRANSFORM";

#[test]
fn serve() {
    if std::env::var_os(SERVES).is_some() {
        // libtest has started a line of its own.
        println!();
        assert!(example::serve().is_ok());
    }
}

fn run(script: &str) {
    let fixture = format!("{}/__test__/fixtures/transform/{script}", env!("CARGO_MANIFEST_DIR"));
    let this = std::env::current_exe().expect("this test has a path");
    let output = Command::new("node")
        .arg(fixture)
        .arg(this)
        .args(["serve", "--exact", "--nocapture"])
        .env(SERVES, "1")
        .output()
        .expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_top_level_binding_is_visible_to_later_cells_with_its_latest_value() {
    run("matrix.mjs");
}

#[test]
fn cells_mean_what_the_same_script_would_mean() {
    run("behaviours.mjs");
}
