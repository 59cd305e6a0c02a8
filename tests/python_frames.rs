//! The two sides of the protocol say the same: bytes sent to a kernel, and what the real runner sends back.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use evalcell::kernel::python::frames::{BootLimits, ToChild, read, reply_line};
use evalcell::kernel::python::runtime::{BOOTSTRAP, SOURCES};
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
        ToChild::Boot { sources, cwd: "/tmp", limits, close_on_exec: vec![4] }.line(),
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
    "import threading, time\nt = threading.Thread(target=time.sleep, args=(9,), daemon=True); t.start()",
    "print('after')",
];

/// Runs cells in a real runner, answering as the host does; every line it sent.
fn conversation() -> Vec<String> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let null = OwnedFd::from(std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap());
    let child = Spawn {
        program: support::interpreter(),
        arguments: vec!["-c".into(), BOOTSTRAP.into()],
        environment: std::env::vars_os().collect(),
        directory: std::env::temp_dir(),
        kernel_id: format!("test-frames-{}", std::process::id()),
    }
    .start(&[(null.as_fd(), 1), (null.as_fd(), 2), (theirs.as_fd(), 3)])
    .unwrap();
    drop(theirs);
    let mut host = ours.try_clone().unwrap();
    let sources = BTreeMap::from_iter(SOURCES.iter().copied());
    let boot = ToChild::Boot { sources, cwd: "/tmp", limits: BootLimits::default(), close_on_exec: vec![] };
    host.write_all(&boot.line()).unwrap();
    let tools = ["echo".to_owned()];
    let mut runs = CELLS.iter().zip(1..);
    let mut lines = Vec::new();
    for line in BufReader::new(ours).lines() {
        let line = line.unwrap();
        let frame: Value = serde_json::from_str(&line).unwrap();
        lines.push(line);
        if let Some(place) = frame["place"].as_u64() {
            host.write_all(&ToChild::Drained { place }.line()).unwrap();
        }
        match frame["type"].as_str().unwrap() {
            "call" => host.write_all(&reply_line(frame["id"].as_u64().unwrap(), &Ok("1".into()))).unwrap(),
            "boot-ack" | "done" => match runs.next() {
                Some((code, id)) => {
                    let max_value = (id == 1).then_some(100);
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
            "variables" => host.write_all(&ToChild::Exit.line()).unwrap(),
            _ => {}
        }
    }
    child.group.retire();
    lines
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
    let mut seen = BTreeSet::new();
    for line in conversation() {
        let read_frame = read(line.as_bytes()).unwrap_or_else(|problem| panic!("{problem}: {line}"));
        let Value::Object(frame) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        let kind = frame["type"].as_str().unwrap().to_owned();
        let known = format!("{read_frame:?}");
        for name in frame.keys().filter(|name| *name != "type") {
            // Serde skips what it does not know; the debug form names every field that there is.
            assert!(known.contains(&format!("{name}: ")), "{kind}.{name} is read by nobody");
            // Another type than the one sent must be refused, unless the field takes any JSON.
            let any = matches!(name.as_str(), "value" | "args" | "event");
            let mut wrong = frame.clone();
            wrong[name] = if frame[name].is_object() { "x".into() } else { serde_json::json!({ "x": 1 }) };
            let refused = read(Value::Object(wrong).to_string().as_bytes()).is_err();
            assert!(any || refused, "{kind}.{name} is read as anything, sent as {}", shape(&frame[name]));
        }
        seen.insert(kind);
    }
    for kind in ["boot-ack", "call", "display", "done", "error", "result", "started", "variables"] {
        assert!(seen.contains(kind), "{kind} was never sent: {seen:?}");
    }
}
