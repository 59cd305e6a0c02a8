//! The two sides of the protocol say the same: bytes sent to a kernel, and what the real runner sends back.

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use evalcell::kernel::python::frames::{BootLimits, FROM_CHILD, ToChild, read, reply_line};
use evalcell::kernel::python::runtime::{BOOTSTRAP, SOURCES};
use evalcell::limits::INTERRUPT_REPEATS;
use evalcell::prelude::{HelperContext, answer};
use evalcell::process::Spawn;
use serde_json::Value;

fn text(line: Vec<u8>) -> String {
    String::from_utf8(line).unwrap()
}

#[test]
fn frames_to_the_child_byte_for_byte() {
    let limits = BootLimits { cpu_seconds: Some(5), address_space_bytes: None };
    let sources = BTreeMap::from([("a", "x = 'é'\n")]);
    let tools = ["read".to_owned()];
    let (cell, code) = ("cell-1", "1\n\"2\"");
    let lines = [
        ToChild::Boot { sources, cwd: "/tmp", limits, max_text: 9, max_image: 10, close_on_exec: vec![4] }.line(),
        ToChild::Run { id: 7, cell, code, max_value: Some(9), tools: Some(&tools), open_tools: Some(false) }.line(),
        ToChild::Run { id: 8, cell, code, max_value: None, tools: None, open_tools: None }.line(),
        ToChild::Drained { place: 3 }.line(),
        ToChild::Interrupt { run: 7 }.line(),
        ToChild::Variables { id: 2 }.line(),
        ToChild::Exit.line(),
        reply_line(1, &Ok("{\n\"n\":18446744073709551616}".to_owned())),
        reply_line(2, &Err("no \"such\"\nthing".to_owned())),
    ];
    insta::assert_snapshot!(lines.map(text).concat());
}

/// Interrupted as soon as it shows something.
const INTERRUPTED: &str = "import time\nbefore = 1\ndisplay('go')\ntime.sleep(60)\nafter = 1";
/// Cells whose value is wanted as data.
const AS_DATA: &[&str] = &["x = 1\nx", "float('nan')", "'x' * 1000"];
const CELLS: &[&str] = &[
    "x = 1\nx",
    "display({'a': [1]}); display('text')",
    "tool.echo(a=1)",
    "1/0",
    "x = (",
    "input()",
    "import sys; sys.exit(3)",
    "import sys; sys.exit('bye')",
    "import asyncio\nawait asyncio.sleep(0)\nprint('y')",
    "class P:\n    def _repr_mimebundle_(self, **k): return {'image/png': 'iVBORw0KGgo=', 'text/plain': 'p'}\nP()",
    "class M:\n    def _repr_markdown_(self): return '**m**'\nM()",
    "display('x' * 50)",
    "write('mirror.txt', 'a'); read('mirror.txt')",
    "for i in range(1000): print(i)",
    "float('nan')",
    "'x' * 1000",
    "import asyncio\nt = asyncio.ensure_future(tool.never.aio(a=2))\nawait asyncio.sleep(0)",
    INTERRUPTED,
    "import threading, time\nt = threading.Thread(target=time.sleep, args=(9,), daemon=True); t.start()",
    "print('after')",
];

