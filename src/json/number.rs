//! Which JSON numbers a JavaScript number holds.

/// Longest number that is repeated in a message, in characters.
const SHOWN_DIGITS: usize = 40;

/// Checks one number literal that is well-formed JSON; the error is the problem for a reader.
pub(super) fn check_number(literal: &str) -> Result<(), String> {
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    let integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    // Fifteen digits always fit: most numbers end here.
    if integer && digits.len() <= 15 && literal != "-0" {
        return Ok(());
    }
    let Ok(value) = literal.parse::<f64>() else {
        return Err(format!("{} is not a number", shown(literal)));
    };
    if value.is_infinite() {
        return Err(format!("{} is too large for a JavaScript number", shown(literal)));
    }
    if value == 0.0 && value.is_sign_negative() {
        return Err("-0".to_owned());
    }
    // `{:.0}` writes all digits of a double, so equality of text is equality of value.
    if integer && format!("{value:.0}") != literal {
        return Err(format!("{} is an integer that a JavaScript number cannot hold exactly", shown(literal)));
    }
    Ok(())
}

fn shown(literal: &str) -> String {
    match literal.get(..SHOWN_DIGITS) {
        Some(head) if literal.len() > SHOWN_DIGITS => format!("{head}… ({} characters)", literal.len()),
        _ => literal.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::check_number;

    #[test]
    fn integers_cross_exactly_or_not_at_all() {
        for exact in [
            "0",
            "1",
            "-1",
            "9007199254740992",
            "9007199254740994",
            "1152921504606846976",
            "-1152921504606846976",
            "10000000000000000000000",
        ] {
            assert_eq!(check_number(exact), Ok(()), "{exact}");
        }
        for lossy in ["9007199254740993", "-9007199254740993", "1152921504606847000", "123456789012345678901234567890"]
        {
            assert!(check_number(lossy).is_err(), "{lossy}");
        }
    }

    #[test]
    fn every_double_crosses_and_nothing_else() {
        for fine in ["0.1", "-0.5", "1e21", "1.7976931348623157e308", "5e-324", "0.0", "0e9"] {
            assert_eq!(check_number(fine), Ok(()), "{fine}");
        }
        for forged in ["1e400", "-1e400", "-0", "-0.0", "-0e7", "-1e-400"] {
            assert!(check_number(forged).is_err(), "{forged}");
        }
    }

    #[test]
    fn a_number_of_many_digits_is_not_repeated_in_full() {
        let problem = check_number(&"9".repeat(100_000)).unwrap_err();
        assert!(problem.len() < 120, "{problem}");
    }
}
