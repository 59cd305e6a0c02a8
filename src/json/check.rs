//! The receiver's check of JSON text from the other side of a border.

use super::number::check_number;
use super::scan::{Scanner, Token};
use super::{Place, Refused, string_value};

/// Deepest nesting for which a place is spelled out; below it the byte is named. Bounds memory, not validity.
const MAX_PLACE_DEPTH: usize = 100_000;

/// Whether `text` is lossless JSON; see [`check`].
pub fn is_json(text: &str) -> bool {
    scan(text).is_ok()
}

/// How deep the lossless JSON `text` is nested: 0 for a number, 1 for `[]`. `None` when it is none.
pub fn depth(text: &str) -> Option<usize> {
    scan(text).ok()
}

/// Checks that `text` is exactly one lossless JSON value. `root` names the value in the place of a refusal
/// (`args` gives `args.rows[3].id`) and may be empty.
pub fn check(text: &str, root: &str) -> Result<(), Refused> {
    scan(text).map(drop).map_err(|(at, problem)| Refused { place: place_of(text, at, root), problem })
}

/// What may come next.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Expect {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    End,
}

/// One bit a level: a hostile text of 64 MiB of `[` costs 8 MiB, not gigabytes.
#[derive(Default)]
struct Levels {
    words: Vec<u64>,
    depth: usize,
    deepest: usize,
}

impl Levels {
    fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn in_object(&self) -> bool {
        let top = self.depth.wrapping_sub(1);
        self.words.get(top / 64).is_some_and(|word| word >> (top % 64) & 1 == 1)
    }

    /// Leaves a level; what comes next in the one around it.
    fn pop(&mut self) -> Expect {
        self.depth -= 1;
        self.after_value()
    }

    fn after_value(&self) -> Expect {
        if self.depth == 0 { Expect::End } else { Expect::CommaOrClose }
    }
}

/// How deep it is nested; or the byte and what is wrong there.
fn scan(text: &str) -> Result<usize, (usize, String)> {
    let mut scanner = Scanner::new(text);
    let mut levels = Levels::default();
    let mut expect = Expect::Value;
    loop {
        scanner.skip_space();
        let before = scanner.at;
        let (token, start) = scanner.next().map_err(|problem| (before, problem))?;
        expect = match (expect, token) {
            (Expect::Value | Expect::ValueOrClose, Token::OpenArray) => {
                levels.push(false);
                Expect::ValueOrClose
            }
            (Expect::Value | Expect::ValueOrClose, Token::OpenObject) => {
                levels.push(true);
                Expect::KeyOrClose
            }
            (Expect::Value | Expect::ValueOrClose, Token::String | Token::Word) => levels.after_value(),
            (Expect::Value | Expect::ValueOrClose, Token::Number) => {
                check_number(&text[start..scanner.at]).map_err(|problem| (start, problem))?;
                levels.after_value()
            }
            (Expect::ValueOrClose, Token::CloseArray) | (Expect::KeyOrClose, Token::CloseObject) => levels.pop(),
            (Expect::Key | Expect::KeyOrClose, Token::String) => Expect::Colon,
            (Expect::Colon, Token::Colon) => Expect::Value,
            (Expect::CommaOrClose, Token::Comma) => {
                if levels.in_object() {
                    Expect::Key
                } else {
                    Expect::Value
                }
            }
            (Expect::CommaOrClose, Token::CloseObject) if levels.in_object() => levels.pop(),
            (Expect::CommaOrClose, Token::CloseArray) if !levels.in_object() => levels.pop(),
            (Expect::End, Token::End) => return Ok(levels.deepest),
            (_, Token::End) => return Err((start, "the text ends too early".to_owned())),
            _ => return Err((start, format!("unexpected {:?} at byte {start}", &text[start..scanner.at]))),
        };
    }
}

/// One level on the way to a place.
enum Step {
    Index(usize),
    /// Byte range of the key with its quotes; empty before the first key.
    Key(usize, usize),
}

