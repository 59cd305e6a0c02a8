//! What Windows wants for a new process: one line instead of arguments, one block instead of variables. Over UTF-16 units,
//! so that it is tested where there is no Windows.

const QUOTE: u16 = b'"' as u16;
const BACKSLASH: u16 = b'\\' as u16;

/// The command line that programs take apart into exactly `arguments`, with its final NUL; the first one is the program.
pub fn command_line<'a>(arguments: impl IntoIterator<Item = &'a [u16]>) -> Vec<u16> {
    let mut line = Vec::new();
    for argument in arguments {
        if !line.is_empty() {
            line.push(u16::from(b' '));
        }
        line.push(QUOTE);
        let mut backslashes = 0;
        for &unit in argument {
            if unit == QUOTE {
                // Those in front of a quote count twice; elsewhere they are themselves.
                line.extend(std::iter::repeat_n(BACKSLASH, backslashes + 1));
            }
            backslashes = if unit == BACKSLASH { backslashes + 1 } else { 0 };
            line.push(unit);
        }
        line.extend(std::iter::repeat_n(BACKSLASH, backslashes));
        line.push(QUOTE);
    }
    line.push(0);
    line
}

/// The environment block of `variables`: sorted without regard to case, each with its NUL, and one more at the end. Of two
/// that differ in case alone the last counts.
pub fn environment_block(variables: impl IntoIterator<Item = (Vec<u16>, Vec<u16>)>) -> Vec<u16> {
    let key = |name: &[u16]| String::from_utf16_lossy(name).to_uppercase();
    let sorted: std::collections::BTreeMap<String, (Vec<u16>, Vec<u16>)> =
        variables.into_iter().map(|(name, value)| (key(&name), (name, value))).collect();
    let mut block = Vec::new();
    for (name, value) in sorted.into_values() {
        block.extend(name);
        block.push(u16::from(b'='));
        block.extend(value);
        block.push(0);
    }
    // An empty block is two of them.
    block.extend(if block.is_empty() { &[0, 0][..] } else { &[0][..] });
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn line(arguments: &[&str]) -> String {
        let arguments: Vec<_> = arguments.iter().map(|argument| wide(argument)).collect();
        String::from_utf16(&command_line(arguments.iter().map(Vec::as_slice))).expect("UTF-16")
    }

    /// As the C runtime takes a line apart behind the program's name.
    fn taken_apart(line: &str) -> Vec<String> {
        let (mut all, mut current, mut quoted, mut backslashes) = (Vec::new(), None::<String>, false, 0);
        for character in line.chars().take_while(|character| *character != '\0') {
            match character {
                '\\' => backslashes += 1,
                '"' => {
                    let current = current.get_or_insert_default();
                    current.extend(std::iter::repeat_n('\\', backslashes / 2));
                    if backslashes % 2 == 1 {
                        current.push('"')
                    } else {
                        quoted = !quoted
                    }
                    backslashes = 0;
                }
                _ => {
                    if backslashes > 0 {
                        current.get_or_insert_default().extend(std::iter::repeat_n('\\', backslashes));
                        backslashes = 0;
                    }
                    if character == ' ' && !quoted {
                        all.extend(current.take());
                    } else {
                        current.get_or_insert_default().push(character);
                    }
                }
            }
        }
        all.extend(current);
        all
    }

    #[test]
    fn programs_get_the_arguments_that_were_given() {
        for arguments in [
            vec!["python.exe", "-c", "print(\"a\\n\")\nif True:\n    pass"],
            vec!["C:\\Program Files\\Python\\python.exe", "a b", "", "\\", "\\\\", "a\\", "\\\"", "\"", "é\u{1f600}"],
        ] {
            assert_eq!(taken_apart(&line(&arguments)), arguments, "{}", line(&arguments));
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_they_are(arguments in proptest::collection::vec(r#"[\\" a-c]{0,8}"#, 1..5)) {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            proptest::prop_assert_eq!(taken_apart(&line(&arguments)), arguments);
        }
    }

    #[test]
    fn variables_are_sorted_and_the_last_of_a_name_counts() {
        let block = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| (wide(name), wide(value)));
            String::from_utf16(&environment_block(variables)).expect("UTF-16")
        };
        assert_eq!(block(&[("b", "2"), ("Path", "x"), ("A", "1"), ("PATH", "y")]), "A=1\0b=2\0PATH=y\0\0");
        assert_eq!(block(&[]), "\0\0");
    }
}
