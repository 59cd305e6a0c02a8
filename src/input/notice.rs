//! Sentences about what was ignored, gathered while a text is parsed.

use std::fmt::Write;

/// How many places a sentence names before it counts the others.
const NAMED_PLACES: usize = 5;

/// Runs of lines, from 1, both ends inclusive.
#[derive(Debug, Default)]
struct Places(Vec<(usize, usize)>);

impl Places {
    fn add(&mut self, line: usize) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => self.0.push((line, line)),
        }
    }

    /// `line 1`, `lines 6-7`, `lines 1, 6-7 and 3 more places`.
    fn describe(&self) -> String {
        let single = matches!(self.0[..], [(first, last)] if first == last);
        let mut text = String::from(if single { "line " } else { "lines " });
        for (index, (first, last)) in self.0.iter().take(NAMED_PLACES).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let _ = if first == last { write!(text, "{comma}{first}") } else { write!(text, "{comma}{first}-{last}") };
        }
        match self.0.len().saturating_sub(NAMED_PLACES) {
            0 => {}
            1 => text.push_str(" and 1 more place"),
            more => {
                let _ = write!(text, " and {more} more places");
            }
        }
        text
    }
}

/// Everything there is to say about one input.
#[derive(Debug, Default)]
pub struct Notices {
    before: Places,
    after: Places,
    others: Vec<String>,
    unnamed: usize,
}

impl Notices {
    pub fn text_before_cells(&mut self, line: usize) {
        self.before.add(line);
    }

    pub fn text_after_cell(&mut self, line: usize) {
        self.after.add(line);
    }

    pub fn add(&mut self, sentence: String) {
        if self.others.len() < NAMED_PLACES {
            self.others.push(sentence);
        } else {
            self.unnamed += 1;
        }
    }

    pub fn finish(self) -> Option<String> {
        let mut sentences = Vec::new();
        if !self.before.0.is_empty() {
            sentences.push(format!("Text before the first cell was ignored ({}).", self.before.describe()));
        }
        if !self.after.0.is_empty() {
            sentences.push(format!("Text outside cells was ignored ({}).", self.after.describe()));
        }
        sentences.extend(self.others);
        if self.unnamed > 0 {
            sentences.push(format!("{} more notices like these were left out.", self.unnamed));
        }
        (!sentences.is_empty()).then(|| sentences.join("\n"))
    }
}