/// Runs cells in a real runner, answering as the host does; every line it sent.
fn conversation() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let null = OwnedFd::from(std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap());
    let child = Spawn {
        program: support::interpreter(),
        arguments: vec!["-c".into(), BOOTSTRAP.into()],
        environment: std::env::vars_os().collect(),
        directory: folder.path().to_owned(),
        kernel_id: format!("test-frames-{}", std::process::id()),
    }
    .start(&[(null.as_fd(), 1), (null.as_fd(), 2), (theirs.as_fd(), 3)])
    .unwrap();
    drop(theirs);
    let mut host = ours.try_clone().unwrap();
    let sources = BTreeMap::from_iter(SOURCES.iter().copied());
    let boot = ToChild::Boot {
        sources,
        cwd: folder.path().to_str().unwrap(),
        limits: BootLimits::default(),
        max_text: 40,
        max_image: 99,
        close_on_exec: vec![],
    };
    host.write_all(&boot.line()).unwrap();
    let tools = ["echo".to_owned(), "never".to_owned()];
    let mut runs = CELLS.iter().zip(1..);
    let mut current = "";
    let context = HelperContext { cwd: folder.path().to_owned(), session_file: None };
    let mut lines = Vec::new();
    for line in BufReader::new(ours).lines() {
        let line = line.unwrap();
        let frame: Value = serde_json::from_str(&line).unwrap();
        lines.push(line);
        if let Some(place) = frame["place"].as_u64() {
            host.write_all(&ToChild::Drained { place }.line()).unwrap();
        }
        match frame["type"].as_str().unwrap() {
            "call" if frame["name"] == "never" => {}
            "call" => {
                let answer = match frame["scope"].as_str().unwrap() {
                    "helper" => answer(frame["name"].as_str().unwrap(), &frame["args"].to_string(), &context),
                    _ => "1".to_owned(),
                };
                host.write_all(&reply_line(frame["id"].as_u64().unwrap(), &Ok(answer))).unwrap();
            }
            "boot-ack" | "done" => match runs.next() {
                Some((code, id)) => {
                    current = code;
                    let max_value = AS_DATA.contains(code).then_some(100);
                    let run = ToChild::Run {
                        id,
                        cell: "cell",
                        code,
                        max_value,
                        tools: Some(&tools),
                        open_tools: Some(false),
                    };
                    host.write_all(&run.line()).unwrap();
                }
                None => host.write_all(&ToChild::Variables { id: 1 }.line()).unwrap(),
            },
            "display" if current == INTERRUPTED => {
                host.write_all(&ToChild::Interrupt { run: frame["run"].as_u64().unwrap() }.line()).unwrap();
                let group = child.group.clone();
                // As the host does: one signal may come where the runner keeps it for later.
                std::thread::spawn(move || {
                    for wait in INTERRUPT_REPEATS {
                        group.interrupt_leader();
                        std::thread::sleep(wait);
                    }
                });
            }
            "variables" => host.write_all(&ToChild::Exit.line()).unwrap(),
            _ => {}
        }
    }
    child.group.retire();
    lines
}

/// The fields of a frame, from its debug form: `Kind(Struct { … })`, so that they stand in the third column.
fn fields(frame: &impl std::fmt::Debug) -> Vec<String> {
    let text = format!("{frame:#?}");
    let lines = text.lines().filter_map(|line| line.strip_prefix("        ")).filter(|line| !line.starts_with(' '));
    lines.filter_map(|line| line.split_once(':')).map(|(name, _)| name.to_owned()).collect()
}

fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[test]
fn names_optionality_and_types_of_what_the_real_runner_sends_are_those_that_the_host_reads() {
    // `read` accepts every frame below: what the runner leaves out in one of them is optional for the host too.
    // Every field that the host reads, by type of frame: whether it was sent at least once.
    let mut seen = BTreeMap::<String, BTreeMap<String, bool>>::new();
    for line in conversation() {
        let read_frame = read(line.as_bytes()).unwrap_or_else(|problem| panic!("{problem}: {line}"));
        let Value::Object(frame) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        let kind = frame["type"].as_str().unwrap().to_owned();
        let known = seen.entry(kind.clone()).or_default();
        for name in fields(&read_frame) {
            known.entry(name).or_default();
        }
        for name in frame.keys().filter(|name| *name != "type") {
            // Serde skips what it does not know; the debug form names every field that there is.
            *known.get_mut(name).unwrap_or_else(|| panic!("{kind}.{name} is read by nobody")) = true;
            // Another type than the one sent must be refused, unless the field takes any JSON.
            let any = matches!(name.as_str(), "value" | "args" | "event");
            let mut wrong = frame.clone();
            wrong[name] = if frame[name].is_object() { "x".into() } else { serde_json::json!({ "x": 1 }) };
            let refused = read(Value::Object(wrong).to_string().as_bytes()).is_err();
            assert!(any || refused, "{kind}.{name} is read as anything, sent as {}", shape(&frame[name]));
        }
    }
    for kind in FROM_CHILD {
        assert!(seen.contains_key(*kind), "{kind} was never sent");
    }
    for (kind, fields) in seen {
        let never: Vec<_> = fields.iter().filter(|(_, sent)| !**sent).map(|(name, _)| name).collect();
        assert!(never.is_empty(), "{kind}: never sent: {never:?}");
    }
}
