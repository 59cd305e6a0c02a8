//! A session's alarm clock, for deadlines that nearly always pass unused.
//!
//! Each timer of the runtime that is set for earlier than the ones before it wakes a sleeping thread, only to have it
//! sleep for less long: more than a warm cell costs otherwise. So the timer that one cell sets stays set when the cell has
//! ended, and the cells after it, whose deadlines are later, need none: when it goes off it is set for whoever waits then.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::time::{Instant, sleep_until};

#[derive(Debug, Default)]
pub struct Alarm {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the timer goes off that is set; never later than what is waited for.
    set: Option<Instant>,
    waiting: Option<(u64, Instant, Waker)>,
    last: u64,
}

impl Alarm {
    /// Resolves at `due`. One waits at a time: whoever has the session's turn.
    pub fn at(self: &Arc<Self>, due: Instant) -> impl Future<Output = ()> + Send + use<> {
        let id = {
            let mut state = self.lock();
            state.last += 1;
            state.last
        };
        At { alarm: Arc::clone(self), id, due }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every critical section is a few assignments: a poisoned state is still a whole one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ring(self: Arc<Self>, mut due: Instant) {
        loop {
            sleep_until(due).await;
            let mut state = self.lock();
            if state.set != Some(due) {
                // Another was set, for earlier, and has taken over.
                return;
            }
            state.set = None;
            match &state.waiting {
                Some((_, next, _)) if *next > Instant::now() => {
                    due = *next;
                    state.set = Some(due);
                }
                Some((_, _, waker)) => {
                    let waker = waker.clone();
                    drop(state);
                    waker.wake();
                    return;
                }
                None => return,
            }
        }
    }
}

struct At {
    alarm: Arc<Alarm>,
    id: u64,
    due: Instant,
}

impl Future for At {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.due {
            return Poll::Ready(());
        }
        let mut state = self.alarm.lock();
        state.waiting = Some((self.id, self.due, context.waker().clone()));
        if state.set.is_none_or(|set| set > self.due) {
            state.set = Some(self.due);
            tokio::spawn(Arc::clone(&self.alarm).ring(self.due));
        }
        Poll::Pending
    }
}

impl Drop for At {
    fn drop(&mut self) {
        self.alarm.lock().waiting.take_if(|(id, _, _)| *id == self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn it_resolves_at_its_time_whatever_was_waited_for_before() {
        let alarm = Arc::new(Alarm::default());
        for (length, given_up_after) in [(30, 1), (30, 2), (5, 1), (40, 3), (1, 0)] {
            let due = Instant::now() + SECOND * length;
            assert!(timeout(SECOND * given_up_after, alarm.at(due)).await.is_err());
        }
        for length in [3, 1, 100, 0, 2] {
            let due = Instant::now() + SECOND * length;
            alarm.at(due).await;
            assert_eq!(Instant::now(), due);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn later_deadlines_set_no_timer_of_their_own() {
        let alarm = Arc::new(Alarm::default());
        let first = Instant::now() + SECOND * 30;
        for _ in 0..10 {
            let due = Instant::now() + SECOND * 30;
            assert!(timeout(SECOND, alarm.at(due)).await.is_err());
            assert_eq!(alarm.lock().set, Some(first));
        }
        tokio::time::sleep(SECOND * 60).await;
        let state = alarm.lock();
        assert!(state.set.is_none() && state.waiting.is_none(), "{state:?}");
    }
}
