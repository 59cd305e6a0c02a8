//! HTML of an object to text for a reader.

/// Markdown of an HTML fragment.
pub fn to_markdown(html: &str) -> String {
    html.to_owned()
}
