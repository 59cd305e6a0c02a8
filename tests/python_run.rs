//! Cells run, persist, fail and stop: the Python kernel driven directly.

mod support;

use std::sync::Arc;
use std::time::Duration;

use evalcell::kernel::{Driver, Outcome, State, WaitingFor};
use evalcell::limits::PYTHON_TEXT_MAX;
use evalcell::output::messages::display_cut;
use support::{Event, Recorder, Session, block_on};

#[test]
fn names_persist_and_the_last_expression_is_shown() {
    block_on(async {
        let session = Session::new().await;
        assert_eq!(session.text("x = 40\nprint('one')\nprint('two')\nx + 2").await, "one\ntwo\n42\n");
        assert_eq!(session.text("x").await, "40\n");
        assert_eq!(session.text("[print('in'), 5][1];").await, "in\n");
        assert_eq!(session.text("x = 1").await, "");
        assert_eq!(session.text("").await, "");
        session.kernel.close().await;
    });
}

#[test]
fn a_traceback_has_the_cells_name_line_numbers_and_source_lines_and_no_frames_of_ours() {
    block_on(async {
        let session = Session::new().await;
        session.text("def f(d):\n    return d['k']").await;
        let thrown = session.thrown("def g():\n    return f({})\n\ng()").await;
        assert_eq!(thrown.name.as_deref(), Some("KeyError"));
        assert_eq!(thrown.message, "'k'");
        assert_eq!(thrown.line, Some(2));
        for part in [
            "Traceback (most recent call last):\n  File \"cell-2\", line 4, in <module>\n    g()",
            "File \"cell-2\", line 2, in g\n    return f({})",
            "File \"cell-1\", line 2, in f\n    return d['k']",
            "KeyError: 'k'\n",
        ] {
            assert!(thrown.traceback.contains(part), "{}", thrown.traceback);
        }
        assert!(!thrown.traceback.contains("evalcell"), "{}", thrown.traceback);
    });
}

#[test]
fn a_syntax_error_comes_before_anything_runs_with_line_column_and_caret() {
    block_on(async {
        let session = Session::new().await;
        let (end, events) = session.run("print('ran')\nprint('a)").await;
        let Outcome::Syntax(thrown) = end.outcome else { panic!("{end:?}") };
        assert_eq!(events, []);
        // Where in the string the column is differs between versions of Python.
        assert!(thrown.line == Some(2) && thrown.column >= Some(7), "{thrown:?}");
        assert!(thrown.traceback.contains("^"), "{}", thrown.traceback);
        assert_eq!(end.state, State::Kept);
    });
}

#[test]
fn top_level_await_works_and_tasks_survive_to_later_cells() {
    block_on(async {
        let session = Session::new().await;
        let code = "import asyncio\nasync def f():\n    await asyncio.sleep(.01)\n    return 5\nasyncio.run(f())";
        assert_eq!(session.text(code).await, "5\n");
        assert_eq!(session.text("await f()").await, "5\n");
        assert_eq!(session.text("t = asyncio.create_task(f())").await, "");
        assert_eq!(session.text("await t").await, "5\n");
        assert_eq!(session.text("asyncio.run(f())").await, "5\n");
    });
}

#[test]
fn the_order_of_prints_and_displays_is_exact() {
    block_on(async {
        let session = Session::new().await;
        let (end, events) = session
            .run("for i in range(3000):\n    print('before', i)\n    display({'i': i})\n    print('after', i)")
            .await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        let mut expected = vec![Event::Text("before 0\n".into())];
        for i in 0..3000 {
            expected.push(Event::Json(format!("{{\"i\":{i}}}")));
            let next = if i < 2999 { format!("before {}\n", i + 1) } else { String::new() };
            expected.push(Event::Text(format!("after {i}\n{next}")));
        }
        assert_eq!(events, expected);
    });
}

#[test]
fn an_interrupt_stops_the_cell_and_keeps_its_names() {
    block_on(async {
        let session = Session::new().await;
        for code in ["a = 1\nprint('go')\nwhile True: pass", "a = 1\nprint('go')\nimport time; time.sleep(99)"] {
            let recorder = Arc::new(Recorder::default());
            let request = session.request(code);
            let run = request.run;
            let end = session.kernel.run(request, recorder.clone());
            recorder.saw("go").await;
            session.kernel.interrupt(run);
            let end = end.await;
            assert!(matches!(end.outcome, Outcome::Stopped), "{end:?}");
            assert_eq!((end.state, end.waiting_for), (State::Kept, Some(WaitingFor::Code)));
            assert_eq!(session.text("a").await, "1\n");
        }
    });
}

#[test]
fn an_idle_await_is_abandoned_without_losing_anything() {
    block_on(async {
        let session = Session::new().await;
        let recorder = Arc::new(Recorder::default());
        let request = session.request("import asyncio\na = 2\nasyncio.get_running_loop().call_later(.02, print, 'go')\nawait asyncio.sleep(99)\nb = 3");
        let run = request.run;
        let end = session.kernel.run(request, recorder.clone());
        recorder.saw("go").await;
        session.kernel.interrupt(run);
        let end = end.await;
        assert!(matches!(end.outcome, Outcome::Stopped), "{end:?}");
        assert_eq!(end.waiting_for, Some(WaitingFor::Await));
        assert_eq!(end.bound, ["asyncio", "a"]);
        assert_eq!(end.not_reached, ["b"]);
        assert_eq!(session.text("a").await, "2\n");
    });
}

