//! Stopping Python cells: what was started goes, what was there stays, and nothing else is hit.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use evalcell::kernel::{Driver, Outcome, RunEnd, State};
use support::{Recorder, Session, block_on};

/// Runs a cell and interrupts it as soon as it has printed `go`.
async fn stopped(session: &Session, code: &str) -> (RunEnd, String) {
    let recorder = Arc::new(Recorder::default());
    let request = session.request(code);
    let run = request.run;
    let end = session.kernel.run(request, recorder.clone());
    recorder.saw("go").await;
    session.kernel.interrupt(run);
    (end.await, recorder.text())
}

fn is_stopped(end: &RunEnd) -> bool {
    matches!(end.outcome, Outcome::Stopped) && end.state == State::Kept
}

#[test]
fn processes_in_the_cells_group_go_with_the_interrupt_and_those_in_a_session_of_their_own_stay() {
    block_on(async {
        let session = Session::new().await;
        session.text("import subprocess, time\nsrv = subprocess.Popen(['sleep','300'], start_new_session=True); pl = subprocess.Popen(['sleep','301'])").await;
        let (end, _) = stopped(&session, "print('go')\ntime.sleep(9)").await;
        assert!(is_stopped(&end), "{end:?}");
        assert_eq!(session.text("[srv.poll(), pl.wait()]").await, "[None, -9]\n");
        let server: i32 = session.text("srv.pid").await.trim().parse().expect("a pid");
        session.kernel.close().await;
        let gone = nix::sys::signal::kill(nix::unistd::Pid::from_raw(server), None);
        assert!(gone.is_err() || is_zombie(server), "the server is gone with the kernel");
    });
}

