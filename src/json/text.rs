//! Strings inside JSON text.

use std::borrow::Cow;

/// `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// The value of a JSON string (quotes included); lone surrogates become U+FFFD, anything malformed is returned as it is.
pub fn string_value(quoted: &str) -> String {
    serde_json::from_str::<String>(&repair_surrogates(quoted)).unwrap_or_else(|_| quoted.trim_matches('"').to_owned())
}

/// JSON text in which every escape of a lone surrogate is replaced by `\ufffd`, so that Rust strings can hold it.
pub fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match surrogate_at(bytes, at) {
            Some(Half::High) if matches!(surrogate_at(bytes, at + 6), Some(Half::Low)) => at += 12,
            Some(_) => {
                let out = out.get_or_insert_with(String::new);
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Not a surrogate: step over the backslash and what it escapes, which is ASCII in JSON.
            None => at += if text.is_char_boundary((at + 2).min(text.len())) { 2 } else { 1 },
        }
        if at >= text.len() {
            break;
        }
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(&text[copied..]);
            Cow::Owned(out)
        }
    }
}

enum Half {
    High,
    Low,
}

fn surrogate_at(bytes: &[u8], at: usize) -> Option<Half> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' || !escape[2].eq_ignore_ascii_case(&b'd') {
        return None;
    }
    if !escape[3..].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    match escape[3].to_ascii_lowercase() {
        b'8'..=b'9' | b'a'..=b'b' => Some(Half::High),
        b'c'..=b'f' => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_cost_only_themselves() {
        assert_eq!(string_value(r#""a\ud800b""#), "a\u{fffd}b");
        assert_eq!(string_value(r#""\udc00""#), "\u{fffd}");
        assert_eq!(string_value(r#""\ud800\ud83d\ude00""#), "\u{fffd}😀");
        assert_eq!(string_value(r#""\uD83D\uDE00""#), "😀");
        assert_eq!(string_value(r#""\\ud800""#), r"\ud800");
        assert_eq!(string_value(r#""\\\ud800é""#), "\\\u{fffd}é");
        assert!(matches!(repair_surrogates(r#"{"a":"\n\u0041"}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn quoted_text_reads_back() {
        for text in ["", "a\"b\\c", "\u{0}\u{1f}\n\r\t\u{8}\u{c}\u{7f}", "größe 😀 \u{2028}"] {
            assert_eq!(string_value(&quote(text)), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in r#"[\\ud80c-fé"]{0,40}"#) {
            let _ = repair_surrogates(&text);
            let _ = string_value(&text);
        }
    }
}
