//! Reports as JUnit XML, for CI systems.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Report, Status};

/// One `<testsuite>` of one `<testcase>` per report; trials of a case are numbered, because readers go by name. A task or protocol failure is a `<failure>`, an infrastructure
/// failure an `<error>`; both name phase and code and nothing else.
pub fn document(reports: &[Report], name: &str) -> String {
    let name = escape(name);
    let count = |wanted: fn(Status) -> bool| reports.iter().filter(|report| wanted(report.status)).count();
    let failures = count(|status| matches!(status, Status::TaskFailed | Status::ProtocolFailed));
    let errors = count(|status| status == Status::InfraFailed);
    let totals = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", reports.len());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a `String` cannot fail.
    let _ = writeln!(xml, "<testsuites name=\"{name}\" {totals}>\n  <testsuite name=\"{name}\" {totals}>");
    let mut trials: HashMap<&str, (usize, usize)> = HashMap::new();
    for report in reports {
        trials.entry(&report.id).or_default().1 += 1;
    }
    for report in reports {
        let (trial, of) = trials.entry(&report.id).or_default();
        *trial += 1;
        let number = if *of > 1 { format!(" [{trial}/{of}]") } else { String::new() };
        let _ = write!(xml, "    <testcase name=\"{}{number}\" classname=\"{name}\"", escape(&report.id));
        let _ = match report.primary {
            None => writeln!(xml, "/>"),
            Some(primary) => {
                let element = if report.status == Status::InfraFailed { "error" } else { "failure" };
                let sentence = escape(&report.sentence());
                writeln!(xml, ">\n      <{element} type=\"{primary}\" message=\"{sentence}\"/>\n    </testcase>")
            }
        };
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Attribute text; what XML 1.0 cannot carry at all becomes U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Without this a reader would see a space.
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junit_has_one_test_case_per_report() {
        insta::assert_snapshot!(document(&crate::evals::text::samples(), "answers & <more>"));
    }

    #[test]
    fn ids_are_escaped() {
        assert_eq!(
            escape("a<b>&\"c\"'\n\u{0}\u{fffe}é🙂"),
            "a&lt;b&gt;&amp;&quot;c&quot;&apos;&#10;\u{fffd}\u{fffd}é🙂"
        );
    }
}
