//! JSON as a tree of limited depth and width. Reads the text as far as it shows it; never recurses deeper than that.

use crate::json::string_value;
use crate::limits::{TREE_COLLAPSED, TREE_EXPANDED};
use crate::output::json_text::string_end;
use crate::output::messages;

use super::RenderOptions;
use super::lines::{clean, cut};
use super::paint::{Paint, Style};

/// The value under its name. Lines are as wide as asked for.
pub(super) fn tree(name: &str, json: &str, options: &RenderOptions, width: usize) -> Vec<String> {
    let (depth, items) = if options.expanded { TREE_EXPANDED } else { TREE_COLLAPSED };
    let mut tree = Tree { lines: Vec::new(), paint: options.paint(), depth, items };
    tree.node("", "", name, json.trim(), 0);
    tree.lines.iter().map(|line| cut(line, width)).collect()
}

struct Tree {
    lines: Vec<String>,
    paint: Paint,
    depth: usize,
    items: usize,
}

impl Tree {
    /// `lead` stands before this line, `below` before those of its children.
    fn node(&mut self, lead: &str, below: &str, name: &str, json: &str, level: usize) {
        let shown = match json.as_bytes().first() {
            Some(b'{' | b'[') => self.paint.dim(&size(json)),
            _ => self.scalar(json),
        };
        let name = self.paint.apply(Style::Blue, &clean(name, false));
        self.lines.push(format!("{}{name}: {shown}", self.paint.dim(lead)));
        if level >= self.depth {
            return;
        }
        let mut children = members(json).peekable();
        let mut count = 0;
        while let Some((key, value)) = children.next() {
            if count == self.items {
                let more = messages::more_items(1 + children.count() as u64);
                self.lines.push(self.paint.dim(&format!("{below}└─ {more}")));
                return;
            }
            let last = children.peek().is_none();
            let (lead, inner) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let name = key.map_or_else(|| count.to_string(), string_value);
            self.node(&format!("{below}{lead}"), &format!("{below}{inner}"), &name, value, level + 1);
            count += 1;
        }
    }

    fn scalar(&self, json: &str) -> String {
        // A long string is cut to the line anyway.
        let short: String = json.chars().take(500).collect();
        let style = if json.starts_with('"') { Style::Green } else { Style::Cyan };
        self.paint.apply(style, &short)
    }
}

fn size(json: &str) -> String {
    let count = members(json).count() as u64;
    if json.starts_with('{') {
        format!("{{{}}}", messages::counted(count, "member"))
    } else {
        format!("[{}]", messages::counted(count, "item"))
    }
}

/// Keys (none in an array) and values of a JSON object or array, as they stand in the text.
fn members(json: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let object = json.starts_with('{');
    let mut place = usize::from(json.starts_with(['{', '[']));
    let mut done = place == 0;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        place = skip(json, place, b" \t\r\n,");
        if matches!(json.as_bytes().get(place), None | Some(b'}' | b']')) {
            done = true;
            return None;
        }
        let key = object.then(|| {
            let end = value_end(json, place).unwrap_or(json.len());
            let key = &json[place..end];
            place = skip(json, end, b" \t\r\n:");
            key
        });
        let end = value_end(json, place).unwrap_or(json.len());
        let value = json[place..end].trim_end();
        // A text that makes no progress is not JSON.
        done = end <= place;
        place = end;
        (!value.is_empty()).then_some((key, value))
    })
}

fn skip(json: &str, from: usize, bytes: &[u8]) -> usize {
    let rest = json.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| bytes.contains(byte)).count()
}

/// The place after the value that starts here; none when it does not end.
pub(super) fn value_end(json: &str, start: usize) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut place = start;
    let mut depth = 0usize;
    loop {
        match *bytes.get(place)? {
            b'"' => {
                place = string_end(bytes, place);
                if bytes.get(place.checked_sub(1)?) != Some(&b'"') {
                    return None;
                }
            }
            b'{' | b'[' => {
                depth += 1;
                place += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                place += 1;
            }
            byte if depth > 0 || b",:".contains(&byte) || byte.is_ascii_whitespace() => {
                if depth == 0 {
                    return None;
                }
                place += 1;
            }
            _ => {
                let rest = &bytes[place..];
                let length = rest.iter().position(|byte| b",:}] \t\r\n".contains(byte)).unwrap_or(rest.len());
                return Some(place + length);
            }
        }
        if depth == 0 {
            return Some(place);
        }
    }
}
