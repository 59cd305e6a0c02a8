//! Which forms of a displayed object are shown: the MIME precedence of both languages, as a pure function.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::json::repair_surrogates;
use crate::kernel::contract::Display;

use super::html::html_to_markdown;

/// A MIME bundle: each form of one object, by MIME type. Text forms are JSON strings, or lists of their lines.
pub type Bundle = Vec<(String, Box<RawValue>)>;

/// What is shown of a bundle.
///
/// JSON goes to the JSON outputs, one image (PNG before JPEG before others) and SVG to the images. One text form is
/// shown: markdown, else plain text, else HTML as markdown. Plain text that only names the object (`<… at 0x…>`) yields
/// to HTML, and `<…>` is left out beside an image or JSON.
pub fn displays(bundle: &Bundle) -> Vec<Display> {
    let form = |mime_type: &str| bundle.iter().find(|(name, _)| base_type(name) == mime_type).map(|(_, value)| value);
    let text = |mime_type: &str| form(mime_type).and_then(|value| text_of(value));
    let mut shown = Vec::new();
    let json = form("application/json");
    shown.extend(json.map(|value| Display::Json(value.clone())));
    let image = ["image/png", "image/jpeg", "image/webp", "image/gif"]
        .into_iter()
        .find_map(|mime_type| image(mime_type, &text(mime_type)?));
    let svg = text("image/svg+xml")
        .map(|svg| Display::Image { mime_type: "image/svg+xml".into(), data: STANDARD.encode(svg) });
    let visual = image.is_some() || svg.is_some() || json.is_some();
    // Whoever made an image of an object meant that to be seen, not the vector form beside it.
    shown.extend(image.or(svg));
    if let Some(markdown) = text("text/markdown") {
        shown.push(Display::Text { text: markdown, markdown: true });
        return shown;
    }
    let plain = text("text/plain").or_else(|| text("text/latex"));
    let html = || text("text/html").map(|html| html_to_markdown(&html)).filter(|text| !text.is_empty());
    let chosen = match plain {
        Some(plain) if visual && is_bracketed(&plain) => None,
        Some(plain) if is_default_form(&plain) => {
            let html = html();
            let markdown = html.is_some();
            Some((html.unwrap_or(plain), markdown))
        }
        Some(plain) => Some((plain, false)),
        None if visual => None,
        None => html().map(|markdown| (markdown, true)),
    };
    shown.extend(chosen.map(|(text, markdown)| Display::Text { text, markdown }));
    if shown.is_empty() && !bundle.is_empty() {
        let names: Vec<&str> = bundle.iter().map(|(name, _)| name.as_str()).collect();
        shown.push(Display::Text { text: super::messages::no_shown_form(&names), markdown: false });
    }
    shown
}

fn base_type(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or(mime_type).trim().to_ascii_lowercase()
}

fn text_of(value: &RawValue) -> Option<String> {
    // A lone surrogate costs itself, not the display.
    let text = repair_surrogates(value.get());
    serde_json::from_str::<String>(&text)
        .or_else(|_| serde_json::from_str::<Vec<String>>(&text).map(|lines| lines.concat()))
        .ok()
}

/// Base64 often comes in lines; what is not base64 at all is no image.
fn image(mime_type: &str, data: &str) -> Option<Display> {
    let data: String = data.split_ascii_whitespace().collect();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let valid = !data.is_empty() && data.bytes().all(is_base64);
    valid.then(|| Display::Image { mime_type: mime_type.into(), data })
}

fn is_bracketed(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('<') && text.ends_with('>')
}

/// `<module.Class object at 0x7f…>`: what `object.__repr__` says.
fn is_default_form(text: &str) -> bool {
    let Some((_, address)) = text.trim().rsplit_once(" at 0x") else { return false };
    is_bracketed(text) && address.trim_end_matches('>').bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(forms: &[(&str, &str)]) -> Vec<String> {
        let bundle = forms
            .iter()
            .map(|(name, value)| {
                let text = match *name {
                    "application/json" => (*value).to_owned(),
                    _ => serde_json::to_string(value).unwrap(),
                };
                ((*name).to_owned(), RawValue::from_string(text).unwrap())
            })
            .collect();
        let name = |display| match display {
            Display::Text { text, markdown } => format!("{}:{text}", if markdown { "markdown" } else { "text" }),
            Display::Json(value) => format!("json:{}", value.get()),
            Display::Image { mime_type, data } => format!("{mime_type}:{data}"),
        };
        displays(&bundle).into_iter().map(name).collect()
    }

    #[test]
    fn text_precedence_is_markdown_plain_html() {
        let html = ("text/html", "<b>h</b>");
        assert_eq!(shown(&[html, ("text/plain", "p"), ("text/markdown", "m")]), ["markdown:m"]);
        assert_eq!(shown(&[html, ("text/plain", "p")]), ["text:p"]);
        assert_eq!(shown(&[html]), ["markdown:**h**"]);
    }

    #[test]
    fn html_is_shown_when_the_plain_text_only_names_the_object() {
        let html = ("text/html", "<b>h</b>");
        assert_eq!(shown(&[html, ("text/plain", "<a.B object at 0x7f00ab>")]), ["markdown:**h**"]);
        assert_eq!(shown(&[html, ("text/plain", "<B at 0x7f: two>")]), ["text:<B at 0x7f: two>"]);
        assert_eq!(shown(&[("text/plain", "<a.B object at 0x7f>")]), ["text:<a.B object at 0x7f>"]);
    }

    #[test]
    fn one_image_is_shown_the_png_without_the_name_of_the_object() {
        let forms = [("image/jpeg", "BBBB"), ("image/png", "AA\nAA"), ("text/plain", "<Figure size 640x480>")];
        assert_eq!(shown(&forms), ["image/png:AAAA"]);
        assert_eq!(shown(&[("image/png", "AAAA"), ("text/plain", "a plot")]), ["image/png:AAAA", "text:a plot"]);
        assert_eq!(shown(&[("image/svg+xml", "<svg/>")]), ["image/svg+xml:PHN2Zy8+"]);
        assert_eq!(shown(&[("image/png", "no base64!"), ("text/plain", "x")]), ["text:x"]);
    }

    #[test]
    fn json_goes_to_the_json_outputs_digit_for_digit() {
        assert_eq!(
            displays(&vec![("text/plain".into(), RawValue::from_string("\"a\\ud800\"".into()).unwrap())]).len(),
            1
        );
        let forms = [("application/json", "{\"n\":12345678901234567890}"), ("text/plain", "<IPython.JSON object>")];
        assert_eq!(shown(&forms), ["json:{\"n\":12345678901234567890}"]);
    }

    #[test]
    fn an_object_without_a_form_to_show_says_so() {
        assert_eq!(shown(&[("application/x-y", "?")]), ["text:(no form that can be shown: application/x-y)"]);
        assert_eq!(shown(&[]), [""; 0]);
    }
}
