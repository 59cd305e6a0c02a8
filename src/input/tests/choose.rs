use std::fmt::Write;

use super::super::{Availability, choose, parse};
use crate::language::Language;

const TRIED: &str = "Tried /project/.venv/bin/python, python3 and python on PATH";

fn hosts() -> Vec<(&'static str, Availability)> {
    let host = |python_enabled, found: bool, js_enabled| Availability {
        python_enabled,
        python_available: if found { Ok(()) } else { Err(TRIED.to_owned()) },
        js_enabled,
    };
    vec![
        ("both", host(true, true, true)),
        ("Python missing, JavaScript on", host(true, false, true)),
        ("Python off, JavaScript on", host(false, true, true)),
        ("Python off and missing, JavaScript on", host(false, false, true)),
        ("Python on, JavaScript off", host(true, true, false)),
        ("Python missing, JavaScript off", host(true, false, false)),
        ("Python off, JavaScript off", host(false, true, false)),
    ]
}

#[test]
fn every_host_decides_for_named_inherited_and_sniffed_cells() {
    let cells = [
        ("named Python", "*** Cell py\n1", None),
        ("named JavaScript", "*** Cell js\n1", None),
        ("named by a fence", "```py\n1\n```", None),
        ("looks like Python", "import os\nos.getcwd()", None),
        ("looks like JavaScript", "const a = 1", None),
        ("looks like nothing", "1 + 1", None),
        ("after Python, looks like JavaScript", "const a = 1", Some(Language::Python)),
        ("after JavaScript, looks like Python", "import os", Some(Language::Js)),
        ("after JavaScript, looks like nothing", "1 + 1", Some(Language::Js)),
    ];
    let mut table = String::new();
    for (host, availability) in hosts() {
        let _ = writeln!(table, "── {host}");
        for (name, input, previous) in cells {
            // A cell of the call can only have run in a language that the host has.
            if previous.is_some_and(|language| !availability.usable(language)) {
                continue;
            }
            let cell = parse(input).unwrap().cells.remove(0);
            let answer = match choose(&cell, previous, &availability) {
                Ok(choice) => [Some(choice.language.name().to_owned()), choice.notice]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("; "),
                Err(error) => format!("{}: {}", error.code.as_str(), error.message),
            };
            let _ = writeln!(table, "{name:38} {answer}");
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_cell_without_a_language_takes_that_of_the_cell_before_it() {
    let parsed = parse("*** Cell js\n1\n*** Cell\nimport os\n*** Cell py\n2\n*** Cell\nconst a = 1\n").unwrap();
    let languages: Vec<_> = parsed.cells.iter().map(|cell| cell.language.name()).collect();
    assert_eq!(languages, ["js", "js", "python", "python"]);
}
