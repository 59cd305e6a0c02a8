//! One table of cases for the prelude, run here against the implementation, and by `__test__/prelude-table.test.ts`
//! through both kernels.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use evalcell::json::repair_surrogates;
use evalcell::prelude::{HelperContext, answer};
use serde_json::{Map, Value, json};

fn table() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("__test__/prelude-cases.json");
    // One case sends a lone surrogate, which Rust text cannot hold; the replacement is what becomes of it anyway.
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&repair_surrogates(&text)).unwrap()
}

/// Makes the folders of the table; returns the working folder and the session folder.
fn make(table: &Value, base: &Path) -> (PathBuf, PathBuf) {
    let (cwd, session) = (base.join("cwd"), base.join("session"));
    let write = |root: &Path, name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    for (name, text) in table["files"].as_object().unwrap() {
        write(&cwd, name, text.as_str().unwrap().as_bytes());
    }
    for (name, text) in table["binary"].as_object().unwrap() {
        write(&cwd, name, &BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap());
    }
    for (name, text) in table["session"].as_object().unwrap() {
        write(&session, name, text.as_str().unwrap().as_bytes());
    }
    for name in table["folders"].as_array().unwrap() {
        fs::create_dir_all(cwd.join(name.as_str().unwrap())).unwrap();
    }
    for (name, target) in table["links"].as_object().unwrap() {
        let path = cwd.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target.as_str().unwrap(), path).unwrap();
    }
    (cwd, session)
}

/// Fills in `${cwd}`, `${session}` and bytes, wherever they stand.
fn filled(value: &Value, cwd: &Path, session: &Path) -> Value {
    match value {
        Value::String(text) => {
            json!(text.replace("${cwd}", cwd.to_str().unwrap()).replace("${session}", session.to_str().unwrap()))
        }
        Value::Array(items) => items.iter().map(|item| filled(item, cwd, session)).collect(),
        Value::Object(members) => match members.get("$bytes") {
            Some(bytes) => json!({ "base64": bytes }),
            None => members
                .iter()
                .map(|(key, member)| (key.clone(), filled(member, cwd, session)))
                .collect::<Map<_, _>>()
                .into(),
        },
        other => other.clone(),
    }
}

/// What the shims do with the names of options.
fn snake(options: &Value) -> Value {
    let Some(options) = options.as_object() else { return json!({}) };
    let name = |key: &str| -> String {
        key.chars()
            .flat_map(|c| if c.is_ascii_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] })
            .collect()
    };
    options.iter().map(|(key, value)| (name(key), value.clone())).collect::<Map<_, _>>().into()
}

