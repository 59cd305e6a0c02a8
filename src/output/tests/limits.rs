//! Window, lines, head and tail: what is shown is exact, and never larger than the limit.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn chunk() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z\n]{0,40}".prop_map(String::into_bytes),
        2 => "[äß€😀\n]{0,12}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..24),
        1 => "\n{0,6}".prop_map(String::into_bytes),
        1 => (100usize..3000).prop_map(|length| vec![b'x'; length]),
    ]
}

fn limits() -> impl Strategy<Value = OutputLimits> {
    (0usize..3000, 0usize..60, prop_oneof![Just(0usize), 0usize..1500]).prop_map(
        |(max_bytes, max_lines, head_bytes)| OutputLimits {
            max_bytes,
            max_lines,
            head_bytes,
            ..OutputLimits::default()
        },
    )
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes produced are bytes shown and bytes hidden; if any is hidden, the artifact is the whole stream.
    #[test]
    fn bytes_produced_are_bytes_shown_and_bytes_hidden(limits in limits(), chunks in vec(chunk(), 0..12)) {
        let folder = tempfile::tempdir().unwrap();
        let pieces: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let stream = chunks.concat();
        let (finished, text) = print(limits.clone(), folder.path(), &pieces);
        let shown = &finished.cells[0].output;
        let marker_room = if limits.head_bytes > 0 { 100 } else { 0 };
        prop_assert!(shown.len() <= limits.max_bytes + marker_room);
        let Some(truncation) = &finished.truncation else {
            prop_assert!(shown == lossy(&stream).trim_end());
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file when nothing is hidden");
            return Ok(());
        };
        prop_assert_eq!(truncation.total_bytes, stream.len() as u64);
        prop_assert_eq!(truncation.total_lines, select::line_count(&stream) as u64);
        prop_assert!(truncation.output_bytes < truncation.total_bytes);
        prop_assert!(truncation.output_lines <= limits.max_lines as u64);
        prop_assert_eq!(std::fs::read(&truncation.artifact_path).unwrap(), stream.clone());
        prop_assert!(text.contains(&truncation.artifact_path));
        let shown_bytes = truncation.output_bytes as usize;
        if limits.head_bytes == 0 {
            prop_assert!(shown == lossy(&stream[stream.len() - shown_bytes..]).trim_end());
        } else {
            // Some split of the shown bytes into a start and an end explains the text.
            let marker = messages::left_out(
                truncation.total_lines - truncation.output_lines,
                truncation.total_bytes - truncation.output_bytes,
            );
            let explained = (0..=shown_bytes.min(limits.head_bytes)).any(|head| {
                let mut expected = lossy(&stream[..head]);
                if !expected.is_empty() && !expected.ends_with('\n') {
                    expected.push('\n');
                }
                expected += &format!("{marker}\n{}", lossy(&stream[stream.len() - (shown_bytes - head)..]));
                expected.trim_end() == shown
            });
            prop_assert!(explained, "{shown:?}");
        }
    }

    /// Several cells, displays, `maxColumns` and `plain`: whatever hides a byte, the artifact is the whole stream.
    #[test]
    fn whatever_hides_a_byte_names_a_file_with_the_whole_stream(
        limits in limits(),
        max_columns in prop_oneof![Just(0usize), 1usize..30],
        plain in any::<bool>(),
        steps in vec((0u8..8, chunk()), 0..16),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let limits = OutputLimits { max_columns, plain, ..limits };
        let output = output(limits.clone(), folder.path());
        let mut stream = Vec::new();
        let mut shown_whole = vec![Vec::new()];
        let mut displays = 0;
        output.begin_cell(0);
        for (step, bytes) in &steps {
            let before = stream.len();
            match step {
                0 => {
                    output.end_cell();
                    shown_whole.push(Vec::new());
                    output.begin_cell(shown_whole.len() - 1);
                }
                1 => {
                    displays += 1;
                    output.display(json_display("[1,{\"a\":\"b\"}]"));
                    if shown_whole.last().unwrap().last().is_some_and(|last| *last != b'\n') {
                        stream.push(b'\n');
                    }
                    stream.extend(format!("display[{displays}]:\n[\n  1,\n  {{\n    \"a\": \"b\"\n  }}\n]\n").bytes());
                }
                _ => {
                    output.write(bytes);
                    stream.extend(bytes);
                }
            }
            shown_whole.last_mut().unwrap().extend(&stream[before..]);
        }
        output.end_cell();
        let cells: Vec<CellFacts> = shown_whole.iter().map(|_| complete(None)).collect();
        let (finished, text) = finish(&output, &cells, &CallFacts::default());
        if let Some(truncation) = &finished.truncation {
            prop_assert_eq!(std::fs::read(&truncation.artifact_path).unwrap(), stream.clone());
            prop_assert!(text.contains(&truncation.artifact_path));
            prop_assert_eq!(truncation.total_bytes, stream.len() as u64);
            prop_assert!(truncation.output_lines <= truncation.total_lines);
            let room = limits.max_bytes + 700 + cells.len() * 40;
            prop_assert!(text.len() <= room, "{} of {room}", text.len());
        } else {
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            for (cell, whole) in finished.cells.iter().zip(&shown_whole).filter(|_| !plain) {
                prop_assert!(cell.output == lossy(whole).trim_end());
            }
        }
        if max_columns > 0 {
            let lines = finished.cells.iter().flat_map(|cell| cell.output.lines());
            // Escape sequences and carriage returns take no room on a terminal; here they would.
            let lines = lines.filter(|line| !line.contains('\u{1b}')).map(|line| line.replace('\r', ""));
            let widest = lines.map(|line| unicode_width::UnicodeWidthStr::width(line.as_str()));
            // The marker between start and end is no line of the output.
            prop_assert!(limits.head_bytes > 0 || widest.max().unwrap_or(0) <= max_columns);
        }
    }

    /// Memory holds what may be shown, whatever is written and however it is cut into pieces.
    #[test]
    fn what_is_shown_does_not_depend_on_chunk_borders(limits in limits(), chunks in vec(chunk(), 0..8), size in 1usize..50) {
        let folder = tempfile::tempdir().unwrap();
        let stream = chunks.concat();
        let whole = print(limits.clone(), folder.path(), &[&stream]).0;
        let pieces: Vec<&[u8]> = stream.chunks(size).collect();
        let pieces = print(limits, folder.path(), &pieces).0;
        prop_assert_eq!(whole.cells, pieces.cells);
    }
}

