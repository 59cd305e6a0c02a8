//! The protocol over a local socket, which is how it goes where descriptor 3 cannot be inherited: the real `python3`, the
//! same promises.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evalcell::kernel::python::{PythonConfig, Transport};
use evalcell::kernel::{Driver, Outcome, State};
use support::{Event, Recorder, Session, block_on};

fn config() -> PythonConfig {
    PythonConfig { transport: Transport::Named, ..support::config() }
}

#[test]
fn output_and_displays_keep_their_order_and_arrive_whole() {
    block_on(async {
        let session = Session::with(config()).await;
        let code = "import os\nfor i in range(50):\n    print('a' * i * 100, end='')\n    os.write(1, b'b')\n    display({'i': i})";
        let (end, events) = session.run(code).await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        let expected: Vec<Event> = (0..50)
            .flat_map(|i| [Event::Text("a".repeat(i * 100) + "b"), Event::Json(format!(r#"{{"i":{i}}}"#))])
            .collect();
        assert_eq!(events, expected);
        assert_eq!(session.text("print('x' * 10**7)").await.len(), 10_000_001);
        assert_eq!(session.text("len(tool.echo(s='z' * 5 * 10**6)['s'])").await, "5000000\n");
    });
}

#[test]
fn every_kind_of_wait_is_interrupted_by_a_frame_alone_and_keeps_the_state() {
    block_on(async {
        let session = Session::with(config()).await;
        session.text("import time, asyncio, threading, subprocess\nkept = 1").await;
        for code in [
            "print('go')\ntime.sleep(60)",
            "print('go')\nwhile True: pass",
            "print('go')\nawait asyncio.sleep(60)",
            "print('go')\ntool.never()",
            "print('go')\nawait asyncio.gather(tool.never(), asyncio.sleep(60))",
            "print('go')\nthreading.Event().wait()",
            "print('go', flush=True)\nsubprocess.run(['sleep', '60'])",
        ] {
            let recorder = Arc::new(Recorder::default());
            let request = session.request(code);
            let run = request.run;
            let end = session.kernel.run(request, recorder.clone());
            recorder.saw("go").await;
            session.kernel.interrupt(run);
            let end = end.await;
            assert!(matches!(end.outcome, Outcome::Stopped) && end.state == State::Kept, "{code}: {end:?}");
            assert_eq!(session.text("kept + 1").await, "2\n", "{code}");
        }
    });
}

#[test]
fn calls_from_threads_and_tasks_each_get_their_own_answer() {
    block_on(async {
        let session = Session::with(config()).await;
        let code = "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool:\n    rows = list(pool.map(lambda i: tool.echo(i=i)['i'], range(100)))\nrows == list(range(100))";
        assert_eq!(session.text(code).await, "True\n");
        let code = "import asyncio\nrows = await asyncio.gather(*(tool.echo(i=i) for i in range(100)))\n[r['i'] for r in rows] == list(range(100))";
        assert_eq!(session.text(code).await, "True\n");
    });
}

#[test]
fn the_death_of_the_kernel_ends_its_cell_with_the_output_and_the_frames_before_it() {
    block_on(async {
        let session = Session::with(config()).await;
        let code = "import os, subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)\ndisplay({'a': 1})\nprint('before')\nos._exit(7)";
        let (end, events) = session.run(code).await;
        assert!(matches!(end.outcome, Outcome::KernelExit { code: Some(7), .. }), "{end:?}");
        assert_eq!(events, [Event::Json(r#"{"a":1}"#.into()), Event::Text("before\n".into())]);
        session.kernel.ended().await;
    });
}

#[test]
fn neither_the_cell_nor_its_children_learn_the_name_or_the_token() {
    block_on(async {
        let session = Session::with(config()).await;
        let code = "import os, subprocess, sys\n'EVALCELL_SOCKET' in os.environ, subprocess.run([sys.executable, '-c', 'import os; print(\"EVALCELL_SOCKET\" in os.environ)']).returncode, [n for n in globals() if 'evalcell' in n]";
        assert_eq!(session.text(code).await, "False\n(False, 0, [])\n");
        session.kernel.close().await;
    });
}

/// An interpreter that does something with its socket first.
fn wrapper(folder: &Path, first: &str) -> PathBuf {
    let file = folder.join("python3");
    let python = support::interpreter();
    let script = format!(
        "#!/bin/sh\nset -- \"$@\"\n{python} -c '{first}' || exit 9\nexec {python} \"$@\"\n",
        python = python.display()
    );
    std::fs::write(&file, script).expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).expect("executable");
    file
}

#[test]
fn a_stranger_at_the_socket_is_turned_away_and_keeps_nobody_waiting() {
    block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        // One says nothing and stays, one says a wrong token and sees the connection close.
        let first = r#"
import os, socket, subprocess, sys
name = os.environ["EVALCELL_SOCKET"].split(" ", 1)[1]
assert os.stat(os.path.dirname(name)).st_mode & 0o77 == 0
silent = socket.socket(socket.AF_UNIX); silent.connect(name); os.set_inheritable(silent.fileno(), True)
subprocess.Popen(["sleep", "60"], close_fds=False)
wrong = socket.socket(socket.AF_UNIX); wrong.connect(name); wrong.sendall(b"0" * 64 + b" send\n")
assert wrong.recv(1) == b""
"#;
        let interpreter = wrapper(folder.path(), first);
        let session = Session::with(PythonConfig { interpreter, ..config() }).await;
        assert_eq!(session.text("1 + 1").await, "2\n");
    });
}

#[test]
fn a_kernel_that_never_connects_is_a_slow_start_and_one_that_ends_says_what_it_said() {
    block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let interpreter = wrapper(folder.path(), "print(\"no luck\"); raise SystemExit(1)");
        let Err(error) = evalcell::kernel::python::PythonKernel::start(PythonConfig { interpreter, ..config() }).await
        else {
            panic!("it started")
        };
        assert!(error.to_string().contains("exited with code 9") && error.to_string().contains("no luck"), "{error}");
        let interpreter = wrapper(folder.path(), "import time; time.sleep(60)");
        let startup_timeout = std::time::Duration::from_millis(300);
        let slow = PythonConfig { interpreter, startup_timeout, ..config() };
        let Err(error) = evalcell::kernel::python::PythonKernel::start(slow).await else { panic!("it started") };
        assert!(error.to_string().starts_with("Slow start"), "{error}");
    });
}
