//! `outputBytes`: every byte of the stream is shown or hidden, and it is known which, whatever changes the text on its way.

use proptest::collection::vec;
use proptest::prelude::*;
use unicode_width::UnicodeWidthChar;

use super::*;

/// A character that can be shown, and the bytes of the stream it stands for.
type Shown = (char, u64);

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z]{0,12}".prop_map(String::into_bytes),
        2 => "[äß€😀日]{0,5}".prop_map(String::into_bytes),
        2 => Just(b"\n".to_vec()),
        1 => Just(b"\xff".to_vec()),
        1 => Just(b"\xe2\x82".to_vec()),
        1 => Just("e\u{301}".as_bytes().to_vec()),
        1 => vec(Just(b'y'), 50..400),
    ]
}

fn terminal_piece() -> impl Strategy<Value = Vec<u8>> {
    const SEQUENCES: &[&str] = &["\r", "\r\n", "\u{8}", "\u{1b}[31m", "\u{1b}[0m", "\u{1b}[K", "\u{1b}[2K", "\u{7}"];
    prop_oneof![piece(), proptest::sample::select(SEQUENCES).prop_map(|text| text.as_bytes().to_vec())]
}

fn characters(stream: &[u8]) -> Vec<Shown> {
    let mut characters = Vec::new();
    for chunk in stream.utf8_chunks() {
        characters.extend(chunk.valid().chars().map(|letter| (letter, letter.len_utf8() as u64)));
        if !chunk.invalid().is_empty() {
            characters.push((char::REPLACEMENT_CHARACTER, chunk.invalid().len() as u64));
        }
    }
    characters
}

/// What a terminal would leave; what it takes out counts with the character that comes next.
fn plain(characters: &[Shown]) -> Vec<Shown> {
    let mut done = Vec::new();
    let mut line: Vec<Shown> = Vec::new();
    let (mut cursor, mut taken_out) = (0_usize, 0_u64);
    let mut place = 0;
    while let Some((letter, bytes)) = characters.get(place).copied() {
        place += 1;
        match letter {
            '\n' => {
                done.append(&mut line);
                done.push(('\n', bytes + std::mem::take(&mut taken_out)));
                cursor = 0;
            }
            '\r' | '\u{7}' | '\u{8}' => {
                taken_out += bytes;
                cursor = match letter {
                    '\r' => 0,
                    '\u{8}' => cursor.saturating_sub(1),
                    _ => cursor,
                };
            }
            '\u{1b}' => {
                let end =
                    place + characters[place..].iter().position(|(letter, _)| "mK".contains(*letter)).unwrap() + 1;
                taken_out += (end + 1 - place) as u64;
                let sequence: String = characters[place..end].iter().map(|(letter, _)| letter).collect();
                place = end;
                if sequence.ends_with('K') {
                    let kept = if sequence == "[2K" { 0 } else { cursor.min(line.len()) };
                    taken_out += line.drain(kept..).map(|(_, bytes)| bytes).sum::<u64>();
                    line.extend(std::iter::repeat_n((' ', 0), if sequence == "[2K" { cursor } else { 0 }));
                    if let Some(first) = line.first_mut().filter(|_| sequence == "[2K") {
                        first.1 += std::mem::take(&mut taken_out);
                    }
                }
            }
            _ => {
                let bytes = bytes + std::mem::take(&mut taken_out);
                match line.get_mut(cursor) {
                    Some(place) => *place = (letter, place.1 + bytes),
                    None => line.push((letter, bytes)),
                }
                cursor += 1;
            }
        }
    }
    if let Some(last) = line.last_mut() {
        last.1 += taken_out;
    }
    done.extend(line);
    done
}

/// Lines no wider than this; what is cut off is counted, the mark stands for nothing.
fn cut_lines(characters: &[Shown], max_columns: usize) -> (Vec<Shown>, u64) {
    let mut shown = Vec::new();
    let mut hidden = 0;
    for line in characters.split_inclusive(|(letter, _)| *letter == '\n') {
        let (text, line_break) = match line.split_last() {
            Some((('\n', _), text)) => (text, &line[text.len()..]),
            _ => (line, &line[line.len()..]),
        };
        let ends: Vec<usize> = text
            .iter()
            .scan(0, |end, (letter, _)| {
                *end += letter.width().unwrap_or(usize::from(*letter != '\r'));
                Some(*end)
            })
            .collect();
        if ends.last().is_some_and(|end| *end > max_columns) {
            let kept = ends.iter().take_while(|end| **end < max_columns).count();
            shown.extend_from_slice(&text[..kept]);
            shown.push(('…', 0));
            hidden += text[kept..].iter().map(|(_, bytes)| bytes).sum::<u64>();
        } else {
            shown.extend_from_slice(text);
        }
        shown.extend_from_slice(line_break);
    }
    (shown, hidden)
}

fn text_of(characters: &[Shown]) -> String {
    characters.iter().map(|(letter, _)| letter).collect()
}