/// Names the place of byte `at`. A second pass, so that the first one carries no names.
fn place_of(text: &str, at: usize, root: &str) -> String {
    let mut scanner = Scanner::new(text);
    let mut steps: Vec<Step> = Vec::new();
    let mut last_string = (0, 0);
    while let Ok((token, start)) = scanner.next() {
        if start >= at || token == Token::End {
            break;
        }
        match token {
            Token::OpenArray => steps.push(Step::Index(0)),
            Token::OpenObject => steps.push(Step::Key(0, 0)),
            Token::CloseArray | Token::CloseObject => {
                steps.pop();
            }
            Token::String => last_string = (start, scanner.at),
            Token::Colon => {
                if let Some(step @ Step::Key(..)) = steps.last_mut() {
                    *step = Step::Key(last_string.0, last_string.1);
                }
            }
            Token::Comma => match steps.last_mut() {
                Some(Step::Index(index)) => *index += 1,
                Some(step) => *step = Step::Key(0, 0),
                None => {}
            },
            Token::Number | Token::Word | Token::End => {}
        }
        if steps.len() > MAX_PLACE_DEPTH {
            return format!("{root} (byte {at})").trim_start().to_owned();
        }
    }
    let mut place = Place::new(root);
    for step in steps {
        match step {
            Step::Index(index) => place.index(index),
            Step::Key(0, 0) => {}
            Step::Key(start, end) => place.member(&string_value(&text[start..end])),
        }
    }
    place.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (String, String) {
        let refused = check(text, "args").unwrap_err();
        (refused.place, refused.problem)
    }

    #[test]
    fn depth_counts_the_brackets_around_the_innermost_value() {
        for (text, expected) in
            [("1", Some(0)), ("[]", Some(1)), (r#"{"a":[1,{}],"[[[[":2}"#, Some(3)), ("[NaN]", None)]
        {
            assert_eq!(depth(text), expected, "{text}");
        }
    }

    #[test]
    fn the_place_of_a_refused_value_is_named() {
        let nan = refusal(r#"{"rows": [1, 2, {"x": [], "y": {"z": 1}}, {"id": NaN}]}"#);
        assert_eq!(nan, ("args.rows[3].id".to_owned(), "NaN".to_owned()));
        assert_eq!(refusal(r#"{"my-key": -Infinity}"#).0, r#"args["my-key"]"#);
        assert_eq!(refusal("-0"), ("args".to_owned(), "-0".to_owned()));
        assert_eq!(refusal(r#"{"a": [9007199254740993]}"#).0, "args.a[0]");
        assert_eq!(check("[1e400]", "").unwrap_err().place, "[0]");
    }

    #[test]
    fn json_of_every_kind_passes() {
        for text in [
            "null",
            " true ",
            "\"\"",
            "[]",
            "{}",
            "[[],{}]",
            r#"{"a":1,"b":[1.5e3,"x\n\ud800"]}"#,
            "\r\n\t[1 , 2]",
            r#"{"":""}"#,
        ] {
            assert_eq!(check(text, "args"), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            " ",
            "[",
            "]",
            "{",
            "[1",
            "[1,]",
            "[,1]",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{1:2}",
            "[1 2]",
            "1 2",
            "nul",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "--1",
            "'a'",
            "\"a",
            "\"\n\"",
            r#""\x""#,
            r#""\u12""#,
            "[}",
            "{]",
            "undefined",
            "\u{feff}1",
            "True",
            "[1]]",
            "{\"a\":1]",
            "[\"a\":1]",
        ] {
            assert!(check(text, "args").is_err(), "{text}");
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn depth_is_limited_by_size_alone() {
        let depth = 1_000_000;
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_json(&text));
        let objects = format!("{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
        assert!(is_json(&objects));
        let deep_nan = format!("{}NaN{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(refusal(&deep_nan).1, "NaN");
    }

    proptest::proptest! {
        #[test]
        fn it_agrees_with_serde_json_on_what_is_json(text in r#"[\[\]{},:"\\ 0-9.eE+\-a-cnrtufls]{0,24}"#) {
            let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            let ours = scan(&text);
            // Ours also refuses numbers; a refusal of a number says so.
            if theirs {
                if let Err((_, problem)) = ours {
                    proptest::prop_assert!(problem.contains("number") || problem == "-0", "{} {}", text, problem);
                }
            } else {
                proptest::prop_assert!(ours.is_err(), "{}", text);
            }
        }
    }
}