#[test]
fn a_dead_kernel_ends_its_run_at_once_with_the_output_so_far() {
    block_on(async {
        for (code, signal, exit) in [
            ("print('before')\nimport os; os.kill(os.getpid(), 9)", Some(9), None),
            ("print('before')\nimport os; os._exit(4)", None, Some(4)),
            ("print('before')\nimport ctypes; ctypes.string_at(0)", Some(11), None),
            ("print('before')\nimport os, subprocess; subprocess.Popen(['sleep', '60']); os._exit(4)", None, Some(4)),
        ] {
            let session = Session::new().await;
            let (end, events) = session.run(code).await;
            assert_eq!(events, [Event::Text("before\n".into())]);
            assert_eq!(end.state, State::Lost);
            let Outcome::KernelExit { signal: got, code: status, .. } = end.outcome else { panic!("{end:?}") };
            assert_eq!((got, status), (signal, exit));
            tokio::time::timeout(Duration::from_secs(5), session.kernel.ended()).await.expect("it has ended");
        }
    });
}

#[test]
fn a_tool_call_blocks_and_returns_the_hosts_answer() {
    block_on(async {
        let session = Session::new().await;
        assert_eq!(session.text("tool.echo(s='x', n=[1, 2.5, None])").await, "{'s': 'x', 'n': [1, 2.5, None]}\n");
        assert_eq!(session.text("tool.echo({'a': 1})['a']").await, "1\n");
        let thrown = session.thrown("tool.fail()").await;
        assert_eq!((thrown.name.as_deref(), &*thrown.message), (Some("ToolError"), "no such thing"));
        assert!(!thrown.traceback.contains("evalcell"), "{}", thrown.traceback);
        let thrown = session.thrown("tool.nothing()").await;
        assert!(thrown.message.contains("echo, fail"), "{}", thrown.message);
        assert_eq!(session.text("dir(tool)").await, "['echo', 'fail', 'my_tool', 'never']\n");
    });
}

#[test]
fn in_an_event_loop_a_call_starts_at_once_and_must_be_awaited() {
    block_on(async {
        let session = Session::new().await;
        let code = "import asyncio\n[r['i'] for r in await asyncio.gather(*(tool.echo(i=i) for i in range(50)))] == list(range(50))";
        assert_eq!(session.text(code).await, "True\n");
        let thrown = session.thrown("await asyncio.sleep(0)\ntool.echo(i=1)").await;
        assert!(thrown.message.contains("never awaited"), "{}", thrown.message);
    });
}

#[test]
fn five_megabytes_cross_the_bridge_both_ways_at_once() {
    block_on(async {
        let session = Session::new().await;
        let mut code = "print('y'*10**6); len(tool.echo(s='z'*5*10**6)['s'])\n".to_owned();
        code.push_str(&"# a comment line\n".repeat(60_000));
        assert!(session.text(&code).await.ends_with("\n5000000\n"));
    });
}

#[test]
fn close_resolves_when_the_process_is_gone() {
    block_on(async {
        let session = Session::new().await;
        let pid = session.kernel.facts().pid.expect("a process");
        session.kernel.close().await;
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
        let (end, _) = session.run("1").await;
        assert!(matches!(end.outcome, Outcome::KernelExit { .. }), "{end:?}");
    });
}

#[test]
fn a_display_over_its_cap_is_cut_and_says_so_whatever_its_characters_cost() {
    block_on(async {
        let session = Session::new().await;
        for repeated in ["x", "\\u6f22", "\\x01", "\\U0001f600", "\\udce9", "\\U0001f600\\udce9"] {
            let code = format!("display(('{repeated}' * {PYTHON_TEXT_MAX})[:{PYTHON_TEXT_MAX}] + 'further')");
            let (end, events) = session.run(&code).await;
            assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
            let [Event::Shown(text)] = &*events else { panic!("{repeated}: {} events", events.len()) };
            assert!(text.ends_with(&display_cut(7)), "{repeated}");
        }
    });
}

#[test]
fn text_that_json_cannot_carry_costs_nothing_but_itself() {
    block_on(async {
        let session = Session::new().await;
        let (_, events) = session.run(r"display('a\udce9b'); display({'k': '\udce9'})").await;
        assert_eq!(events, [Event::Shown(r"a\udce9b".into()), Event::Json(r#"{"k":"\udce9"}"#.into())]);
        assert_eq!(session.thrown(r"raise ValueError('\udce9')").await.message, r"\udce9");
        let (end, _) = session.run(r"import sys; sys.exit('\udce9')").await;
        assert!(matches!(end.outcome, Outcome::Exit { code: 1, .. }), "{end:?}");
        let code = "class R:\n    def __repr__(self): return '\\udce9'\nR()";
        assert_eq!(session.text(code).await, "\\udce9\n");
        session.text("globals()['\\udce9'] = globals()[3] = 1; x = 2").await;
        let names: Vec<_> = session.kernel.variables().await.unwrap().into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["R", "sys", "x"]);
    });
}

#[test]
fn arguments_that_one_line_cannot_carry_are_refused_by_the_sender() {
    block_on(async {
        let session = Session::new().await;
        for code in ["tool.echo(s='z' * (64 * 2**20))", "tool.echo(s='\\u6f22' * (30 * 2**20))"] {
            let thrown = session.thrown(code).await;
            assert!(thrown.message.starts_with("not lossless JSON at args"), "{}", thrown.message);
        }
        assert_eq!(session.text("tool.echo(a=1)").await, "{'a': 1}\n");
    });
}

#[test]
fn a_frame_that_is_dropped_keeps_no_cell_waiting_for_its_place() {
    block_on(async {
        let session = Session::new().await;
        let code = "import sys\nw = sys.modules['_evalcell.wire'].wire\nw.send_in_place('{\"type\":\"display\",\"run\":%d,\"form\":\"text\",\"text\":5' % w.current)\nw.send_in_place('{\"type\":\"none\"')\n7";
        assert_eq!(session.text(code).await, "7\n");
    });
}
