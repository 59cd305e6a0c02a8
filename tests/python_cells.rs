//! What a cell is: its value, its names, its errors.

mod support;

use evalcell::kernel::{Outcome, State};
use support::{Event, Session, block_on};

#[test]
fn a_failed_cell_says_which_names_it_had_set_and_which_not() {
    block_on(async {
        let session = Session::new().await;
        session.text("body = 'first'").await;
        for (code, bound, missing) in [
            ("int('x'); body = 'second'", &[][..], &["body"][..]),
            ("rows = [1, 2]\ntotal = sum(rows)\n1/0\nmean = total / 2", &["rows", "total"], &["mean"]),
            ("for row in [1, 0]:\n    inverse = 1 / row\nlast = row", &["row", "inverse"], &["last"]),
            (
                "import os.path\nfrom sys import argv as words\ndef f(): pass\nclass C: pass\n1/0",
                &["os", "words", "f", "C"],
                &[],
            ),
            ("a, (b, *c) = 1, (2, 3)\nwith open('/nope') as file:\n    text = 1", &["a", "b", "c"], &["file", "text"]),
            ("try:\n    1/0\nexcept ZeroDivisionError as error:\n    raise\nelse:\n    fine = 1", &[], &["fine"]),
            ("(n := 5)\n1/0", &["n"], &[]),
            (
                "import asyncio\nx1 = await asyncio.sleep(0, 4)\nawait asyncio.sleep(1/0)\nx2 = 1",
                &["asyncio", "x1"],
                &["x2"],
            ),
        ] {
            let (end, _) = session.run(code).await;
            assert!(matches!(end.outcome, Outcome::Exception(_)), "{code}: {end:?}");
            assert_eq!(
                (&*end.bound, &*end.not_reached),
                (
                    &bound.iter().map(|name| name.to_string()).collect::<Vec<_>>()[..],
                    &missing.iter().map(|name| name.to_string()).collect::<Vec<_>>()[..]
                ),
                "{code}"
            );
        }
        assert_eq!(session.text("body").await, "'first'\n");
    });
}

#[test]
fn a_trailing_semicolon_silences_the_value_and_a_comment_changes_nothing() {
    block_on(async {
        let session = Session::new().await;
        for code in ["5;", "5 ; # shown?", "(5);", "'''a\nb''';", "x = 1; 5;", "'é';"] {
            assert_eq!(session.text(code).await, "", "{code}");
        }
        for code in ["5 # ;", "# ;\n5", "'a;'", "';'"] {
            assert_ne!(session.text(code).await, "", "{code}");
        }
    });
}

#[test]
fn from_future_holds_for_its_cell_and_those_after_it_and_nothing_leaks_in() {
    block_on(async {
        let session = Session::new().await;
        let thrown = session.thrown("def f(x: Undefined): pass\nf.__annotations__").await;
        assert_eq!(thrown.name.as_deref(), Some("NameError"));
        session.text("from __future__ import annotations\ndef f(x: Undefined): pass").await;
        assert_eq!(session.text("def g(x: Undefined): pass\ng.__annotations__").await, "{'x': 'Undefined'}\n");
    });
}

#[test]
fn the_namespace_is_that_of_a_script() {
    block_on(async {
        let session = Session::new().await;
        assert_eq!(session.text("sorted(n for n in globals() if not n.startswith('__'))").await, "[]\n");
        let code = "from dataclasses import dataclass, field\nimport pickle, inspect\n@dataclass\nclass P:\n    a: int = 1\n    b: list = field(default_factory=list)\ndef fib(n): return n if n < 2 else fib(n-1) + fib(n-2)\n__name__, pickle.loads(pickle.dumps(P(2))), fib(10)";
        assert_eq!(session.text(code).await, "('__main__', P(a=2, b=[]), 55)\n");
        assert_eq!(
            session.text("inspect.getsource(fib)").await,
            "'def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)\\n'\n"
        );
        assert_eq!(session.text("k = 3\n[k * i for i in range(3) if k]").await, "[0, 3, 6]\n");
        assert_eq!(session.text("import sys\nsys.modules['__main__'].k, _").await, "(3, [0, 3, 6])\n");
    });
}

#[test]
fn a_very_long_traceback_is_cut_in_the_middle() {
    block_on(async {
        let session = Session::new().await;
        let code = "def f(n):\n    if n: g(n - 1)\n    1/0\ndef g(n):\n    f(n)\nf(300)";
        let thrown = session.thrown(code).await;
        let lines = thrown.traceback.lines().count();
        assert!(lines <= 201, "{lines}");
        assert!(thrown.traceback.contains("lines left out …"));
        assert!(thrown.traceback.starts_with("Traceback"), "{}", thrown.traceback);
        assert!(thrown.traceback.ends_with("ZeroDivisionError: division by zero\n"));
    });
}

#[test]
fn errors_that_cannot_be_described_still_give_a_result() {
    block_on(async {
        let session = Session::new().await;
        let thrown =
            session.thrown("class E(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise E()").await;
        assert_eq!(thrown.name.as_deref(), Some("E"));
        for code in ["1\0", "0x", "print('a\n%pwd", "\u{feff}\u{0}", "async def"] {
            let (end, events) = session.run(code).await;
            assert!(matches!(end.outcome, Outcome::Syntax(_)), "{code:?}: {end:?}");
            assert_eq!(events, []);
        }
        let thrown = session.thrown("raise ValueError('x' * 10**6)").await;
        assert!(thrown.traceback.len() < 60_000);
        assert_eq!(session.text("2").await, "2\n");
    });
}

