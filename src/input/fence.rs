//! Fences (``` and ~~~): around a body, around a whole call, and around a part of it.

use super::text::{is_blank, is_space, leading_blanks, lines};
use crate::language::Language;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fence {
    mark: char,
    length: usize,
}

/// A line that opens or closes a fence, with what follows the marks.
pub fn fence_line(line: &str) -> Option<(Fence, &str)> {
    let text = line.trim_start_matches(is_space);
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let behind = text.trim_start_matches(mark);
    let length = text.len() - behind.len();
    let info = behind.trim_matches(is_space);
    // As in Markdown, backquotes behind backquotes are code in a line, not a fence.
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((Fence { mark, length }, info))
}

impl Fence {
    pub fn length(self) -> usize {
        self.length
    }

    /// Whether `line` is a fence of this kind, and whether it is bare, so that it can close.
    fn meets(self, line: &str) -> Option<bool> {
        let (fence, info) = fence_line(line)?;
        (fence.mark == self.mark && fence.length >= self.length).then_some(info.is_empty())
    }

    pub fn is_closed_by(self, line: &str) -> bool {
        self.meets(line) == Some(true)
    }
}

/// The language an info string names: its first word, also as `{python}` or `{.python}`.
fn language_of(info: &str) -> Option<Language> {
    let word = info.trim_start_matches(['{', '.']);
    let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
    Language::from_name(&word[..end])
}

/// A text that is one fenced block.
#[derive(Debug, Eq, PartialEq)]
pub struct Block<'a> {
    pub inner: &'a str,
    pub language: Option<Language>,
    /// Lines before `inner`.
    pub skipped: usize,
    /// The end of the text closes it.
    pub unclosed: bool,
}

/// `text` has no blank lines at its end.
pub fn single_block(text: &str) -> Option<Block<'_>> {
    let blank = leading_blanks(text);
    let (opening, body) = split_line(&text[blank..]);
    let (fence, info) = fence_line(opening)?;
    let skipped = text[..blank].matches('\n').count() + 1;
    let block = |inner, unclosed| Some(Block { inner, language: language_of(info), skipped, unclosed });
    let mut fences = 0usize;
    let mut first_close = None;
    // Fences inside: one with a name opens, a bare one closes.
    let (mut depth, mut balanced) = (1usize, None);
    let mut last = 0;
    for (start, line) in lines(body) {
        last = start;
        let Some(bare) = fence.meets(line) else { continue };
        fences += 1;
        if bare {
            first_close = first_close.or(Some(start));
            depth = depth.saturating_sub(1);
            if depth == 0 {
                balanced = balanced.or(Some(start));
            }
        } else {
            depth += 1;
        }
    }
    if fences == 0 {
        return block(body, true);
    }
    let closes_last = first_close == Some(last) || balanced == Some(last);
    if !closes_last {
        return None;
    }
    let inner = body.rfind('\n').map_or("", |end| &body[..end]);
    block(inner, false)
}

/// Where a body that stands inside an open `outer` fence ends: the offsets of the line that closes it.
///
/// A bare fence as the last line of a body, or one without a partner, is code in neither language: it closes the fence
/// that was open before the header, and what follows it is prose.
pub fn end_of_outer(body: &str, outer: Fence) -> Option<(usize, usize)> {
    let mut met = Vec::new();
    let (mut first_content, mut last_content) = (None, 0);
    for (offset, line) in lines(body) {
        if !is_blank(line) {
            first_content = first_content.or(Some(offset));
            last_content = offset;
        }
        if let Some(bare) = outer.meets(line) {
            met.push((offset, offset + line.len(), bare));
        }
    }
    let bare = |from: usize| met.iter().skip(from).find(|(_, _, bare)| *bare).map(|&(start, end, _)| (start, end));
    let (first, _, first_bare) = *met.first()?;
    if Some(first) == first_content && (met.len() > 1 || !first_bare) {
        // The body begins with a block of its own.
        let (inner_close, _) = bare(1)?;
        let after = met.iter().position(|(start, _, _)| *start == inner_close)? + 1;
        return bare(after);
    }
    let ends_with_fence = met.last().is_some_and(|(start, _, bare)| *bare && *start == last_content);
    if met.len() % 2 == 1 || ends_with_fence { bare(0) } else { None }
}

fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}
