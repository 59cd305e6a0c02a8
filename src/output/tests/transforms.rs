//! Column cap, `plain`, displays: what changes the text block and never the artifact.

use super::*;

fn columns(max_columns: usize) -> OutputLimits {
    OutputLimits { max_columns, ..OutputLimits::default() }
}

fn plain() -> OutputLimits {
    OutputLimits { plain: true, ..OutputLimits::default() }
}

fn shown(limits: OutputLimits, pieces: &[&[u8]]) -> String {
    let folder = tempfile::tempdir().unwrap();
    print(limits, folder.path(), pieces).0.cells.remove(0).output
}

#[test]
fn long_lines_are_cut_with_a_mark_and_the_whole_is_in_the_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let (finished, text) = print(columns(5), folder.path(), &[b"12345\n", b"1234", b"56\nab\n1234567"]);
    assert_eq!(finished.cells[0].output, "12345\n1234…\nab\n1234…");
    let truncation = finished.truncation.unwrap();
    assert_eq!(truncation.truncated_by, TruncatedBy::Columns);
    assert_eq!((truncation.total_bytes, truncation.output_bytes), (23, 18), "two and three bytes are hidden");
    assert_eq!((truncation.total_lines, truncation.output_lines), (4, 4));
    assert_eq!(std::fs::read(&truncation.artifact_path).unwrap(), b"12345\n123456\nab\n1234567");
    assert!(text.contains(&truncation.artifact_path));
}

#[test]
fn columns_are_those_of_a_terminal() {
    assert_eq!(shown(columns(4), &["日本語".as_bytes()]), "日…");
    assert_eq!(shown(columns(4), &["日本".as_bytes()]), "日本");
    assert_eq!(shown(columns(3), &["e\u{301}te\u{301}".as_bytes()]), "e\u{301}te\u{301}");
    assert_eq!(shown(columns(1), &[b"ab"]), "…");
    assert_eq!(shown(columns(3), &[b"\x1b[31mabcdef\x1b[0m\nx"]), "\x1b[31mab…\x1b[0m\nx", "colours take no room");
    assert_eq!(shown(columns(3), &[b"\x1b[3", b"1mabc\x1b[0", b"m"]), "\x1b[31mabc\x1b[0m");
}

#[test]
fn characters_are_not_cut_at_chunk_borders() {
    let bytes = "ä€😀".as_bytes();
    let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(shown(columns(80), &pieces), "ä€😀");
    assert_eq!(shown(plain(), &pieces), "ä€😀");
    assert_eq!(shown(OutputLimits::default(), &pieces), "ä€😀");
    assert_eq!(shown(columns(80), &[b"a\xe2\x82"]), "a\u{fffd}");
}

