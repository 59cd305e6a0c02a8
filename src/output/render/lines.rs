//! Lines of styled text: cleaned, measured, cut and wrapped. Colour sequences take no room.

use unicode_width::UnicodeWidthChar;

const TAB: &str = "    ";
/// Longest escape sequence; what is longer ends there.
const MAX_SEQUENCE_BYTES: usize = 2_000;
const RESET: &str = "\u{1b}[0m";

/// A piece of styled text: one character, or one colour sequence.
enum Piece<'a> {
    Letter(char),
    Colour(&'a str),
}

/// Splits text into its letters and colour sequences; other escape sequences and control characters are left out.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let letter = rest.chars().next()?;
            if letter == '\u{1b}' {
                let length = sequence_length(rest);
                let (sequence, after) = rest.split_at(length);
                rest = after;
                if sequence.ends_with('m') && sequence.starts_with("\u{1b}[") {
                    return Some(Piece::Colour(sequence));
                }
                continue;
            }
            rest = &rest[letter.len_utf8()..];
            if letter == '\n' || !letter.is_control() {
                return Some(Piece::Letter(letter));
            }
        }
    })
}

/// Length of the escape sequence that starts here; one that does not end takes the rest of its line.
fn sequence_length(text: &str) -> usize {
    let text = &text[..text.floor_char_boundary(MAX_SEQUENCE_BYTES)];
    let line_end = text.find('\n').unwrap_or(text.len());
    let body = &text[1..line_end];
    let end = match body.chars().next() {
        Some('[') => body[1..].find(|letter: char| ('@'..='~').contains(&letter)).map(|place| place + 2),
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let bell = body.find('\u{7}').map(|place| place + 1);
            bell.into_iter().chain(body.find("\u{1b}\\").map(|place| place + 2)).min()
        }
        Some(letter) => Some(letter.len_utf8()),
        None => Some(0),
    };
    end.map_or(line_end, |end| 1 + end)
}

/// One line of a cell's output as a terminal would show it: what a carriage return overwrites is gone, tabs are blanks,
/// nothing but colours (when wanted) is left of escape sequences.
pub(super) fn clean(line: &str, colours: bool) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line).replace('\t', TAB);
    let mut text = String::with_capacity(line.len());
    let mut coloured = false;
    for piece in pieces(&line) {
        match piece {
            Piece::Letter(letter) => text.push(letter),
            Piece::Colour(sequence) if colours => {
                coloured = true;
                text.push_str(sequence);
            }
            Piece::Colour(_) => {}
        }
    }
    if coloured {
        text.push_str(RESET);
    }
    text
}

/// Columns that styled text takes.
pub(super) fn width(text: &str) -> usize {
    pieces(text).map(|piece| if let Piece::Letter(letter) = piece { letter.width().unwrap_or(0) } else { 0 }).sum()
}

/// The line, or its start and `…` where it is too wide.
pub(super) fn cut(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let mut text = String::new();
    let mut used = 0;
    let mut coloured = false;
    for piece in pieces(line) {
        match piece {
            Piece::Colour(sequence) => {
                coloured = true;
                text.push_str(sequence);
            }
            Piece::Letter(letter) => {
                used += letter.width().unwrap_or(0);
                if used >= columns {
                    break;
                }
                text.push(letter);
            }
        }
    }
    text.push('…');
    if coloured {
        text.push_str(RESET);
    }
    text
}

/// The line on as many lines as it takes, broken between words where there are any. Colours go on across breaks.
pub(super) fn wrap(line: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let mut current = Wrapped::default();
    for piece in pieces(line) {
        match piece {
            Piece::Colour(sequence) => current.colour(sequence),
            Piece::Letter(letter) => {
                let width = letter.width().unwrap_or(0);
                if current.width + width > columns {
                    lines.push(current.break_line(letter == ' '));
                    if letter == ' ' {
                        continue;
                    }
                }
                current.push(letter, width);
            }
        }
    }
    if current.width > 0 {
        lines.push(current.text);
    }
    lines
}

#[derive(Default)]
struct Wrapped {
    text: String,
    width: usize,
    /// After the last blank: place in the text, columns before it, and colours on at it.
    word: Option<(usize, usize, Vec<String>)>,
    colours: Vec<String>,
}

impl Wrapped {
    fn colour(&mut self, sequence: &str) {
        self.text.push_str(sequence);
        match sequence {
            "\u{1b}[m" | RESET => self.colours.clear(),
            "\u{1b}[22m" => self.colours.retain(|on| !matches!(on.as_str(), "\u{1b}[1m" | "\u{1b}[2m")),
            "\u{1b}[23m" => self.colours.retain(|on| on != "\u{1b}[3m"),
            "\u{1b}[24m" => self.colours.retain(|on| on != "\u{1b}[4m"),
            "\u{1b}[39m" => self.colours.retain(|on| !(on.starts_with("\u{1b}[3") && on != "\u{1b}[3m")),
            _ => self.colours.push(sequence.to_owned()),
        }
    }

    fn push(&mut self, letter: char, width: usize) {
        self.text.push(letter);
        self.width += width;
        if letter == ' ' {
            self.word = Some((self.text.len(), self.width, self.colours.clone()));
        }
    }

    /// Ends the line, at the last blank unless the next letter is one, and goes on with what follows.
    fn break_line(&mut self, at_blank: bool) -> String {
        let whole = (self.text.len(), self.width, self.colours.clone());
        let (place, used, colours) = match self.word.take() {
            Some(word) if !at_blank && word.1 < self.width => word,
            _ => whole,
        };
        let rest = self.text.split_off(place);
        let mut line = std::mem::take(&mut self.text);
        line.truncate(line.trim_end_matches(' ').len());
        if !colours.is_empty() {
            line.push_str(RESET);
        }
        self.text = colours.concat() + &rest;
        self.width -= used;
        line
    }
}

/// The first lines of a text, and how many there are more.
pub(super) fn head<T>(mut lines: Vec<T>, most: usize) -> (Vec<T>, usize) {
    let hidden = lines.len().saturating_sub(most);
    lines.truncate(most);
    (lines, hidden)
}
