//! Runs a call's future where its news arrives, instead of handing it from thread to thread.
//!
//! Each hand-over between sleeping threads costs tens of microseconds, and a warm cell has little else to pay for. So a
//! future is first polled by the thread that makes the call, and then by the thread that completes its run, where that
//! thread says so with [`here`]. Every other wake-up goes to the runtime, as for any task: only code that expects it is
//! ever polled under.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;

thread_local! {
    static HERE: Cell<bool> = const { Cell::new(false) };
}

/// Wake-ups inside `action` poll at once, on this thread. For the last thing a thread does about a run, with no lock held.
pub fn here<T>(action: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _restore = Restore(HERE.replace(true));
    action()
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

const IDLE: u8 = 0;
const POLLING: u8 = 1;
/// Woken while it is being polled: the thread that polls does so again.
const AGAIN: u8 = 2;
const DONE: u8 = 3;

struct Task {
    runtime: Handle,
    state: AtomicU8,
    work: Mutex<Option<Work>>,
}

/// Work that was started.
pub struct Started(Arc<Task>);

impl Started {
    /// Polls it now, on this thread. False when another thread is at it, and will poll once more.
    pub fn poll(&self) -> bool {
        let is_mine = self.0.woken();
        if is_mine {
            Arc::clone(&self.0).poll();
        }
        is_mine
    }
}

/// Starts `work`: polled once now, on this thread, then wherever it is woken.
pub fn spawn(runtime: &Handle, work: impl Future<Output = ()> + Send + 'static) -> Started {
    let task = Arc::new(Task {
        runtime: runtime.clone(),
        state: AtomicU8::new(POLLING),
        work: Mutex::new(Some(Box::pin(work))),
    });
    Arc::clone(&task).poll();
    Started(task)
}

impl Task {
    /// Polls until there is nothing to do. The caller has set the state to [`POLLING`].
    fn poll(self: Arc<Self>) {
        let _runtime = self.runtime.enter();
        let waker = Waker::from(Arc::clone(&self));
        let mut context = Context::from_waker(&waker);
        // What is polled from here on belongs to this task: its own wake-ups are not for this thread.
        let outer = HERE.replace(false);
        let mut again = false;
        loop {
            // One thread polls at a time, so the lock is always free; a panic of the work ends it, and only it.
            let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(future) = work.as_mut() else { break };
            let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
            if !matches!(polled, Ok(Poll::Pending)) {
                let finished = work.take();
                self.state.store(DONE, Ordering::Release);
                drop(work);
                drop(finished);
                break;
            }
            drop(work);
            match self.state.compare_exchange(POLLING, IDLE, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                // Woken meanwhile: once more, then it is the turn of others. Work that has used up its share of this one
                // wakes itself each time it is polled.
                Err(_) if again => {
                    self.state.store(POLLING, Ordering::Release);
                    self.later();
                    break;
                }
                Err(_) => {
                    self.state.store(POLLING, Ordering::Release);
                    again = true;
                }
            }
        }
        HERE.set(outer);
    }

    /// Whether the caller has to poll it. If not, whoever is polling it does so once more, or it is done.
    fn woken(&self) -> bool {
        let mut state = self.state.load(Ordering::Acquire);
        loop {
            let next = match state {
                IDLE => POLLING,
                POLLING => AGAIN,
                _ => return false,
            };
            match self.state.compare_exchange_weak(state, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(before) => return before == IDLE,
                Err(changed) => state = changed,
            }
        }
    }

    /// Has the runtime poll it. The caller has set the state to [`POLLING`].
    fn later(self: &Arc<Self>) {
        let task = Arc::clone(self);
        self.runtime.spawn(async move { task.poll() });
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.woken() {
            return;
        }
        if HERE.get() {
            self.poll();
        } else {
            self.later();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tokio::sync::oneshot;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    #[test]
    fn work_begins_on_the_thread_that_starts_it_and_goes_on_where_its_news_arrives() {
        let runtime = runtime();
        let (news, waiting) = oneshot::channel::<()>();
        let (report, reported) = std::sync::mpsc::channel();
        spawn(runtime.handle(), async move {
            report.send(thread::current().id()).unwrap();
            waiting.await.unwrap();
            report.send(thread::current().id()).unwrap();
        });
        assert_eq!(reported.recv().unwrap(), thread::current().id());
        let other = thread::spawn(move || here(|| news.send(()).unwrap()));
        let other_id = other.thread().id();
        assert_eq!(reported.recv().unwrap(), other_id);
        other.join().unwrap();
    }

    #[test]
    fn a_wake_up_from_anywhere_else_goes_to_the_runtime() {
        let runtime = runtime();
        let (news, waiting) = oneshot::channel::<()>();
        let (report, reported) = std::sync::mpsc::channel();
        spawn(runtime.handle(), async move {
            waiting.await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            tokio::task::yield_now().await;
            report.send(thread::current().id()).unwrap();
        });
        news.send(()).unwrap();
        assert_ne!(reported.recv().unwrap(), thread::current().id());
    }

    #[test]
    fn a_panic_ends_the_work_and_drops_what_it_held() {
        let runtime = runtime();
        let (held, dropped) = oneshot::channel::<()>();
        spawn(runtime.handle(), async move {
            let _held = held;
            panic!("the work failed");
        });
        assert!(dropped.blocking_recv().is_err());
    }
}