fn bytes_of(characters: &[Shown]) -> u64 {
    characters.iter().map(|(_, bytes)| bytes).sum()
}

fn check(stream: &[u8], pieces: &[Vec<u8>], limits: &OutputLimits) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    let (finished, _) = print(limits.clone(), folder.path(), &pieces);
    let characters = characters(stream);
    let characters = if limits.plain { plain(&characters) } else { characters };
    let (characters, cut_off) =
        if limits.max_columns > 0 { cut_lines(&characters, limits.max_columns) } else { (characters, 0) };
    // What was taken out where no character followed is not hidden.
    let nowhere = stream.len() as u64 - bytes_of(&characters) - cut_off;
    let shown = &finished.cells.first().map(|cell| cell.output.clone()).unwrap_or_default();
    let Some(truncation) = &finished.truncation else {
        prop_assert_eq!(cut_off, 0);
        let whole = text_of(&characters);
        prop_assert_eq!(whole.trim_end(), shown);
        return Ok(());
    };
    prop_assert_eq!(truncation.total_bytes, stream.len() as u64);
    prop_assert!(truncation.output_lines <= truncation.total_lines);
    let marker = messages::left_out(
        truncation.total_lines - truncation.output_lines,
        truncation.total_bytes - truncation.output_bytes,
    );
    let whole = text_of(&characters);
    let explained = |head: usize, tail: &str| {
        (head..=characters.len()).any(|place| {
            let end = text_of(&characters[place..]);
            end.trim_end() == tail.trim_end()
                && bytes_of(&characters[..head]) + bytes_of(&characters[place..]) + nowhere == truncation.output_bytes
        })
    };
    let marked = (limits.head_bytes > 0).then(|| shown.split_once(&marker)).flatten();
    let is_explained = match marked {
        None => explained(0, shown),
        Some((head, tail)) => {
            [head, head.strip_suffix('\n').unwrap_or(head)].into_iter().any(|head| {
                whole.starts_with(head) && explained(head.chars().count(), tail.strip_prefix('\n').unwrap_or(tail))
            }) || explained(0, tail.strip_prefix('\n').unwrap_or(tail))
        }
    };
    prop_assert!(is_explained, "{truncation:?}\n{shown:?}\n{characters:?}");
    Ok(())
}

fn limits() -> impl Strategy<Value = OutputLimits> {
    (0usize..600, 0usize..20, prop_oneof![Just(0usize), 0usize..300], prop_oneof![Just(0usize), 1usize..20]).prop_map(
        |(max_bytes, max_lines, head_bytes, max_columns)| OutputLimits {
            max_bytes,
            max_lines,
            head_bytes,
            max_columns,
            plain: false,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_produced_are_bytes_shown_and_hidden_also_where_lines_are_cut(
        limits in limits(),
        pieces in vec(piece(), 0..30),
    ) {
        check(&pieces.concat(), &pieces, &limits)?;
    }

    #[test]
    fn bytes_produced_are_bytes_shown_and_hidden_also_in_plain_text(
        limits in limits(),
        pieces in vec(terminal_piece(), 0..30),
    ) {
        check(&pieces.concat(), &pieces, &OutputLimits { plain: true, ..limits })?;
    }
}

#[test]
fn a_character_at_the_end_of_the_head_is_shown_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let limits = OutputLimits { max_bytes: 14, max_lines: 1, head_bytes: 14, ..OutputLimits::default() };
    let (finished, _) = print(limits, folder.path(), &["aaaaaaaaaaa😀".as_bytes()]);
    assert_eq!(finished.cells[0].output, "aaaaaaaaaaa\n[… 0 lines, 4 bytes left out …]");
}

#[test]
fn a_note_that_the_window_cuts_is_not_counted_as_output() {
    let folder = tempfile::tempdir().unwrap();
    let note = "\n… (4 002 more characters)\n".len();
    for max_bytes in 1..2 * note {
        let limits = OutputLimits { max_bytes, ..OutputLimits::default() };
        let output = output(limits, folder.path());
        output.begin_cell(0);
        output.display(json_display(&format!("\"{}\"", "x".repeat(12_000))));
        output.end_cell();
        let (finished, _) = finish(&output, &[complete(None)], &CallFacts::default());
        let truncation = finished.truncation.unwrap();
        let shown = finished.cells[0].output.bytes().filter(|byte| *byte == b'x').count() as u64;
        assert_eq!(truncation.output_bytes, shown + 1, "{max_bytes}: {:?}", finished.cells[0].output);
    }
}

#[test]
fn colours_after_a_cut_are_shown_and_other_sequences_there_are_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let limits = OutputLimits { max_columns: 3, ..OutputLimits::default() };
    let (finished, _) = print(limits, folder.path(), &[b"\x1b[31mabcdef\x1b[2K\x1b[0m\n"]);
    assert_eq!(finished.cells[0].output, "\u{1b}[31mab…\u{1b}[0m");
    let truncation = finished.truncation.unwrap();
    assert_eq!(truncation.total_bytes - truncation.output_bytes, 4 + 4);
}