#[test]
fn the_default_limits_hold_for_the_whole_text_block() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000).map(|row| format!("row {row}\n")).collect();
    let (finished, text) = print(OutputLimits::default(), folder.path(), &[rows.as_bytes()]);
    let truncation = finished.truncation.unwrap();
    assert_eq!((truncation.total_lines, truncation.total_bytes), (20_000, rows.len() as u64));
    assert_eq!(truncation.truncated_by, TruncatedBy::Lines);
    assert_eq!(truncation.direction, Direction::Tail);
    assert!(text.lines().count() <= 3_000 && text.len() <= 51_200);
    assert!(text.contains("row 19999\n"));
    let wide = "x".repeat(60_000);
    let (finished, text) = print(OutputLimits::default(), folder.path(), &[wide.as_bytes()]);
    assert_eq!(finished.truncation.unwrap().truncated_by, TruncatedBy::Bytes);
    assert!(text.len() <= 51_200 && text.len() > 50_000);
}

#[test]
fn output_that_just_fits_is_shown_whole_and_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let exact = "x".repeat(51_200);
    let (finished, text) = print(OutputLimits::default(), folder.path(), &[exact.as_bytes()]);
    assert_eq!(finished.truncation, None);
    assert_eq!(text, exact);
    let lines = "y\n".repeat(3_000);
    assert_eq!(print(OutputLimits::default(), folder.path(), &[lines.as_bytes()]).0.truncation, None);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn head_and_tail_stand_around_a_marker_that_names_what_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..2_000).map(|row| format!("row {row:04}\n")).collect();
    let limits = OutputLimits { max_bytes: 900, head_bytes: 90, ..OutputLimits::default() };
    let (finished, _) = print(limits, folder.path(), &[rows.as_bytes()]);
    let truncation = finished.truncation.as_ref().unwrap();
    assert_eq!(truncation.direction, Direction::Middle);
    let shown = &finished.cells[0].output;
    assert!(shown.starts_with("row 0000\n") && shown.ends_with("row 1999"), "{shown}");
    assert!(shown.contains("\n[… 1 900 lines, 17 100 bytes left out …]\n"), "{shown}");
}

