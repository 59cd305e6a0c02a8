//! The result as JSON: exactly the shape of the TypeScript declaration.

use super::*;
use crate::kernel::contract::State;

#[test]
fn a_result_serializes_to_the_declared_shape() {
    let mut cell = CellResult::pending(0, Some("load".into()), "1/0".into(), Language::Python);
    cell.status = CellStatus::Error;
    cell.value = Some(json("12345678901234567890.10").into());
    cell.state = State::Lost;
    cell.failure = Some(CellFailure {
        kind: FailureKind::KernelExit,
        name: None,
        message: "gone".into(),
        line: Some(1),
        column: None,
        signal: Some(messages::signal_name(11)),
        exit_code: None,
        bound: vec!["a".into()],
        not_reached: vec![],
    });
    let mut details = EvalToolDetails::new(vec![cell], Language::Python, vec![Language::Python]);
    details.images.push(ImageBlock::new("image/png", "AAAA"));
    details.is_error = true;
    let content = vec![Content::Text(TextBlock { text: "t".into() }), Content::Image(details.images[0].image.clone())];
    let result = EvalResult { content, details };
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"content":[{"type":"text","text":"t"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"#,
            r#""details":{"cells":[{"index":0,"title":"load","code":"1/0","language":"python","status":"error","#,
            r#""output":"","value":12345678901234567890.10,"failure":{"kind":"kernel-exit","message":"gone","line":1,"#,
            r#""signal":"SIGSEGV","bound":["a"],"notReached":[]},"state":"lost"}],"language":"python","#,
            r#""languages":["python"],"images":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":true}}"#,
        )
    );
    let back: EvalResult = serde_json::from_str(&text).unwrap();
    assert_eq!(back, result);
}

#[test]
fn optional_fields_are_absent_not_null() {
    let cell = CellResult::pending(3, None, "x".into(), Language::Js);
    assert_eq!(
        serde_json::to_string(&cell).unwrap(),
        r#"{"index":3,"code":"x","language":"js","status":"pending","output":"","state":"kept"}"#
    );
}

#[test]
fn values_of_ten_thousand_levels_cross_unread() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let mut details = EvalToolDetails::new(vec![], Language::Js, vec![Language::Js]);
    details.json_outputs.push(json(&deep).into());
    let text = serde_json::to_string(&details).unwrap();
    let back: EvalToolDetails = serde_json::from_str(&text).unwrap();
    assert_eq!(back.json_outputs[0].get(), deep);
}