#[test]
fn plain_strips_escape_sequences_and_applies_carriage_returns() {
    assert_eq!(shown(plain(), &[b"\x1b[1;31mred\x1b[0m\r\n"]), "red");
    assert_eq!(shown(plain(), &[b" 10%\r", b" 50%\r100%\n"]), "100%");
    assert_eq!(shown(plain(), &[b"downloading\r\x1b[Kdone"]), "done");
    assert_eq!(shown(plain(), &[b"abc\rX"]), "Xbc");
    assert_eq!(shown(plain(), &[b"ab\x08c"]), "ac");
    assert_eq!(shown(plain(), &[b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07!"]), "link!");
    assert_eq!(shown(OutputLimits::default(), &[b"\x1b[31mred\r\n!"]), "\x1b[31mred\r\n!", "only when asked for");
}

#[test]
fn plain_changes_the_text_block_only() {
    let folder = tempfile::tempdir().unwrap();
    let limits = OutputLimits { plain: true, max_lines: 1, ..OutputLimits::default() };
    let (finished, _) = print(limits, folder.path(), &[b"\x1b[31mone\x1b[0m\n", b"1%\r2%\n"]);
    assert_eq!(finished.cells[0].output, "2%");
    let path = finished.truncation.unwrap().artifact_path;
    assert_eq!(std::fs::read(path).unwrap(), b"\x1b[31mone\x1b[0m\n1%\r2%\n");
}

#[test]
fn a_display_stands_where_it_was_emitted() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    output.write(b"before");
    output.display(json_display(r#"{"a":[1,2],"b":{},"c":"x: [y]"}"#));
    output.display(Display::Text { text: "**bold**".into(), markdown: true });
    output.display(json_display("12345678901234567890"));
    output.write(b"after\n");
    let cell = output.end_cell();
    assert!(cell.has_markdown && cell.rich);
    insta::assert_snapshot!(cell.text, @r#"
    before
    display[1]:
    {
      "a": [
        1,
        2
      ],
      "b": {},
      "c": "x: [y]"
    }
    **bold**
    display[2]:
    12345678901234567890
    after
    "#);
    let progress = output.progress(Known::default(), 0);
    assert_eq!(progress.json_outputs[1].get(), "12345678901234567890", "k counts as jsonOutputs does");
}

#[test]
fn a_long_display_is_capped_with_a_note_and_the_whole_is_in_the_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    let long = format!("\"{}\"", "€".repeat(9_000));
    output.display(json_display(&long));
    output.write(b"after\n");
    output.end_cell();
    let (finished, _) = finish(&output, &[complete(None)], &CallFacts::default());
    let shown = &finished.cells[0].output;
    let block =
        shown.strip_prefix("display[1]:\n").unwrap().strip_suffix("\n… (1 002 more characters)\nafter").unwrap();
    assert_eq!(block.chars().count(), 8_000);
    let truncation = finished.truncation.unwrap();
    assert_eq!(truncation.total_bytes - truncation.output_bytes, 1_001 * 3 + 1);
    let whole = format!("display[1]:\n{long}\nafter\n");
    assert_eq!(std::fs::read_to_string(truncation.artifact_path).unwrap(), whole);
    assert_eq!(finished.details.json_outputs[0].get(), long, "and it is exact in jsonOutputs");
}

#[test]
fn deep_and_wide_json_is_shown_without_recursion() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    output.display(json_display(&format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000))));
    output.display(json_display(&format!("[{}1]", "1,".repeat(200_000))));
    let cell = output.end_cell();
    assert!(cell.text.len() < 20_000);
    let (finished, _) = finish(&output, &[complete(None)], &CallFacts::default());
    assert!(finished.truncation.unwrap().total_bytes < 3 << 20);
}

#[test]
fn details_never_grow_without_bound() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    let large = format!("\"{}\"", "x".repeat(crate::limits::MAX_DETAILS_JSON_BYTES - 10));
    output.display(json_display(&large));
    output.display(json_display("\"0123456789\""));
    output.display(json_display("7"));
    for _ in 0..crate::limits::MAX_DETAILS_ENTRIES + 5 {
        output.status(json(r#"{"op":"x"}"#));
    }
    assert_eq!(output.end_cell().status_events.len(), crate::limits::MAX_DETAILS_ENTRIES);
    let finished = output.finish(Reserve::default());
    assert_eq!(finished.details.json_outputs.len(), 3);
    assert_eq!(finished.details.json_outputs[1].get(), r#""[12 bytes of JSON left out: too large for the result]""#);
    assert_eq!(finished.notices(), ["5 status events left out of the details: there were too many."]);
}

#[test]
fn background_output_opens_the_next_result_under_a_line_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    let background = crate::kernel::contract::Background {
        text: b"tick".to_vec(),
        errors: vec!["Unhandled rejection in cell-1: Error: late".into()],
    };
    output.background(&background);
    output.write(b"own\n");
    assert_eq!(output.end_cell().text, "own");
    let (_, text) = finish(&output, &[complete(None)], &CallFacts::default());
    insta::assert_snapshot!(text, @"
    Background output of earlier cells:
    tick
    Unhandled rejection in cell-1: Error: late

    own
    ");
}