#[test]
fn one_window_holds_for_all_cells_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    let mut own = Vec::new();
    for (index, letter) in ["a", "b", "c"].iter().enumerate() {
        output.begin_cell(index);
        output.write(letter.repeat(30_000).as_bytes());
        own.push(output.end_cell().text);
    }
    let cells = [complete(Some("one")), complete(Some("two")), complete(None)];
    let (finished, text) = finish(&output, &cells, &CallFacts::default());
    assert!(text.len() <= 51_200);
    assert!(text.starts_with("[1/3] one (output not shown)\n\n[2/3] two\nbbb"), "{}", &text[..80]);
    assert!(text.contains(&"c".repeat(30_000)));
    assert_eq!(finished.truncation.as_ref().unwrap().total_bytes, 90_000);
    // A result of its own keeps what the call's window passed by.
    assert_eq!(finished.cell_output(0, own[0].clone()), "a".repeat(30_000));
}

fn live_tail(output: &CallOutput, max_bytes: usize) -> String {
    output.progress(Known::default(), max_bytes).text
}

#[test]
fn the_live_tail_is_the_end_of_what_was_written_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    output.write("progress 10%".as_bytes());
    assert_eq!(live_tail(&output, 100), "progress 10%", "without waiting for a newline");
    output.write(&"€".as_bytes()[..2]);
    assert_eq!(live_tail(&output, 100), "progress 10%", "a character is shown when it is whole");
    output.write(&"€".as_bytes()[2..]);
    assert_eq!(live_tail(&output, 4), "%€");
    assert_eq!(live_tail(&output, 2), "", "never a part of a character");
    output.write("€".repeat(100_000).as_bytes());
    let tail = live_tail(&output, crate::limits::MAX_UPDATE_BYTES);
    assert!(tail.len() <= crate::limits::MAX_UPDATE_BYTES && tail.len() > 102_000);
    assert!(output.progress(Known::default(), 1).running.unwrap().output.len() <= 51_200);
}

#[test]
fn invalid_utf8_is_replaced_in_the_text_and_exact_in_the_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let junk = [0xFFu8; 40_000];
    let (finished, text) = print(OutputLimits::default(), folder.path(), &[&junk]);
    let truncation = finished.truncation.unwrap();
    assert!(text.len() <= 51_200, "replacement characters count as what they take");
    assert_eq!(std::fs::read(truncation.artifact_path).unwrap(), junk);
    let (finished, text) = print(OutputLimits::default(), folder.path(), &[b"\xff\xfe bin\n"]);
    assert_eq!(finished.truncation, None);
    assert_eq!(text, "\u{fffd}\u{fffd} bin");
}

#[test]
fn a_gigabyte_costs_the_window_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    output.begin_cell(0);
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        output.write(&piece);
        assert!(output.memory() < 1 << 20);
    }
    output.end_cell();
    let (finished, _) = finish(&output, &[complete(None)], &CallFacts::default());
    let truncation = finished.truncation.unwrap();
    assert_eq!(truncation.total_bytes, 64 << 20);
    assert_eq!(std::fs::metadata(truncation.artifact_path).unwrap().len(), 64 << 20);
}
