//! Runs that are waited for where they were started: what a quick cell, and a wrong guess about one, must not change.

mod support;

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use evalcell::kernel::{Driver, Outcome, RunEnd, linger};
use support::{Recorder, Session, block_on};

/// Runs it as the host's thread does, which may wait.
fn started(
    session: &Session,
    code: &str,
    recorder: &Arc<Recorder>,
) -> std::pin::Pin<Box<dyn Future<Output = RunEnd> + Send>> {
    linger::allowed(|| session.kernel.run(session.request(code), recorder.clone()))
}

/// Runs quick cells until one has ended before `run` returned: the machine may be busy.
fn until_one_is_waited_for(session: &Session) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    (0..2000).any(|_| {
        let mut run = started(session, "1", &Arc::default());
        let ended_at_once = run.as_mut().poll(&mut context).is_ready();
        if !ended_at_once {
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(run));
        }
        ended_at_once
    })
}

#[test]
fn a_quick_run_has_ended_when_it_has_been_started() {
    block_on(async {
        let session = Session::new().await;
        session.text("x = 1").await;
        assert!(until_one_is_waited_for(&session));
        let recorder = Arc::new(Recorder::default());
        let end = started(&session, "print('a')\nx + 1", &recorder).await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        assert_eq!(recorder.text(), "a\n2\n");
    });
}

#[test]
fn after_a_quick_run_the_kernel_is_still_heard() {
    block_on(async {
        let session = Session::new().await;
        session.text("import os, subprocess, sys, time").await;
        assert!(until_one_is_waited_for(&session));
        let names = session.kernel.variables().await.expect("an answer").into_iter().map(|variable| variable.name);
        assert!(names.collect::<Vec<_>>().contains(&"subprocess".to_owned()));

        assert!(until_one_is_waited_for(&session));
        let recorder = Arc::new(Recorder::default());
        let end = started(&session, "time.sleep(0.05)\nsys.version_info[0]", &recorder).await;
        assert!(matches!(end.outcome, Outcome::Complete), "{end:?}");
        assert_eq!(recorder.text(), "3\n");

        assert!(until_one_is_waited_for(&session));
        let recorder = Arc::new(Recorder::default());
        let end = started(&session, "os._exit(7)", &recorder).await;
        assert!(matches!(end.outcome, Outcome::KernelExit { code: Some(7), .. }), "{end:?}");
        assert!(session.kernel.ended().await.contains('7'));
    });
}

#[test]
fn a_run_that_was_wrongly_taken_for_a_quick_one_can_be_stopped() {
    block_on(async {
        let session = Session::new().await;
        session.text("x = 1").await;
        for code in [
            "while True: pass",
            "import time; time.sleep(60)",
            "import asyncio; await asyncio.sleep(60)",
            "tool.never()",
        ] {
            assert!(until_one_is_waited_for(&session));
            let recorder = Arc::new(Recorder::answering(|_, _| None));
            let request = session.request(&format!("print('in')\n{code}"));
            let run = request.run;
            let end = linger::allowed(|| session.kernel.run(request, recorder.clone()));
            recorder.saw("in").await;
            session.kernel.interrupt(run);
            let end = end.await;
            assert!(matches!(end.outcome, Outcome::Stopped), "{code}: {end:?}");
            assert_eq!(session.text("x").await, "1\n", "{code}");
        }
    });
}
