use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use super::fakes::{Fake, prints, script};
use crate::kernel::{Outcome, RunEnd};

/// The changes of status in a message, as `cell:status`.
fn changes(message: &Value) -> Vec<String> {
    let rows = message["changes"].as_array().unwrap();
    rows.iter().map(|row| format!("{}:{}", row["index"], row["status"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn a_host_that_is_busy_gets_every_change_of_status_later_and_in_order() {
    let fake = Fake::new(vec![prints("a"), prints("b"), prints("c")]);
    fake.host.takes.forget_permits(Semaphore::MAX_PERMITS);
    let (_, running) = fake.call(3);
    while fake.host.updates.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(!running.is_finished(), "the last changes have not been told yet");
    fake.host.takes.add_permits(10);
    running.await.unwrap();
    let told: Vec<String> = fake.host.updates.lock().unwrap().iter().flat_map(changes).collect();
    assert_eq!(told, ["0:running", "0:complete", "1:running", "1:complete", "2:running", "2:complete"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_after_the_call_has_settled() {
    let (keep, kept) = oneshot::channel();
    let run = script(move |observer, _| async move {
        observer.text(b"text");
        assert!(keep.send(observer).is_ok());
        RunEnd::kept(Outcome::Complete)
    });
    let fake = Fake::new(vec![run]);
    fake.run(1).await;
    let told = fake.host.updates.lock().unwrap().len();
    kept.await.unwrap().text(b"late");
    // The clock stands until nothing else is left to do.
    tokio::time::sleep(2 * crate::limits::UPDATE_INTERVAL).await;
    assert_eq!(fake.host.updates.lock().unwrap().len(), told);
}

#[tokio::test]
async fn the_call_as_it_was_before_comes_once_and_what_was_displayed_comes_once() {
    let shows = |number: u32| {
        script(move |observer, _| async move {
            observer.display(crate::kernel::Display::Json(serde_json::value::to_raw_value(&number).unwrap()));
            RunEnd::kept(Outcome::Complete)
        })
    };
    let fake = Fake::new(vec![shows(1), shows(2)]);
    fake.run(2).await;
    let updates = fake.host.updates.lock().unwrap();
    let with_details: Vec<usize> = (0..updates.len()).filter(|at| updates[*at].get("details").is_some()).collect();
    assert_eq!(with_details, [0]);
    assert_eq!(updates[0]["details"]["cells"][1]["status"], "pending");
    let told = updates.iter().filter_map(|message| message["jsonOutputs"].as_array()).flatten();
    assert_eq!(told.cloned().collect::<Vec<_>>(), [1, 2]);
}
