//! Markdown for a terminal: headings, paragraphs, lists, quotes, rules, code, tables. What it does not know stays text.

use crate::language::Language;

use super::highlight::highlight;
use super::lines::{clean, cut, width, wrap};
use super::paint::{Paint, Style};

/// Inline marks inside of marks; deeper ones are shown as they stand.
const MAX_INLINE_DEPTH: usize = 4;
/// Bytes within which a mark must end to be one.
const MAX_INLINE_BYTES: usize = 1_000;
/// Narrowest column of a table that is too wide for the terminal.
const MIN_COLUMN: usize = 4;

pub(super) fn markdown(text: &str, columns: usize, paint: Paint) -> Vec<String> {
    let mut page = Page { lines: Vec::new(), paragraph: String::new(), columns, paint };
    let lines: Vec<&str> = text.lines().collect();
    let mut place = 0;
    while let Some(line) = lines.get(place) {
        place += page.block(line, &lines[place..]);
    }
    page.end_paragraph();
    page.lines
}

struct Page {
    lines: Vec<String>,
    paragraph: String,
    columns: usize,
    paint: Paint,
}

impl Page {
    /// Takes one block, or one line of a paragraph; answers how many lines it was.
    fn block(&mut self, line: &str, rest: &[&str]) -> usize {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.end_paragraph();
            if self.lines.last().is_some_and(|last| !last.is_empty()) {
                self.lines.push(String::new());
            }
            return 1;
        }
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence)) {
            self.end_paragraph();
            return self.code(trimmed, fence, rest);
        }
        if rest.len() > 1 && line.contains('|') && is_table_rule(rest[1]) {
            self.end_paragraph();
            return self.table(rest);
        }
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&level) && trimmed[level..].starts_with(' ') {
            self.end_paragraph();
            let heading = self.inline(trimmed[level..].trim());
            let heading =
                self.paint.bold(&if level == 1 { self.paint.apply(Style::Underline, &heading) } else { heading });
            self.lines.extend(wrap(&heading, self.columns));
            return 1;
        }
        if is_rule(trimmed) {
            self.end_paragraph();
            self.lines.push(self.paint.dim(&"─".repeat(self.columns.min(40))));
            return 1;
        }
        if let Some(quoted) = trimmed.strip_prefix('>') {
            self.end_paragraph();
            let text = self.paint.apply(Style::Italic, &self.inline(quoted.trim()));
            self.hanging(&self.paint.dim("│ "), &self.paint.dim("│ "), &text);
            return 1;
        }
        if let Some((marker, item)) = list_item(trimmed) {
            self.end_paragraph();
            let indent = " ".repeat((line.len() - line.trim_start().len()).min(self.columns / 2));
            let text = self.inline(item);
            self.hanging(&format!("{indent}{marker} "), &" ".repeat(width(&indent) + width(&marker) + 1), &text);
            return 1;
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph.push_str(trimmed);
        // Two blanks at the end are a line break.
        if line.ends_with("  ") {
            self.end_paragraph();
        }
        1
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if !paragraph.is_empty() {
            let text = self.inline(&paragraph);
            self.lines.extend(wrap(&text, self.columns));
        }
    }

    fn hanging(&mut self, first: &str, following: &str, text: &str) {
        let columns = self.columns.saturating_sub(width(first));
        for (number, line) in wrap(text, columns).into_iter().enumerate() {
            self.lines.push(format!("{}{line}", if number == 0 { first } else { following }));
        }
    }

    fn code(&mut self, opening: &str, fence: &str, rest: &[&str]) -> usize {
        let language = Language::from_name(opening.trim_start_matches(['`', '~']).trim());
        let body: Vec<&str> =
            rest[1..].iter().take_while(|line| !line.trim_start().starts_with(fence)).copied().collect();
        let code: Vec<String> = body.iter().map(|line| clean(line, false)).collect();
        for line in highlight(&code.join("\n"), language, self.paint) {
            self.lines.push(cut(&format!("  {line}"), self.columns));
        }
        (body.len() + 2).min(rest.len())
    }

    fn table(&mut self, rest: &[&str]) -> usize {
        let rows: Vec<&str> = rest.iter().take_while(|line| line.contains('|')).copied().collect();
        let cells: Vec<Vec<String>> = rows
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != 1)
            .map(|(number, row)| {
                let cells = table_cells(row).into_iter().map(|cell| self.inline(&cell));
                cells.map(|cell| if number == 0 { self.paint.bold(&cell) } else { cell }).collect()
            })
            .collect();
        let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| cells.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
        let mut widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0).max(1)).collect();
        fit(&mut widths, self.columns.saturating_sub(columns.saturating_sub(1) * 3));
        for (number, row) in cells.iter().enumerate() {
            let line: Vec<String> = widths
                .iter()
                .enumerate()
                .map(|(column, columns)| {
                    let cell = cut(row.get(column).map_or("", String::as_str), *columns);
                    let fill = columns.saturating_sub(width(&cell));
                    cell + &" ".repeat(fill)
                })
                .collect();
            self.lines.push(cut(line.join(" │ ").trim_end(), self.columns));
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
                self.lines.push(cut(&self.paint.dim(&rule.join("─┼─")), self.columns));
            }
        }
        rows.len()
    }

    fn inline(&self, text: &str) -> String {
        inline(&clean(text, false), self.paint, 0)
    }
}

fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|letter| "|-: ".contains(letter))
}

fn table_cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for letter in row.chars() {
        match letter {
            '|' if !escaped => cells.push(String::new()),
            letter => cells.iter_mut().last().into_iter().for_each(|cell| cell.push(letter)),
        }
        escaped = letter == '\\' && !escaped;
    }
    if row.ends_with('|') && !row.ends_with("\\|") {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().replace("\\|", "|")).collect()
}

/// Narrows the widest columns until all fit.
fn fit(widths: &mut [usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter_mut().max() else { return };
        if *widest <= MIN_COLUMN {
            return;
        }
        *widest -= 1;
    }
}

fn is_rule(line: &str) -> bool {
    let mut letters = line.chars().filter(|letter| *letter != ' ');
    let first = letters.next();
    line.len() >= 3
        && matches!(first, Some('-' | '*' | '_'))
        && letters.clone().count() >= 2
        && letters.all(|letter| Some(letter) == first)
}

/// The marker as it is shown, and the text of a list item.
fn list_item(line: &str) -> Option<(String, &str)> {
    if let Some(item) = ["- ", "* ", "+ "].into_iter().find_map(|marker| line.strip_prefix(marker)) {
        return Some(("•".into(), item.trim_start()));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let item = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "));
    item.filter(|_| (1..=9).contains(&digits)).map(|item| (format!("{}.", &line[..digits]), item.trim_start()))
}

fn inline(text: &str, paint: Paint, depth: usize) -> String {
    let mut shown = String::new();
    let mut rest = text;
    let mut after_word = false;
    while let Some(letter) = rest.chars().next() {
        let (piece, length) = mark(rest, letter, after_word, paint, depth).unwrap_or_else(|| {
            let length = letter.len_utf8();
            (rest[..length].to_owned(), length)
        });
        after_word = letter.is_alphanumeric();
        shown.push_str(&piece);
        rest = &rest[length..];
    }
    shown
}

/// What a mark at the start of `rest` is shown as, and how long it is.
fn mark(rest: &str, letter: char, after_word: bool, paint: Paint, depth: usize) -> Option<(String, usize)> {
    let rest = &rest[..rest.floor_char_boundary(MAX_INLINE_BYTES)];
    let within = |inner: &str| inline(inner, paint, depth + 1);
    match letter {
        '\\' => {
            let escaped = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
            Some((escaped.to_string(), 2))
        }
        '`' => {
            let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
            let inner = &rest[ticks..];
            let end = inner.find(&rest[..ticks])?;
            Some((paint.apply(Style::Cyan, inner[..end].trim()), end + 2 * ticks))
        }
        _ if depth >= MAX_INLINE_DEPTH => None,
        '*' | '_' | '~' => {
            if letter == '_' && after_word {
                return None;
            }
            let double = if letter == '~' { "~~" } else { &rest[..1].repeat(2) };
            if let Some(inner) = rest.strip_prefix(double) {
                let end = inner.find(double).filter(|end| *end > 0)?;
                let style = if letter == '~' { Style::Dim } else { Style::Bold };
                return Some((paint.apply(style, &within(&inner[..end])), end + 4));
            }
            let inner = rest.strip_prefix(letter).filter(|inner| letter != '~' && !inner.starts_with(' '))?;
            let end = inner.find(letter).filter(|end| *end > 0 && !inner[..*end].ends_with(' '))?;
            Some((paint.apply(Style::Italic, &within(&inner[..end])), end + 2))
        }
        '!' if rest.starts_with("![") => {
            let (shown, length) = link(&rest[1..], paint, depth)?;
            Some((shown, length + 1))
        }
        '[' => link(rest, paint, depth),
        _ => None,
    }
}

fn link(rest: &str, paint: Paint, depth: usize) -> Option<(String, usize)> {
    let middle = rest.find("](")?;
    let target = &rest[middle + 2..];
    let end = target.find(')')?;
    let label = paint.apply(Style::Underline, &inline(&rest[1..middle], paint, depth + 1));
    let address = target[..end].split(' ').next().unwrap_or_default();
    let shown =
        if rest[1..middle] == *address { label } else { format!("{label} {}", paint.dim(&format!("({address})"))) };
    Some((shown, middle + 2 + end + 1))
}
