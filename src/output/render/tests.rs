//! Views at several widths, with and without colours, partial and final. Read the snapshots as a person at a terminal.

use crate::language::Language;
use crate::output::render::lines::{clean, cut, width, wrap};
use crate::output::render::markdown::markdown;
use crate::output::render::paint::Paint;
use crate::output::render::*;
use std::time::Duration;

const PYTHON: &str = r#"import math  # roots
@cache
def area(radius: float) -> float:
    """Two
    lines."""
    return f'{math.pi * radius ** 2:.2f}' if radius > 0x1F else None

for name in ["a\"b", b'c']:
    print(name, 1_000.5e3)
x = 1
y = 2
z = 3"#;
const SCRIPT: &str = "/* two\nlines */\nconst ratio = total / 2 / 3;\nlet text = `a ${b}`, re = /[/]'/g.test('x'); // end\nawait fetch('https://x.y')";

const FINAL: &str = r##"{"content":[{"type":"text","text":"…"}],"details":{"cells":[
{"index":0,"title":"load data","code":"…","language":"python","status":"complete","durationMs":1234,"exitCode":0,"state":"kept",
 "output":"reading\ndisplay[1]:\n{\n  \"name\": \"sales\",\n  \"rows\": [\n    1,\n    2,\n    3,\n    4,\n    5,\n    6,\n    7\n  ],\n  \"deep\": {\n    \"a\": {\n      \"b\": {\n        \"c\": 1\n      }\n    }\n  }\n}\ndone \u001b[31mred\u001b[0m and a line that is longer than any of the narrow terminals would like it to be, really"},
{"index":1,"code":"…","language":"js","status":"complete","durationMs":12,"exitCode":0,"state":"kept","hasMarkdown":true,
 "output":"# Report\n\nSome **bold**, *italic* and `code`, a [link](https://x.y) and a sentence that has to be wrapped.\n\n- one\n- two\n  1. deep\n\n> quoted\n\n```py\nprint('x')  # y\n```\n\n| id | name | value |\n| -- | ---- | ----- |\n| 1 | first | a long text in a cell |\n| 2 | 日本 | b |"},
{"index":2,"title":"count","code":"…","language":"python","status":"complete","durationMs":61000,"exitCode":0,"state":"kept","output":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"},
{"index":3,"title":"sum","code":"…","language":"python","status":"error","durationMs":80,"exitCode":1,"state":"kept",
 "output":"Traceback (most recent call last):\n  Cell cell-1, line 2, in <module>\nValueError: bad",
 "failure":{"kind":"exception","name":"ValueError","message":"bad","line":2,"bound":[],"notReached":["body","total"]}},
{"index":4,"title":"later","code":"…","language":"python","status":"pending","output":"","state":"kept"}],
"language":"python","languages":["python","js"],"jsonOutputs":[{"name":"sales"}],
"images":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzkAAAA"}],
"notice":"Python looked meant but is unavailable, so JavaScript ran.",
"meta":{"truncation":{"direction":"tail","truncatedBy":"lines","totalLines":20000,"totalBytes":198890,"outputLines":2998,"outputBytes":29980,"artifactId":"output-1","artifactPath":"/tmp/evalcell/output-1.log"}},
"isError":true}}"##;

const PARTIAL: &str = r#"{"content":[{"type":"text","text":"10%"}],"details":{"cells":[
{"index":0,"title":"train","code":"…","language":"python","status":"running","output":"epoch 1\n 10%\r 20%","state":"kept"},
{"index":1,"code":"…","language":"js","status":"pending","output":"","state":"kept"}],"language":"python","languages":["python","js"]}}"#;

const STOPPED: &str = r#"{"content":[],"details":{"cells":[
{"index":0,"code":"…","language":"js","status":"error","durationMs":1000,"state":"lost","output":"step 1 ok",
 "failure":{"kind":"timeout","message":"Timed out after 1 s while running code; its variables are lost (state lost).","bound":[],"notReached":["x"]}}],
"language":"js","languages":["js"],"isError":true}}"#;