#[test]
fn every_case_of_the_table_gives_its_result_or_its_error() {
    let table = table();
    let base = tempfile::tempdir().unwrap();
    let (cwd, session) = make(&table, &base.path().canonicalize().unwrap());
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() >= 150, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case["native"] != true) {
        let op = case["op"].as_str().unwrap();
        let request = json!({
            "positional": filled(&case["args"], &cwd, &session),
            "options": snake(&filled(&case["options"], &cwd, &session)),
            "artifacts_dir": session,
        });
        let context = HelperContext { cwd: cwd.clone(), session_file: None };
        let answer: Value = serde_json::from_str(&answer(op, &request.to_string(), &context)).unwrap();
        let fine = match case["error"].as_str() {
            Some(error) => {
                answer["kind"] == case["kind"]
                    && answer["message"].as_str().is_some_and(|message| message.starts_with(error))
            }
            None => {
                answer["ok"] == true
                    && answer["status"]["op"] == op
                    && answer["result"] == filled(&case["result"], &cwd, &session)
            }
        };
        let after = case["after"]["file"].as_str().map(|file| fs::read(cwd.join(file)).unwrap());
        let fine = fine
            && after.is_none_or(|bytes| String::from_utf8_lossy(&bytes) == case["after"]["text"].as_str().unwrap());
        if !fine {
            wrong.push(format!("{case}\n    {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn ask(op: &str, positional: Value, options: Value, context: &HelperContext) -> Value {
    let request = json!({ "positional": positional, "options": options });
    serde_json::from_str(&answer(op, &request.to_string(), context)).unwrap()
}

#[test]
fn an_unreadable_folder_is_shown_and_marked() {
    use std::os::unix::fs::PermissionsExt;
    let base = tempfile::tempdir().unwrap();
    for name in ["closed", "open"] {
        fs::create_dir(base.path().join(name)).unwrap();
        fs::write(base.path().join(name).join("x"), "").unwrap();
    }
    let closed = base.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Root may list everything: this thread asks as nobody. Without effect where the tests run as an ordinary user.
    #[cfg(target_os = "linux")]
    let before = nix::unistd::geteuid().is_root().then(|| nix::unistd::setfsuid(nix::unistd::Uid::from_raw(65_534)));
    let context = HelperContext { cwd: base.path().to_path_buf(), session_file: None };
    let answer = ask("tree", json!([]), json!({}), &context);
    #[cfg(target_os = "linux")]
    before.map(nix::unistd::setfsuid);
    assert_eq!(answer["result"], "./\n├── closed/ [unreadable]\n└── open/\n    └── x");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_fifo_is_refused_instead_of_waited_for() {
    let base = tempfile::tempdir().unwrap();
    let fifo = base.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let context = HelperContext { cwd: base.path().to_path_buf(), session_file: None };
    for (op, arguments) in
        [("read", json!(["fifo"])), ("write", json!(["fifo", "x"])), ("append", json!(["fifo", "x"]))]
    {
        assert_eq!(ask(op, arguments, json!({}), &context)["message"], format!("{op}: not a regular file: fifo"));
    }
}

#[test]
fn a_huge_file_is_read_in_parts() {
    let base = tempfile::tempdir().unwrap();
    let context = HelperContext { cwd: base.path().to_path_buf(), session_file: None };
    let line = format!("{}\n", "x".repeat(999));
    fs::write(base.path().join("huge"), line.repeat(70_000)).unwrap();
    let whole = ask("read", json!(["huge"]), json!({}), &context);
    assert_eq!(whole["kind"], "failed");
    assert!(whole["message"].as_str().unwrap().contains("`offset` and `limit`"), "{whole}");
    let part = ask("read", json!(["huge"]), json!({ "offset": 69_999, "limit": 5 }), &context);
    assert_eq!(part["result"], line.repeat(2));
    // Control characters take six times their size as JSON: the answer still fits one protocol line, or is refused.
    fs::write(base.path().join("control"), "\u{1}".repeat(20_000_000)).unwrap();
    assert_eq!(ask("read", json!(["control"]), json!({}), &context)["kind"], "failed");
}

#[test]
fn the_session_file_names_the_folder_of_outputs() {
    let base = tempfile::tempdir().unwrap();
    fs::create_dir(base.path().join("2026_abc")).unwrap();
    fs::write(base.path().join("2026_abc/0-Task.md"), "done").unwrap();
    let none = HelperContext { cwd: base.path().to_path_buf(), session_file: None };
    let named = HelperContext { session_file: Some(base.path().join("2026_abc.jsonl")), ..none.clone() };
    assert_eq!(ask("output", json!(["0-Task"]), json!({}), &named)["result"], "done");
    let told = json!({ "positional": ["0-Task"], "session_file": "2026_abc.jsonl" });
    let answered: Value = serde_json::from_str(&answer("output", &told.to_string(), &none)).unwrap();
    assert_eq!(answered["result"], "done");
    let message = ask("output", json!(["0-Task"]), json!({}), &none)["message"].clone();
    assert!(message.as_str().unwrap().contains("PI_ARTIFACTS_DIR"), "{message}");
}

#[test]
fn junk_requests_are_errors_and_nothing_else() {
    let context = HelperContext::default();
    for op in ["read", "tree", "output", "env", "nope", "__proto__", ""] {
        for request in [
            "",
            "null",
            "[5]",
            "{",
            "{\"positional\":5}",
            "{\"options\":[]}",
            "{\"positional\":[{\"base64\":5}]}",
            "\u{0}",
        ] {
            let answer: Value = serde_json::from_str(&answer(op, request, &context)).unwrap();
            assert_eq!(answer["ok"], false, "{op} {request} {answer}");
        }
    }
}

#[test]
fn a_diff_of_two_large_texts_that_share_nothing_does_not_take_for_ever() {
    let context = HelperContext::default();
    let text =
        |salt: usize| (0..40_000).map(|line| format!("{}\n", (line * 7_919 + salt * 31) % 65_537)).collect::<String>();
    let started = std::time::Instant::now();
    let answer = ask("diff", json!([text(1), text(2)]), json!({}), &context);
    assert_eq!(answer["ok"], true);
    assert!(started.elapsed() < evalcell::limits::DIFF_EFFORT * 20, "{:?}", started.elapsed());
}
