//! Getting a thread out of a blocking system call, so that the interrupt waiting for it can be served.

use std::sync::atomic::{AtomicBool, Ordering};

/// What is known about where one worker's thread may block.
#[derive(Default)]
pub struct Unblock {
    synchronous_child: AtomicBool,
}

impl Unblock {
    /// On the worker's thread: it is about to wait for a child process (`spawnSync` and its kin), or has come back.
    pub fn set_synchronous_child(&self, waiting: bool) {
        self.synchronous_child.store(waiting, Ordering::SeqCst);
    }

    pub fn in_synchronous_child(&self) -> bool {
        self.synchronous_child.load(Ordering::SeqCst)
    }

    /// Ends the whole tree of the child that `thread` waits for. Killing only the child would leave a grandchild that
    /// holds the pipe, and the thread with it.
    pub fn kill_synchronous_child(&self, thread: Option<u32>) {
        if let Some(thread) = thread
            && self.in_synchronous_child()
        {
            kill_tree_of(thread);
        }
    }

    /// Makes an interruptible system call of `thread` (a read of a FIFO, for example) return.
    pub fn wake(&self, thread: Option<u32>) {
        let Some(thread) = thread else { return };
        if self.in_synchronous_child() {
            kill_tree_of(thread);
        } else {
            signal(thread);
        }
    }
}

fn kill_tree_of(thread: u32) {
    crate::process::kill_children_of_thread(thread);
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::OnceLock;

    use nix::libc;

    /// The operating system's number of the calling thread.
    pub fn current_thread() -> u32 {
        nix::unistd::gettid().as_raw().cast_unsigned()
    }

    /// A real-time signal that nobody else is likely to use; its default would end the process, so it is only sent once
    /// a handler stands.
    fn wake_signal() -> i32 {
        libc::SIGRTMAX() - 5
    }

    extern "C" fn nothing(_signal: i32) {}

    /// Installs an empty handler *without* `SA_RESTART`, once: the system call it lands in returns `EINTR`.
    fn has_handler() -> bool {
        static INSTALLED: OnceLock<bool> = OnceLock::new();
        *INSTALLED.get_or_init(|| {
            // SAFETY: plain structs on our own stack; the handler does nothing, so it is async-signal-safe. A handler
            // that somebody else has installed for this signal is left alone.
            unsafe {
                let mut old: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(wake_signal(), std::ptr::null(), &raw mut old) != 0
                    || old.sa_sigaction != libc::SIG_DFL
                {
                    return false;
                }
                let mut new: libc::sigaction = std::mem::zeroed();
                new.sa_sigaction = nothing as extern "C" fn(i32) as usize;
                libc::sigemptyset(&raw mut new.sa_mask);
                libc::sigaction(wake_signal(), &raw const new, std::ptr::null_mut()) == 0
            }
        })
    }

    pub fn signal(thread: u32) {
        if has_handler() {
            // SAFETY: numbers only; a thread that has ended gives ESRCH.
            unsafe {
                libc::syscall(libc::SYS_tgkill, libc::getpid(), thread.cast_signed(), wake_signal());
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::current_thread;
#[cfg(target_os = "linux")]
use linux::signal;

/// Threads have no number to signal them by here.
#[cfg(not(target_os = "linux"))]
pub fn current_thread() -> u32 {
    0
}

#[cfg(not(target_os = "linux"))]
fn signal(_thread: u32) {}
