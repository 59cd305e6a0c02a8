//! HTML of displayed objects as markdown: headings, lists, links and tables.
//!
//! `htmd` does the walking; tables are ours, because it leaves out the row headers that data frames have.

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown};

use super::table::{Cell, Table};

/// Longer HTML is reduced to its text: nobody reads that much of it, and building a tree of it takes long.
const MAX_HTML_BYTES: usize = 128 * 1024;
/// Deeper HTML is reduced to its text: the tree is walked by recursion.
const MAX_NESTING: usize = 100;

/// Marks that stand in for table parts while the tree is walked. Input has none of them.
const ROW: char = '\u{1d}';
const HEADER_ROW: char = '\u{1e}';
const CELL: char = '\u{1f}';
const MARKS: [char; 3] = [ROW, HEADER_ROW, CELL];

const INVISIBLE: [&str; 6] = ["script", "style", "head", "template", "noscript", "svg"];
const NO_CONTENT: [&str; 10] = ["br", "img", "hr", "input", "meta", "link", "col", "wbr", "area", "source"];
/// Elements that end where the next of their kind begins.
const SELF_ENDING: [&str; 10] = ["p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead"];

/// Markdown of an HTML fragment or document; plain text of one that is too large or too deep.
pub fn html_to_markdown(html: &str) -> String {
    let html: String = without_code(html).chars().filter(|letter| !MARKS.contains(letter)).collect();
    if html.len() > MAX_HTML_BYTES || nesting(&html) > MAX_NESTING {
        return text_only(&html);
    }
    let converter = HtmlToMarkdown::builder()
        .options(Options {
            bullet_list_marker: BulletListMarker::Dash,
            ul_bullet_spacing: 1,
            ol_number_spacing: 1,
            ..Options::default()
        })
        .skip_tags(INVISIBLE.to_vec())
        .add_handler(vec!["table"], table)
        .add_handler(vec!["thead"], header_rows)
        .add_handler(vec!["tbody", "tfoot"], |handlers: &dyn Handlers, element: Element<'_>| {
            Some(handlers.walk_children(element.node).content.into())
        })
        .add_handler(vec!["tr"], row)
        .add_handler(vec!["td", "th"], cell)
        .build();
    let markdown = converter.convert(&html).unwrap_or_else(|_| text_only(&html));
    // Cells outside of any table.
    let markdown = markdown.replace(MARKS, " ");
    markdown.trim().to_owned()
}

fn header_rows(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let rows = handlers.walk_children(element.node).content;
    Some(rows.replace(ROW, &HEADER_ROW.to_string()).into())
}

fn row(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let cells = handlers.walk_children(element.node).content;
    Some(format!("{ROW}{}", cells.trim()).into())
}

/// A cell as `mark, header?, columns, rows; content`.
fn cell(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let span = |name: &str| {
        let attribute = element.attrs.iter().find(|attribute| &*attribute.name.local == name);
        attribute.and_then(|attribute| attribute.value.trim().parse::<u16>().ok()).unwrap_or(1).clamp(1, 100)
    };
    let header = if element.tag == "th" { 'h' } else { 'd' };
    let content = handlers.walk_children(element.node).content;
    let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{CELL}{header},{},{};{content}", span("colspan"), span("rowspan")).into())
}

fn table(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let start = content.find([ROW, HEADER_ROW]).unwrap_or(content.len());
    let (caption, rows) = content.split_at(start);
    let mut table = Table::default();
    for (place, mark) in rows.match_indices([ROW, HEADER_ROW]) {
        let row = &rows[place + mark.len()..];
        let row = &row[..row.find([ROW, HEADER_ROW]).unwrap_or(row.len())];
        table.push_row(mark.starts_with(HEADER_ROW), row.split(CELL).skip(1).filter_map(parse_cell));
    }
    Some(format!("\n\n{}\n\n{}\n\n", caption.trim(), table.markdown()).into())
}

fn parse_cell(text: &str) -> Option<Cell> {
    let (facts, content) = text.split_once(';')?;
    let mut facts = facts.split(',');
    let header = facts.next()? == "h";
    let mut span = || facts.next().and_then(|number| number.parse().ok()).unwrap_or(1);
    Some(Cell { header, columns: span(), rows: span(), content: content.trim().to_owned() })
}