fn is_zombie(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn a_busy_tree_of_children_is_gone_and_the_next_cell_starts_at_once() {
    block_on(async {
        let session = Session::new().await;
        let code =
            "import subprocess\nk = 7\nsubprocess.run('echo go; sh -c \"while :; do :; done & wait\"', shell=True)";
        let (end, _) = stopped(&session, code).await;
        assert!(is_stopped(&end), "{end:?}");
        // A dead process that its new parent has not collected yet does nothing any more.
        let check = r#"import os
def alive(p):
    try:
        return os.getpgid(int(p)) == os.getpgid(0) and ') Z ' not in open(f'/proc/{p}/stat').read()
    except OSError:
        return False
[p for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid() and alive(p)], k"#;
        assert_eq!(session.text(check).await, "([], 7)\n");
    });
}

#[test]
fn a_call_that_discards_the_signal_does_not_save_the_cell() {
    block_on(async {
        let session = Session::new().await;
        let (end, text) =
            stopped(&session, "import os\nos.system('echo go; sleep 60')\nwhile True: pass\nprint('late')").await;
        assert!(is_stopped(&end), "{end:?}");
        assert_eq!(text, "go\n");
    });
}

#[test]
fn a_cell_that_swallows_the_interrupt_once_is_stopped_all_the_same() {
    block_on(async {
        let session = Session::new().await;
        let code =
            "print('go')\ntry:\n    while True: pass\nexcept BaseException:\n    pass\nimport time\ntime.sleep(60)";
        let (end, _) = stopped(&session, code).await;
        assert!(is_stopped(&end), "{end:?}");
    });
}

#[test]
fn a_cell_that_swallows_every_interrupt_is_ended_by_kill() {
    block_on(async {
        let session = Session::new().await;
        let recorder = Arc::new(Recorder::default());
        let request = session
            .request("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('go')\nwhile True: time.sleep(.2)");
        let run = request.run;
        let mut end = session.kernel.run(request, recorder.clone());
        recorder.saw("go").await;
        session.kernel.interrupt(run);
        assert!(tokio::time::timeout(Duration::from_millis(300), &mut end).await.is_err());
        session.kernel.kill();
        let end = end.await;
        assert_eq!(end.state, State::Lost);
        assert!(matches!(end.outcome, Outcome::KernelExit { .. }), "{end:?}");
    });
}

#[test]
fn a_stray_signal_hits_neither_an_idle_kernel_nor_a_running_cell() {
    block_on(async {
        let session = Session::new().await;
        let pid = nix::unistd::Pid::from_raw(session.kernel.facts().pid.expect("a pid").cast_signed());
        session.text("x = 1").await;
        for _ in 0..20 {
            nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("sent");
        }
        assert_eq!(session.text("x").await, "1\n");
        session.kernel.interrupt(999_999);
        let code = "import os, signal\nfor _ in range(50): os.kill(os.getpid(), signal.SIGINT)\nx + 1";
        assert_eq!(session.text(code).await, "2\n");
    });
}

#[test]
fn an_interrupt_at_any_moment_never_hits_a_later_cell() {
    block_on(async {
        let session = Session::new().await;
        session.text("import asyncio, time").await;
        let cells = [
            "for i in range(3000): pass",
            "print('x' * 10)",
            "await asyncio.sleep(0.0005)",
            "tool.echo(a=1)",
            "display({'a': 1})",
            "time.sleep(0.0005)",
            "t = asyncio.create_task(asyncio.sleep(0.0003)); await t",
        ];
        let (mut hit, mut seed) = (0, 88_172_645_463_325_252_u64);
        for round in 0..400 {
            let request = session.request(cells[round % cells.len()]);
            let run = request.run;
            let end = session.kernel.run(request, Arc::new(Recorder::default()));
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let wait = Instant::now() + Duration::from_micros(seed % 900);
            while Instant::now() < wait {
                std::hint::spin_loop();
            }
            session.kernel.interrupt(run);
            let end = end.await;
            match end.outcome {
                Outcome::Stopped => hit += 1,
                Outcome::Complete => {}
                other => panic!("round {round}: {other:?}"),
            }
            assert_eq!(session.text("1 + 1").await, "2\n", "round {round}");
        }
        assert!(hit > 0);
    });
}

#[test]
fn a_task_that_keeps_the_idle_kernel_busy_is_interrupted_when_the_next_cell_arrives() {
    block_on(async {
        let session = Session::new().await;
        let code = "import asyncio\nasync def hog():\n    await asyncio.sleep(0)\n    print('hogging')\n    while True: pass\nt = asyncio.create_task(hog())";
        // It may begin before the host has heard that the cell is over.
        if session.text(code).await.is_empty() {
            session.background("hogging\n").await;
        }
        let (end, events) = session.run("1 + 1").await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        assert_eq!(events, [support::Event::Text("2\n".into())]);
        assert!(end.notices.iter().any(|notice| notice.contains("background task")), "{end:?}");
    });
}

#[test]
fn nothing_that_a_stopped_cell_has_started_in_the_loop_goes_on() {
    block_on(async {
        let session = Session::new().await;
        let code = "import asyncio\nbox = []\nasync def late():\n    await asyncio.sleep(.05)\n    box.append('task')\nt = asyncio.create_task(late())\nasyncio.get_running_loop().call_later(.05, box.append, 'timer')\nawait asyncio.sleep(0)\nprint('go')\nawait asyncio.sleep(60)";
        let (end, _) = stopped(&session, code).await;
        assert!(is_stopped(&end), "{end:?}");
        assert_eq!(session.text("await asyncio.sleep(.15)\nbox").await, "[]\n");
    });
}

#[test]
fn a_stopped_cell_leaves_its_pending_tool_calls_behind() {
    block_on(async {
        let session = Session::new().await;
        for code in
            ["print('go')\ntool.never()", "import asyncio\nawait asyncio.sleep(0)\nprint('go')\nawait tool.never()"]
        {
            let recorder = Arc::new(Recorder::default());
            let request = session.request(code);
            let run = request.run;
            let end = session.kernel.run(request, recorder.clone());
            recorder.saw_call().await;
            session.kernel.interrupt(run);
            let end = end.await;
            assert!(is_stopped(&end), "{end:?}");
            assert_eq!(end.waiting_for, Some(evalcell::kernel::WaitingFor::Tools(vec!["never".into()])));
            // A late answer is dropped.
            for call in recorder.kept() {
                (call.reply)(Ok("1".into()));
            }
            assert_eq!(session.text("tool.echo(a=2)").await, "{'a': 2}\n");
        }
    });
}
