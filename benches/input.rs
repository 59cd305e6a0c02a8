//! Time of the parser on large and on hostile texts: `cargo bench --bench input`.
//!
//! Prints the fastest of several runs, the time per byte, and how the time grows when the text doubles; a ratio near 2
//! is linear, near 4 quadratic. Ends with status 1 when a budget is exceeded.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use evalcell::input::{canonical, parse, sniff};

const MEGABYTE: usize = 1_000_000;
/// 10 000 cells, about 1 MB.
const CELLS_BUDGET: Duration = Duration::from_millis(20);
/// 1 MB of anything.
const HOSTILE_BUDGET: Duration = Duration::from_millis(50);
const RUNS: usize = 7;

fn main() -> ExitCode {
    // `cargo test --all-targets` starts benchmarks too, in a build whose times mean nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut within = true;
    println!("{:38} {:>10} {:>12} {:>8} {:>7}", "text", "bytes", "fastest", "ns/byte", "ratio");
    within &= measure("10 000 cells", CELLS_BUDGET, |size| {
        let line = "value = compute(rows[3], 'name')  # one line of code\n";
        (0..size / 100).map(|number| format!("*** Cell py:\"cell {number:5}\" t:5 rst\n{line}x = {number}\n")).collect()
    });
    for (name, unit) in hostile() {
        within &= measure(&name, HOSTILE_BUDGET, |size| unit.repeat(size / unit.len()));
    }
    for (name, head, unit) in headed() {
        within &= measure(name, HOSTILE_BUDGET, |size| format!("{head}{}", unit.repeat(size / unit.len())));
    }
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Texts of one piece over and over.
fn hostile() -> Vec<(String, &'static str)> {
    let units = [
        "*",
        "`",
        "\"",
        "'",
        "\n",
        "\r",
        " ",
        "\\",
        "~",
        "=",
        "** ",
        "*** \n",
        "*** Cell\n",
        "*** End\n",
        "*** Cell py:\"a\n",
        "```\n",
        "```py\n",
        "\\*** \n",
        "\"\"\"\n",
        "'''",
        "\u{a0}",
        "\u{200b}",
        "🚀",
        "x\n",
        "*** Cell\n```\n",
        "```\n*** Cell\n",
        "x\n*** End\n",
        "=== py ===\n",
        "*** Begin\n",
        "const a = `\n",
        "%%x\n",
    ];
    units.into_iter().map(|unit| (format!("{unit:?} over and over"), unit)).collect()
}

/// One header line, or one body, of one piece over and over.
fn headed() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("a header of opening quotes", "*** Cell py:", "\"a "),
        ("a header of quotes", "*** Cell py:", "\" "),
        ("a header of mixed quotes", "*** Cell py:", "\"'“’ "),
        ("a header of escaped quotes", "*** Cell py:\"", "\\\" "),
        ("a header of keys", "*** Cell ", "a:b "),
        ("a header of titles", "*** Cell ", "title:\"x\" "),
        ("a header of digits", "*** Cell t:", "9"),
        ("a header of words", "*** Cell py:", "word "),
        ("a body of open strings", "*** Cell py\n", "'''\"\"\"\n"),
        ("a body of fences in a fence", "```\n*** Cell py\n", "```js\n```\n"),
        ("a title without an end", "*** Cell py:\"", "x"),
        ("an indented line", "*** Cell py\n", "\t"),
    ]
}

fn measure(name: &str, budget: Duration, text: impl Fn(usize) -> String) -> bool {
    let (half, whole) = (text(MEGABYTE / 2), text(MEGABYTE));
    let (short, long) = (fastest(&half), fastest(&whole));
    let nanoseconds = long.as_nanos() as f64 / whole.len() as f64;
    let ratio = long.as_secs_f64() / short.as_secs_f64();
    let verdict = if long > budget { "OVER BUDGET" } else { "" };
    println!("{name:38} {:>10} {long:>12.3?} {nanoseconds:>8.2} {ratio:>7.2} {verdict}", whole.len());
    long <= budget
}

fn fastest(text: &str) -> Duration {
    let run = || {
        let start = Instant::now();
        let parsed = black_box(parse(black_box(text)));
        let time = start.elapsed();
        // Not in the time, but it must come back as well.
        if let Ok(parsed) = parsed {
            black_box(canonical(&parsed.cells));
        }
        black_box(sniff(text));
        time
    };
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}
