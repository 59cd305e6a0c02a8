//! A moment's wait for a run's end where the call was made.
//!
//! Each hand-over between sleeping threads costs tens of microseconds, and most warm cells run for less. So when a
//! kernel's last run was that quick, the thread that starts the next one stays for a moment instead of going back to its
//! event loop, and takes the end as it comes. It is a guess, bounded by [`QUICK_RUN`] and made once in a call: where it
//! was wrong, what came late goes the usual way.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use crate::limits::QUICK_RUN;

thread_local! {
    static ALLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Inside `action` this thread may wait, once.
pub fn allowed<T>(action: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ALLOWED.set(self.0);
        }
    }
    let _restore = Restore(ALLOWED.replace(true));
    action()
}

/// Whether a kernel's runs are quick enough to wait for: what the last one was.
#[derive(Debug, Default)]
pub struct Quick(AtomicBool);

impl Quick {
    /// Until when to wait for a run that starts now; `None`: not at all.
    pub fn wait_until(&self) -> Option<Instant> {
        // Asked in this order, so that a slow run leaves the wait to another kernel's in the same call.
        (self.0.load(Ordering::Relaxed) && ALLOWED.replace(false)).then(|| Instant::now() + QUICK_RUN)
    }

    /// A run that was started then has ended now.
    pub fn ended(&self, started: Instant) {
        self.0.store(started.elapsed() < QUICK_RUN, Ordering::Relaxed);
    }
}

/// Waits until the future is ready or the time has come. The future is polled on this thread alone.
pub fn wait<T>(future: &mut (impl Future<Output = T> + Unpin), until: Instant) -> Option<T> {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = Pin::new(&mut *future).poll(&mut context) {
            return Some(value);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    fn quick() -> Quick {
        let quick = Quick::default();
        quick.ended(Instant::now());
        quick
    }

    #[test]
    fn one_wait_is_allowed_and_only_after_a_quick_run() {
        let kernel = quick();
        assert_eq!(kernel.wait_until(), None, "nobody allowed it");
        allowed(|| {
            assert_eq!(Quick::default().wait_until(), None, "it has run nothing yet");
            assert!(kernel.wait_until().is_some());
            assert_eq!(kernel.wait_until(), None, "the second in a call");
        });
        assert_eq!(kernel.wait_until(), None);
        kernel.ended(Instant::now() - 2 * QUICK_RUN);
        allowed(|| assert_eq!(kernel.wait_until(), None, "the last run was slow"));
    }

    #[test]
    fn what_comes_in_time_is_returned_and_what_does_not_is_waited_for_no_longer() {
        let far = Instant::now() + std::time::Duration::from_secs(60);
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(7));
        assert_eq!(wait(&mut receiver, far), Some(Ok(7)));
        sending.join().expect("no panic").expect("received");

        let (sender, mut receiver) = oneshot::channel::<u8>();
        assert_eq!(wait(&mut receiver, Instant::now()), None);
        drop(sender);
        assert!(wait(&mut receiver, far).is_some_and(|received| received.is_err()));
    }
}