#[test]
fn sys_exit_ends_the_cell_and_keeps_the_state() {
    block_on(async {
        let session = Session::new().await;
        for (code, number, text) in [
            ("import sys\na = 1\nsys.exit(3)", 3, ""),
            ("sys.exit()", 0, ""),
            ("exit()", 0, ""),
            ("quit(7)", 7, ""),
            ("sys.exit('bye')", 1, "bye\n"),
            ("import asyncio\nawait asyncio.sleep(0)\nsys.exit(5)", 5, ""),
        ] {
            let (end, events) = session.run(code).await;
            let Outcome::Exit { code: got, .. } = end.outcome else { panic!("{code}: {end:?}") };
            assert_eq!((got, end.state), (number, State::Kept), "{code}");
            let expected = if text.is_empty() { vec![] } else { vec![Event::Text(text.into())] };
            assert_eq!(events, expected, "{code}");
        }
        assert_eq!(session.text("a").await, "1\n");
    });
}

#[test]
fn input_and_its_friends_fail_at_once_and_stdin_is_empty() {
    block_on(async {
        let session = Session::new().await;
        for code in ["input('name? ')", "import getpass; getpass.getpass()", "breakpoint()"] {
            let (end, _) = session.run(code).await;
            let Outcome::Stdin(thrown) = end.outcome else { panic!("{code}: {end:?}") };
            assert_eq!(thrown.message, "Kernel requested stdin; interactive input is not supported.");
        }
        let code = "import sys, subprocess\nsys.stdin.read(), sys.stdin.readline(), subprocess.run(['cat'], timeout=3).returncode";
        assert_eq!(session.text(code).await, "('', '', 0)\n");
    });
}

#[test]
fn a_forked_child_never_speaks_the_protocol_and_ends_with_the_cell() {
    block_on(async {
        let session = Session::new().await;
        let code = "import os\npid = os.fork()\nif pid == 0:\n    print('child')\n    display({'a': 1})\nelse:\n    status = os.waitpid(pid, 0)[1]\n    print('parent', status)";
        let (end, events) = session.run(code).await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        assert_eq!(events, [Event::Text("child\nparent 0\n".into())]);
        let code = "import multiprocessing as mp\ndef sq(x): return x * x\nwith mp.get_context('fork').Pool(2) as p: print(p.map(sq, [1, 2, 3]))";
        assert_eq!(session.text(code).await, "[1, 4, 9]\n");
        let thrown = session.thrown("with mp.get_context('spawn').Pool(1) as p: print(p.map(sq, [1]))").await;
        assert!(thrown.message.contains("was defined in a cell"), "{}", thrown.message);
    });
}

#[test]
fn all_output_of_the_process_is_captured_in_order() {
    block_on(async {
        let session = Session::new().await;
        let code = r#"import os, sys, subprocess, ctypes
libc = ctypes.CDLL(None)
print('py1', end=' '); os.system('echo sh'); os.write(1, b'raw\n'); subprocess.run(['echo', 'sub'], stdout=sys.stdout)
sys.stderr.write('e\n'); os.write(1, b'{"type":"done","ok":true}\n'); print('py2', end=' '); libc.printf(b'c '); print('py3')
sys.stdout.buffer.write(b'\xff\xfe bin\n'); print('h\u00e9 \u6f22 \U0001f600 \udce9');"#;
        let expected =
            "py1 sh\nraw\nsub\ne\n{\"type\":\"done\",\"ok\":true}\npy2 c py3\n\u{fffd}\u{fffd} bin\nhé 漢 😀 \\udce9\n";
        assert_eq!(session.text(code).await, expected);
    });
}

#[test]
fn own_output_is_utf8_whatever_the_environment_says() {
    block_on(async {
        let mut config = support::config();
        for (name, value) in
            [("LC_ALL", "C"), ("PYTHONIOENCODING", "latin-1"), ("PYTHONCOERCECLOCALE", "0"), ("PYTHONUTF8", "0")]
        {
            config.env.retain(|(known, _)| known != name);
            config.env.push((name.into(), value.into()));
        }
        let session = Session::with(config).await;
        assert_eq!(session.text("ñ = 'é 漢 😀'; print(ñ)").await, "é 漢 😀\n");
    });
}

#[test]
fn late_output_of_threads_is_background_output() {
    block_on(async {
        let session = Session::new().await;
        let code = r#"import threading, os
go, done = os.pipe(), os.pipe()
def later():
    os.read(go[0], 1)
    print('late')
    os.write(done[1], b'x')
threading.Thread(target=later).start()
import _thread, time
# Wakes the thread when the cell has long ended.
threading.Timer(.3, os.write, (go[1], b'x')).start()"#;
        assert_eq!(session.text(code).await, "");
        session.background("late\n").await;
        assert_eq!(session.text("os.read(done[0], 1)").await, "b'x'\n");
    });
}

#[test]
fn files_named_like_the_standard_library_never_harm_the_runner_and_cells_get_them() {
    block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["traceback", "json", "tokenize", "dis", "asyncio", "linecache", "types", "keyword", "contextvars"]
        {
            std::fs::write(folder.path().join(format!("{name}.py")), "mine = True\n").expect("written");
        }
        let mut config = support::config();
        config.cwd = folder.path().to_owned();
        let session = Session::with(config).await;
        let thrown = session.thrown("1/0").await;
        assert!(thrown.traceback.contains("1/0"), "{}", thrown.traceback);
        assert_eq!(session.text("import traceback, json; traceback.mine, json.mine").await, "(True, True)\n");
        assert!(session.thrown("x = 1\n1/0").await.traceback.contains("ZeroDivisionError"));
        assert_eq!(session.text("tool.echo(a=1)").await, "{'a': 1}\n");
        assert_eq!(session.text("import os; os.environ.get('PYTHONSAFEPATH')").await, "");
    });
}
