//! A table of text as aligned markdown.

use unicode_width::UnicodeWidthStr;

/// Wider cells are not filled up: the table would be mostly blanks.
const MAX_FILL: usize = 40;

pub(crate) struct Cell {
    pub header: bool,
    pub columns: usize,
    pub rows: usize,
    pub content: String,
}

#[derive(Default)]
pub(crate) struct Table {
    header: Vec<String>,
    body: Vec<Vec<String>>,
    /// By column: in how many further rows it is taken by a cell from above.
    taken: Vec<usize>,
}

impl Table {
    pub fn push_row(&mut self, in_header: bool, cells: impl Iterator<Item = Cell>) {
        let mut row = Vec::new();
        let mut all_headers = true;
        for cell in cells {
            self.skip_taken(&mut row);
            all_headers &= cell.header;
            for column in 0..cell.columns {
                self.take(row.len(), cell.rows - 1);
                row.push(if column == 0 { cell.content.clone() } else { String::new() });
            }
        }
        self.skip_taken(&mut row);
        if row.is_empty() {
            return;
        }
        let first = self.header.is_empty() && self.body.is_empty();
        if (in_header && self.body.is_empty()) || (first && all_headers) {
            self.merge_header(row);
        } else {
            self.body.push(row);
        }
    }

    fn take(&mut self, column: usize, rows: usize) {
        if self.taken.len() <= column {
            self.taken.resize(column + 1, 0);
        }
        self.taken[column] = rows;
    }

    fn skip_taken(&mut self, row: &mut Vec<String>) {
        while let Some(rows) = self.taken.get_mut(row.len()).filter(|rows| **rows > 0) {
            *rows -= 1;
            row.push(String::new());
        }
    }

    /// Several header rows become one: markdown has no more.
    fn merge_header(&mut self, row: Vec<String>) {
        if self.header.len() < row.len() {
            self.header.resize(row.len(), String::new());
        }
        for (column, text) in row.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let above = &mut self.header[column];
            if !above.is_empty() {
                above.push(' ');
            }
            above.push_str(&text);
        }
    }

    pub fn markdown(&self) -> String {
        let columns = self.body.iter().map(Vec::len).chain([self.header.len()]).max().unwrap_or(0);
        if columns == 0 {
            return String::new();
        }
        let rows: Vec<Vec<String>> = std::iter::once(&self.header)
            .chain(&self.body)
            .map(|row| (0..columns).map(|column| row.get(column).map_or(String::new(), |text| escape(text))).collect())
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0).clamp(1, MAX_FILL);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        lines.insert(1, line(&rule, &widths));
        lines.join("\n")
    }
}

fn escape(cell: &str) -> String {
    cell.replace("\\|", "|").replace('|', "\\|")
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::from("|");
    for (text, width) in row.iter().zip(widths) {
        let fill = width.saturating_sub(text.width());
        line.push(' ');
        line.push_str(text);
        line.extend(std::iter::repeat_n(' ', fill));
        line.push_str(" |");
    }
    line
}