/// HTML without its scripts and styles: they are no text, and often most of the bytes.
fn without_code(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let mut text = String::with_capacity(html.len());
    let mut place = 0;
    let next = |from: usize| {
        ["script", "style"].iter().filter_map(|tag| Some((lower[from..].find(&format!("<{tag}"))? + from, *tag))).min()
    };
    while let Some((start, tag)) = next(place) {
        text.push_str(&html[place..start]);
        let close = format!("</{tag}");
        let end = lower[start..].find(&close).map_or(html.len(), |end| start + end + close.len());
        place = lower[end..].find('>').map_or(html.len(), |end_of_tag| end + end_of_tag + 1);
    }
    text.push_str(&html[place..]);
    text
}

/// How deep elements nest, at most.
fn nesting(html: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for (place, _) in html.match_indices('<') {
        let tag = &html[place + 1..];
        let closes = tag.starts_with('/');
        let tag = tag.trim_start_matches('/');
        let name = &tag[..tag.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(tag.len())];
        let counts = |list: &[&str]| list.iter().any(|one| one.eq_ignore_ascii_case(name));
        if name.is_empty() || counts(&NO_CONTENT) || counts(&SELF_ENDING) {
            continue;
        }
        depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

/// What stands between the tags.
fn text_only(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        text.push(' ');
        rest = rest[start..].find('>').map_or("", |end| &rest[start + end + 1..]);
    }
    text.push_str(rest);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lists_and_links_become_markdown() {
        let html = "<h1>Report</h1><p>See <a href='https://x.y/z'>this <b>page</b></a>.</p>\
                    <ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul><pre><code>a  b</code></pre>\
                    <script>alert(1)</script><style>p{}</style>";
        insta::assert_snapshot!(html_to_markdown(html), @"
        # Report

        See [this **page**](https://x.y/z).

        - one
        - two
          1. deep

        ```
        a  b
        ```
        ");
    }

    #[test]
    fn a_data_frame_becomes_a_table_with_its_row_names() {
        let html = r#"<div><style scoped>.dataframe tbody tr th { vertical-align: top; }</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th></th><th>name</th><th>a|b</th></tr>
    <tr><th>id</th><th></th><th></th></tr>
  </thead>
  <tbody>
    <tr><th>0</th><td>x</td><td>1.5</td></tr>
    <tr><th>1</th><td>日本</td><td>NaN</td></tr>
  </tbody>
</table><p>2 rows × 2 columns</p></div>"#;
        insta::assert_snapshot!(html_to_markdown(html), @r"
        | id | name | a\|b |
        | -- | ---- | ---- |
        | 0  | x    | 1.5  |
        | 1  | 日本 | NaN  |

        2 rows × 2 columns
        ");
    }

    #[test]
    fn spans_keep_columns_in_place() {
        let html = "<table><tr><th colspan=2>both</th><th>c</th></tr>\
                    <tr><th rowspan=2>a</th><td>x</td><td>1</td></tr><tr><td>y</td><td>2</td></tr></table>";
        insta::assert_snapshot!(html_to_markdown(html), @"
        | both |   | c |
        | ---- | - | - |
        | a    | x | 1 |
        |      | y | 2 |
        ");
    }

    #[test]
    fn a_table_without_headers_has_an_empty_one() {
        let html = "<table><caption>Cap</caption><tr><td>1<td>2<tr><td>3";
        insta::assert_snapshot!(html_to_markdown(html), @"
        Cap

        |   |   |
        | - | - |
        | 1 | 2 |
        | 3 |   |
        ");
    }

    #[test]
    fn deep_html_needs_no_large_stack() {
        let html = format!("{}x{}", "<div><i>".repeat(49), "</i></div>".repeat(49));
        let convert = move || html_to_markdown(&html);
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(convert).unwrap();
        assert!(thread.join().unwrap().contains('x'));
    }

    #[test]
    fn hostile_html_is_only_text() {
        let deep = format!("{}x &lt;b&gt;{}", "<div>".repeat(200_000), "</div>".repeat(200_000));
        assert_eq!(html_to_markdown(&deep), "x <b>");
        assert_eq!(html_to_markdown(&"<b>".repeat(5_000)), "");
        assert_eq!(html_to_markdown("<td>\u{1f}stray</td> <"), "stray <");
        assert_eq!(html_to_markdown(""), "");
        let wide = "<p>word".repeat(10_000);
        assert_eq!(html_to_markdown(&wide).matches("word").count(), 10_000);
        let scripts = format!("a<SCRIPT>{}</script >b<style>x", "if (a < b) {}".repeat(50_000));
        assert_eq!(html_to_markdown(&scripts), "ab");
    }
}
