use std::future::pending;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::fakes::{Fake, prints, script, text_of};
use crate::kernel::{Display, Outcome, RunEnd, State, ToolCall};
use crate::limits::{ALLOCATE_TIMEOUT, INTERRUPT_GRACE, KILL_GRACE, MAX_IMAGE_BYTES};
use crate::options::Options;
use crate::output::{CellStatus, FailureKind};

#[tokio::test(start_paused = true)]
async fn a_run_that_ignores_its_interrupt_is_killed_and_the_next_cell_gets_a_fresh_kernel() {
    let stubborn = script(|_, mut told| async move {
        told.killed.wait_for(|killed| *killed).await.unwrap();
        RunEnd::lost(Outcome::KernelExit { signal: Some(9), code: None, reason: None, output_may_be_incomplete: false })
    });
    let fake = Fake::new(vec![stubborn, prints("fresh")]);
    let begun = Instant::now();
    let result = fake.run(1).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(1) + INTERRUPT_GRACE);
    let cell = &result.details.cells[0];
    assert_eq!(cell.failure.as_ref().map(|failure| failure.kind), Some(FailureKind::Timeout));
    assert_eq!(cell.state, State::Lost);
    let next = text_of(&fake.run(1).await);
    assert!(next.contains("fresh") && next.contains("variables of earlier cells are gone"), "{next}");
    assert_eq!(fake.starter.kernels.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_kernel_that_is_gone_before_the_call_hears_of_its_dispose_did_not_die_by_itself() {
    let (begin, begun) = oneshot::channel();
    let waits = script(|_, mut told| async move {
        begin.send(()).unwrap();
        told.killed.wait_for(|killed| *killed).await.unwrap();
        RunEnd::lost(Outcome::KernelExit { signal: Some(9), code: None, reason: None, output_may_be_incomplete: false })
    });
    let fake = Fake::new(vec![waits]);
    let (_, running) = fake.call(1);
    begun.await.unwrap();
    // On this one thread the kernel is stopped and gone before the call is polled again.
    fake.tool.dispose().await;
    let cell = &running.await.unwrap().details.cells[0];
    assert_eq!(cell.failure.as_ref().map(|failure| failure.kind), Some(FailureKind::Abort));
    assert_eq!(cell.state, State::Lost);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_obeys_its_interrupt_keeps_its_kernel() {
    let obedient = script(|_, mut told| async move {
        told.interrupted.wait_for(|interrupted| *interrupted).await.unwrap();
        RunEnd::kept(Outcome::Stopped)
    });
    let fake = Fake::new(vec![obedient, prints("same")]);
    let begun = Instant::now();
    let result = fake.run(1).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    assert_eq!(result.details.cells[0].state, State::Kept);
    assert_eq!(text_of(&fake.run(1).await), "same");
    assert_eq!(fake.starter.kernels.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_never_ends_at_all_does_not_hold_the_session() {
    let fake = Fake::new(vec![script(|_, _| pending()), prints("after")]);
    let begun = Instant::now();
    let result = fake.run(1).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(1) + INTERRUPT_GRACE + KILL_GRACE);
    assert_eq!(result.details.cells[0].failure.as_ref().unwrap().kind, FailureKind::Timeout);
    assert_eq!(result.details.cells[0].state, State::Lost);
    assert!(text_of(&fake.run(1).await).contains("after"));
}

#[tokio::test]
async fn what_a_run_reports_after_its_end_reaches_nobody() {
    let (keep, kept) = oneshot::channel();
    let first = script(move |observer, _| async move {
        observer.text(b"first");
        assert!(keep.send(observer).is_ok());
        RunEnd::kept(Outcome::Complete)
    });
    let late = script(move |observer, _| async move {
        let earlier = kept.await.unwrap();
        earlier.text(b"late");
        earlier.status(serde_json::value::to_raw_value(&serde_json::json!({ "op": "late" })).unwrap());
        let (answered, answer) = oneshot::channel();
        let reply = Box::new(move |answer| answered.send(answer).unwrap());
        earlier.tool_call(ToolCall { id: 1, name: "read".into(), args: "{}".into(), reply });
        assert!(answer.await.unwrap().is_err(), "a late tool call is refused");
        observer.text(b"second");
        RunEnd::kept(Outcome::Complete)
    });
    let fake = Fake::new(vec![first, late]);
    let result = fake.run(2).await;
    assert_eq!(text_of(&result), "[1/2]\nfirst\n\n[2/2]\nsecond");
    assert!(result.details.status_events.is_empty());
    assert!(fake.host.calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_panic_of_a_run_ends_its_kernel_and_its_updates_and_nothing_else() {
    let fake = Fake::new(vec![script(|_, _| async { panic!("injected") }), prints("alive")]);
    assert!(fake.call(1).1.await.unwrap_err().is_panic());
    assert!(*fake.starter.kernels.lock().unwrap()[0].killed.borrow());
    assert!(fake.tool.kernels().is_empty());
    let next = text_of(&fake.run(1).await);
    assert!(next.contains("alive") && next.contains("the call before failed inside"), "{next}");
    // Nothing of the failed call is left that holds the tool: the pump of its updates has ended too.
    let Fake { tool, host, .. } = fake;
    tool.dispose().await;
    drop(tool);
    while std::sync::Arc::strong_count(&host) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_run_that_loses_its_state_says_so_and_later_cells_do_not_run() {
    let dies = script(|observer, _| async move {
        observer.text(b"so far");
        RunEnd::lost(Outcome::KernelExit {
            signal: Some(11),
            code: None,
            reason: None,
            output_may_be_incomplete: false,
        })
    });
    let fake = Fake::new(vec![prints("one"), dies, prints("again")]);
    let result = fake.run(3).await;
    let states: Vec<_> = result.details.cells.iter().map(|cell| (cell.status, cell.state)).collect();
    let expected =
        [(CellStatus::Complete, State::Kept), (CellStatus::Error, State::Lost), (CellStatus::Pending, State::Kept)];
    assert_eq!(states, expected);
    assert!(text_of(&result).contains("so far"));
    assert!(text_of(&fake.run(1).await).contains("the kernel was ended by signal 11"));
}

#[tokio::test]
async fn a_call_that_is_aborted_while_it_is_queued_never_starts() {
    let (go, gone) = oneshot::channel::<()>();
    let waits = script(move |_, _| async move {
        gone.await.unwrap();
        RunEnd::kept(Outcome::Complete)
    });
    let fake = Fake::new(vec![waits]);
    let (_, first) = fake.call(1);
    while fake.starter.kernels.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let (queued, second) = fake.call(2);
    fake.tool.abort(queued);
    let second = second.await.unwrap();
    assert!(second.details.is_error);
    assert!(second.details.cells.iter().all(|cell| cell.status == CellStatus::Pending));
    go.send(()).unwrap();
    assert_eq!(first.await.unwrap().details.cells[0].status, CellStatus::Complete);
}

#[tokio::test(start_paused = true)]
async fn the_start_of_a_kernel_does_not_count_and_can_be_aborted() {
    let fake = Fake::new(vec![prints("slow start")]);
    let permits = fake.starter.starts.forget_permits(tokio::sync::Semaphore::MAX_PERMITS);
    assert!(permits > 0);
    let (call, aborted) = fake.call(1);
    tokio::time::sleep(Duration::from_secs(5)).await;
    fake.tool.abort(call);
    let aborted = aborted.await.unwrap();
    assert_eq!(aborted.details.cells[0].failure.as_ref().unwrap().kind, FailureKind::Abort);
    let (_, slow) = fake.call(1);
    // Longer than the cell's own deadline of a second.
    tokio::time::sleep(Duration::from_secs(20)).await;
    fake.starter.starts.add_permits(1);
    assert_eq!(text_of(&slow.await.unwrap()), "slow start");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_says_where_files_go_costs_the_result_a_while_and_no_file() {
    let mut options = Options::new("/".into());
    options.host_artifacts = true;
    options.output.max_lines = 1;
    let image = || Display::Image { mime_type: "image/png".into(), data: "A".repeat(2 * MAX_IMAGE_BYTES) };
    let run = script(move |observer, _| async move {
        observer.text(b"one\ntwo\n");
        (0..3).for_each(|_| observer.display(image()));
        RunEnd::kept(Outcome::Complete)
    });
    let fake = Fake::with(options, vec![run]);
    let begun = Instant::now();
    let result = fake.run(1).await;
    assert_eq!(begun.elapsed(), ALLOCATE_TIMEOUT);
    let truncation = result.details.meta.unwrap().truncation.unwrap();
    assert_eq!(std::fs::read(&truncation.artifact_path).unwrap(), b"one\ntwo\n");
    let notice = result.details.notice.unwrap();
    assert_eq!(notice.matches("allocateArtifact did not answer in time").count(), 4);
    std::fs::remove_file(truncation.artifact_path).unwrap();
    for line in notice.lines().filter_map(|line| line.split("it is saved as ").nth(1)) {
        std::fs::remove_file(line).unwrap();
    }
}
