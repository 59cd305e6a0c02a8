//! What a `display` frame shows, checked and rebuilt.

use super::frames::{Form, Shown};
use crate::kernel::Display;
use crate::output::messages::display_cut;

/// Images that a cell can show.
const IMAGE_TYPES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

pub fn rebuild(shown: Shown) -> Result<Display, String> {
    let cut = shown.cut.map(display_cut).unwrap_or_default();
    let text = |text: Option<String>| text.ok_or_else(|| "a display without its text".to_owned());
    // What says that it was cut is added here and only here: a program that prints the same words is not taken for a cut.
    Ok(match shown.form {
        Form::Text => Display::Text { text: text(shown.text)? + &cut, markdown: false },
        Form::Markdown => Display::Text { text: text(shown.text)? + &cut, markdown: true },
        Form::Html => {
            Display::Text { text: crate::output::html_to_markdown(&text(shown.text)?) + &cut, markdown: true }
        }
        Form::Json => Display::Json(shown.value.ok_or("a display without its value")?),
        Form::Image => {
            let mime_type = shown.mime_type.ok_or("an image without its type")?;
            let data = shown.data.ok_or("an image without its data")?;
            if !IMAGE_TYPES.contains(&mime_type.as_str()) || !is_base64(&data) {
                return Err("an image that is none".into());
            }
            Display::Image { mime_type, data }
        }
    })
}

fn is_base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    data.len().is_multiple_of(4)
        && data.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::python::frames::{FromChild, read};

    fn text_of(frame: &str) -> String {
        let Ok(FromChild::Display(shown)) = read(frame.as_bytes()) else { panic!("{frame}") };
        match rebuild(shown) {
            Ok(Display::Text { text, .. }) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_cut_is_told_by_its_field_and_never_by_words_that_a_program_prints() {
        let cut = text_of(r#"{"type":"display","run":1,"form":"text","text":"abc","cut":7}"#);
        assert_eq!(cut, format!("abc{}", display_cut(7)));
        let printed = serde_json::to_string(&cut).expect("text");
        assert_eq!(text_of(&format!(r#"{{"type":"display","run":1,"form":"text","text":{printed}}}"#)), cut);
        assert_eq!(
            text_of(r#"{"type":"display","run":1,"form":"html","text":"<b>a</b>","cut":1}"#),
            format!("**a**{}", display_cut(1))
        );
    }
}
