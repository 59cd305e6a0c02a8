//! A cell's deadline: a clock that can stand still while the cell waits for host tools.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::kernel::alarm::Alarm;

/// Starts when it is made. With `pauses`, time between [`Deadline::pause`] and [`Deadline::resume`] does not count,
/// up to `longest` after the start.
#[derive(Clone)]
pub struct Deadline {
    shared: Arc<Shared>,
}

struct Shared {
    alarm: Arc<Alarm>,
    pauses: bool,
    latest: Instant,
    clock: Mutex<Clock>,
    changed: Notify,
}

struct Clock {
    due: Instant,
    /// How many tool calls are pending, and since when at least one is.
    waiting: usize,
    since: Instant,
}

impl Deadline {
    pub fn start(alarm: &Arc<Alarm>, after: Duration, longest: Duration, pauses: bool) -> Self {
        let now = Instant::now();
        let clock = Clock { due: now + after, waiting: 0, since: now };
        let latest = now + longest.max(after);
        let alarm = Arc::clone(alarm);
        Self { shared: Arc::new(Shared { alarm, pauses, latest, clock: Mutex::new(clock), changed: Notify::new() }) }
    }

    fn change(&self, change: impl FnOnce(&mut Clock)) {
        if self.shared.pauses {
            change(&mut self.shared.clock.lock().unwrap_or_else(PoisonError::into_inner));
            self.shared.changed.notify_one();
        }
    }

    /// A tool call began.
    pub fn pause(&self) {
        self.change(|clock| {
            if clock.waiting == 0 {
                clock.since = Instant::now();
            }
            clock.waiting += 1;
        });
    }

    /// A tool call was answered.
    pub fn resume(&self) {
        self.change(|clock| {
            clock.waiting = clock.waiting.saturating_sub(1);
            if clock.waiting == 0 {
                clock.due += clock.since.elapsed();
            }
        });
    }

    fn due(&self) -> Instant {
        let clock = self.shared.clock.lock().unwrap_or_else(PoisonError::into_inner);
        if clock.waiting > 0 { self.shared.latest } else { clock.due.min(self.shared.latest) }
    }

    /// Resolves when the time is up.
    pub async fn passed(&self) {
        loop {
            let due = self.due();
            tokio::select! {
                () = self.shared.alarm.at(due) => return,
                () = self.shared.changed.notified() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_spent_waiting_for_host_tools_does_not_count_when_asked() {
        let start = Instant::now();
        let deadline = Deadline::start(&Arc::default(), Duration::from_secs(2), Duration::from_secs(60), true);
        deadline.pause();
        tokio::time::sleep(Duration::from_secs(10)).await;
        deadline.resume();
        deadline.passed().await;
        assert_eq!(start.elapsed(), Duration::from_secs(12));
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_that_never_answers_is_waited_for_up_to_the_maximum() {
        let start = Instant::now();
        let deadline = Deadline::start(&Arc::default(), Duration::from_secs(2), Duration::from_secs(60), true);
        deadline.pause();
        deadline.passed().await;
        assert_eq!(start.elapsed(), Duration::from_secs(60));
    }

    #[tokio::test(start_paused = true)]
    async fn by_default_waiting_counts() {
        let start = Instant::now();
        let deadline = Deadline::start(&Arc::default(), Duration::from_secs(2), Duration::from_secs(60), false);
        deadline.pause();
        deadline.passed().await;
        assert_eq!(start.elapsed(), Duration::from_secs(2));
    }
}
