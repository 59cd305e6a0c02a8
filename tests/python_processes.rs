//! What cells start besides themselves: processes of `multiprocessing`, tasks that fail, memory that runs out, and the end
//! of the kernel from outside.

mod support;

use std::sync::Arc;

use evalcell::kernel::python::{PythonConfig, PythonLimits};
use evalcell::kernel::{Driver, Outcome, State};
use support::{Event, Recorder, Session, block_on};

const HINT: &str = "was defined in a cell: a spawned process cannot import it. Use multiprocessing.get_context('fork'), or put it into a module file and import it from there.";

#[test]
fn multiprocessing_works_with_fork_and_with_spawn_works_or_fails_with_one_clear_hint() {
    block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("work.py"), "def square(x): return x * x\n").expect("written");
        let session = Session::with(PythonConfig { cwd: folder.path().to_owned(), ..support::config() }).await;
        let code = "import multiprocessing as mp, work\nfrom concurrent.futures import ProcessPoolExecutor\ndef here(x): return x + 1\nclass Here: pass";
        session.text(code).await;
        let main = "if __name__ == '__main__':\n    ";
        for method in ["spawn", "forkserver", "fork"] {
            let context = format!("mp.get_context('{method}')");
            for prefix in ["", main] {
                let pool = format!("{prefix}with {context}.Pool(2) as p: print(p.map(work.square, [1, 2]))");
                assert_eq!(session.text(&pool).await, "[1, 4]\n", "{pool}");
                let pool = format!("{prefix}with {context}.Pool(2) as p: print(p.map(here, [1, 2]))");
                let executor = format!(
                    "{prefix}with ProcessPoolExecutor(2, mp_context={context}) as p: print(list(p.map(here, [1, 2])))"
                );
                let process = format!(
                    "{prefix}p = {context}.Process(target=print, args=(Here(),)); p.start(); p.join(); print(p.exitcode)"
                );
                if method == "fork" {
                    // Also after others were spawned.
                    assert_eq!(session.text(&pool).await, "[2, 3]\n");
                    assert_eq!(session.text(&executor).await, "[2, 3]\n");
                    assert!(session.text(&process).await.ends_with(">\n0\n"));
                    continue;
                }
                for code in [pool, executor, process] {
                    let thrown = session.thrown(&code).await;
                    assert!(thrown.message.ends_with(HINT), "{code}: {}", thrown.message);
                }
            }
            let process = format!("p = {context}.Process(target=print, args=('child',)); p.start(); p.join()");
            assert_eq!(session.text(&process).await, "child\n", "{method}");
        }
        assert_eq!(session.text("here(1)").await, "2\n");
    });
}

#[test]
fn a_task_that_failed_and_that_nobody_awaited_is_told_with_the_next_result_and_named_by_its_cell() {
    block_on(async {
        let session = Session::new().await;
        let code = "import asyncio\nfailed = asyncio.Event()\nasync def boom():\n    try: raise ValueError('lost')\n    finally: failed.set()\nkept = asyncio.create_task(boom())";
        let (end, _) = session.run(code).await;
        assert_eq!(end.notices, [""; 0]);
        let (end, events) = session.run("await failed.wait()").await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        assert_eq!(end.notices, ["A task of cell-1, line 4 failed and was never awaited: ValueError: lost"]);
        assert_eq!(events, [Event::Text("True\n".into())]);
        // Once, and it can still be awaited.
        let (end, _) = session.run("1").await;
        assert_eq!(end.notices, [""; 0]);
        assert_eq!(session.thrown("await kept").await.message, "lost");
    });
}

#[test]
fn a_failed_task_that_the_next_cell_awaits_is_that_cells_own_affair() {
    block_on(async {
        let session = Session::new().await;
        session
            .text("import asyncio\nasync def boom(): raise ValueError('heard')\nt = asyncio.create_task(boom())")
            .await;
        let (end, events) = session.run("try: await t\nexcept ValueError as error: print(error)").await;
        assert!(matches!(end.outcome, Outcome::Complete) && end.notices.is_empty(), "{end:?}");
        assert_eq!(events, [Event::Text("heard\n".into())]);
        let code = "t = asyncio.gather(boom(), boom(), return_exceptions=True)\nlen(await t)";
        assert_eq!(session.text(code).await, "2\n");
        let (end, _) = session.run("await asyncio.sleep(0)").await;
        assert_eq!(end.notices, [""; 0]);
    });
}

#[test]
fn the_end_of_memory_is_an_exception_of_the_cell_and_keeps_the_state() {
    block_on(async {
        let limits = PythonLimits { address_space_bytes: Some(1 << 30), cpu_seconds: None };
        let session = Session::with(PythonConfig { limits, ..support::config() }).await;
        session.text("kept = 1").await;
        for code in ["bytearray(2**31)", "rows = []\nwhile True: rows.append(bytearray(2**20))"] {
            let thrown = session.thrown(code).await;
            assert_eq!(thrown.name.as_deref(), Some("MemoryError"), "{code}");
            session.text("rows = None").await;
        }
        assert_eq!(session.text("kept + 1").await, "2\n");
    });
}

#[test]
fn a_kill_from_outside_as_the_systems_own_when_memory_is_short_ends_the_cell_at_once() {
    block_on(async {
        let session = Session::new().await;
        let recorder = Arc::new(Recorder::default());
        let code = "import time\nprint('go', flush=True)\ntime.sleep(60)";
        let end = session.kernel.run(session.request(code), recorder.clone());
        recorder.saw("go\n").await;
        let pid = session.kernel.facts().pid.expect("a process").cast_signed();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).expect("alive");
        let end = end.await;
        assert!(matches!(end.outcome, Outcome::KernelExit { signal: Some(9), reason: None, .. }), "{end:?}");
        assert_eq!((end.state, recorder.text()), (State::Lost, "go\n".to_owned()));
        assert_eq!(session.kernel.ended().await, "the kernel was ended by signal 9");
    });
}

#[test]
fn output_of_children_streams_as_it_comes_and_needs_no_line_break() {
    block_on(async {
        let session = Session::new().await;
        // Each number is printed only when the one before was seen here: what streams, and nothing else, ends this.
        let code = "import os, subprocess, sys\nr, w = os.pipe()\nchild = 'import os, sys\\nfor i in range(4):\\n    print(i, end=\".\", flush=True)\\n    os.read(int(sys.argv[1]), 1)'\nprint(w, end=' ', flush=True)\nprint(subprocess.run([sys.executable, '-c', child, str(r)], pass_fds=[r]).returncode)";
        let recorder = Arc::new(Recorder::default());
        let end = session.kernel.run(session.request(code), recorder.clone());
        recorder.saw(" ").await;
        let descriptor = recorder.text().trim().to_owned();
        let pid = session.kernel.facts().pid.expect("a process");
        let mut pipe =
            std::fs::OpenOptions::new().write(true).open(format!("/proc/{pid}/fd/{descriptor}")).expect("the pipe");
        for number in 0..4 {
            recorder.saw(&format!("{number}.")).await;
            std::io::Write::write_all(&mut pipe, b"x").expect("written");
        }
        assert!(matches!(end.await.outcome, Outcome::Complete));
        assert_eq!(recorder.text(), format!("{descriptor} 0.1.2.3.0\n"));
    });
}