const VALUE: &str = r#"{"content":[],"details":{"cells":[
{"index":0,"code":"…","language":"js","status":"complete","state":"kept","value":{"rows":[{"id":1,"tags":["a","b"]},{"id":2}],"n":12345678901234567890,"empty":{},"none":null}}],
"language":"js","languages":["js"]}}"#;

fn options(width: usize, color: bool, expanded: bool) -> RenderOptions {
    RenderOptions { width, color, expanded }
}

/// All views, each fitting its width; escape sequences are made readable.
fn page(render: impl Fn(&RenderOptions) -> Vec<String>) -> String {
    let mut page = String::new();
    for (columns, color, expanded) in [
        (40, false, false),
        (80, false, false),
        (120, false, true),
        (40, true, true),
        (80, true, false),
        (120, true, true),
    ] {
        let options = options(columns, color, expanded);
        let lines = render(&options);
        let too_wide: Vec<&String> = lines.iter().filter(|line| width(line) > columns).collect();
        assert!(too_wide.is_empty(), "{too_wide:?}");
        assert!(color || lines.iter().all(|line| !line.contains('\u{1b}')));
        page += &format!("──── {columns} columns, colour {color}, expanded {expanded}\n{}\n\n", lines.join("\n"));
    }
    page.replace("\u{1b}[", "⟦").replace('\u{1b}', "␛")
}

#[test]
fn the_call_view_shows_title_language_deadline_and_code() {
    let cells = [
        CallCell {
            title: Some("areas".into()),
            language: Some(Language::Python),
            timeout: Some(Duration::from_secs(90)),
            reset: true,
            returns_json: true,
            code: PYTHON.into(),
        },
        CallCell { language: Some(Language::Js), code: SCRIPT.into(), ..CallCell::default() },
        CallCell { code: "no language yet".into(), ..CallCell::default() },
    ];
    insta::assert_snapshot!("call", page(|options| render_call(&cells, options)));
}

#[test]
fn the_result_view_shows_status_output_images_and_notices() {
    insta::assert_snapshot!("result", page(|options| render_result_json(FINAL, options)));
}

#[test]
fn the_result_view_works_on_partial_results() {
    insta::assert_snapshot!("partial", page(|options| render_result_json(PARTIAL, options)));
}

#[test]
fn the_result_view_shows_stops_and_values() {
    insta::assert_snapshot!("stopped", page(|options| render_result_json(STOPPED, options)));
    insta::assert_snapshot!("value", page(|options| render_result_json(VALUE, options)));
}

#[test]
fn a_view_never_fails() {
    let options = options(0, true, false);
    assert_eq!(render_result_json("nonsense", &options), [""]);
    let bare = r#"{"content":[{"type":"text","text":"a\nb"}]}"#;
    assert_eq!(render_result_json(bare, &options), ["a", "b"]);
    assert_eq!(render_call(&[], &options), [""; 0]);
    assert_eq!(render_input("*** Cell", &options), ["  *** Cell"]);
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let result = VALUE.replace("12345678901234567890", &deep);
    assert!(render_result_json(&result, &options).len() < 20);
    let hostile = format!("{}{}", "*_".repeat(20_000), "[](".repeat(1_000));
    assert!(!markdown(&hostile, 80, Paint { color: true }).is_empty());
}

#[test]
fn output_cannot_reach_beyond_its_own_line() {
    assert_eq!(clean("a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{7}\u{9b}d\u{1b}[31me", false), "abcde");
    assert_eq!(clean("\u{1b}[31me\u{1b}[5A", true), "\u{1b}[31me\u{1b}[0m");
    assert_eq!(clean(" 10%\r 20%\r", false), " 20%");
    assert_eq!(clean("a\u{1b}[31", false), "a");
    assert_eq!(clean("a\u{1b}", false), "a");
}

#[test]
fn lines_are_cut_and_wrapped_by_columns() {
    assert_eq!(cut("日本語", 4), "日…");
    assert_eq!(cut("\u{1b}[31mabcdef", 4), "\u{1b}[31mabc…\u{1b}[0m");
    assert_eq!(wrap("one two three", 8), ["one two", "three"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("\u{1b}[1mone two\u{1b}[22m x", 5), ["\u{1b}[1mone\u{1b}[0m", "\u{1b}[1mtwo\u{1b}[22m x"]);
}
