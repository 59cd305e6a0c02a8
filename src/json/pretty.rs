//! Indented JSON for a reader, without recursion.

use super::scan::{Scanner, Token};

/// `text` (valid JSON) with two spaces of indent a level, numbers and strings exactly as they stand.
/// Stops soon after `max_bytes` of output: deep values would otherwise cost the square of their size in indent.
pub fn pretty(text: &str, max_bytes: usize) -> String {
    let mut scanner = Scanner::new(text);
    let mut out = String::with_capacity(text.len().min(max_bytes) + 64);
    let mut depth: usize = 0;
    let mut previous = Token::End;
    while let Ok((token, start)) = scanner.next() {
        let piece = &text[start..scanner.at];
        let closes = matches!(token, Token::CloseArray | Token::CloseObject);
        let opened = matches!(previous, Token::OpenArray | Token::OpenObject);
        depth = if closes { depth.saturating_sub(1) } else { depth };
        if (opened != closes) || previous == Token::Comma {
            new_line(&mut out, depth, max_bytes);
        }
        match token {
            Token::End => break,
            Token::Colon => out.push_str(": "),
            _ => out.push_str(piece),
        }
        if matches!(token, Token::OpenArray | Token::OpenObject) {
            depth += 1;
        }
        if out.len() > max_bytes {
            break;
        }
        previous = token;
    }
    out
}

fn new_line(out: &mut String, depth: usize, max_bytes: usize) {
    out.push('\n');
    let indent = (depth * 2).min(max_bytes.saturating_sub(out.len()) + 1);
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_as_a_reader_expects() {
        let text = r#"{"a":[1,2.50,{"b":{}}],"c":[],"d":"x,y"}"#;
        let expected =
            "{\n  \"a\": [\n    1,\n    2.50,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": [],\n  \"d\": \"x,y\"\n}";
        assert_eq!(pretty(text, 10_000), expected);
        assert_eq!(pretty("1", 100), "1");
    }

    #[test]
    fn a_deep_value_costs_no_more_than_asked_for() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(pretty(&text, 8_000).len() < 8_100);
    }
}
