//! What a judge said.

use super::Code;

/// A verdict that agrees with itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verdict {
    pub passed: bool,
    /// Checks that held, and that did not.
    pub held: u32,
    pub broken: u32,
}

/// Checks `passed` against `checks`; [`None`] stands for what was no boolean. No checks at all means passed.
///
/// # Errors
/// [`Code::InvalidVerdict`] when something is no boolean, or `passed` is not what the checks say.
pub fn validate(passed: Option<bool>, checks: &[Option<bool>]) -> Result<Verdict, Code> {
    let passed = passed.ok_or(Code::InvalidVerdict)?;
    let (mut held, mut broken) = (0, 0);
    for check in checks {
        match check {
            Some(true) => held += 1,
            Some(false) => broken += 1,
            None => return Err(Code::InvalidVerdict),
        }
    }
    if passed == (broken == 0) { Ok(Verdict { passed, held, broken }) } else { Err(Code::InvalidVerdict) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_valid_only_if_passed_is_what_all_checks_say() {
        let yes = Some(true);
        let no = Some(false);
        assert_eq!(validate(yes, &[]), Ok(Verdict { passed: true, held: 0, broken: 0 }));
        assert_eq!(validate(yes, &[yes, yes]), Ok(Verdict { passed: true, held: 2, broken: 0 }));
        assert_eq!(validate(no, &[yes, no]), Ok(Verdict { passed: false, held: 1, broken: 1 }));
        for (passed, checks) in
            [(no, &[][..]), (no, &[yes]), (yes, &[no]), (yes, &[None]), (None, &[yes]), (no, &[no, None])]
        {
            assert_eq!(validate(passed, checks), Err(Code::InvalidVerdict), "{passed:?} {checks:?}");
        }
    }
}
