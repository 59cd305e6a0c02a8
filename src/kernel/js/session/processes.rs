//! Processes that the session's cells started.

use std::sync::atomic::Ordering;

use super::Session;

impl Session {
    pub fn child_started(&self, pid: i32) {
        self.has_children.store(true, Ordering::Relaxed);
        self.children.started(pid);
    }

    /// True when others of the child's group live on.
    pub fn child_ended(&self, pid: i32) -> bool {
        self.children.ended(pid)
    }

    pub fn kill_child(&self, pid: i32) {
        self.children.kill(&self.kernel_id, pid);
    }

    /// The thread is about to wait for a child process, or has come back from it.
    pub fn synchronous_child(&self, waiting: bool) {
        if waiting {
            self.has_children.store(true, Ordering::Relaxed);
        }
        self.unblock.set_synchronous_child(waiting);
    }

    /// Ends everything that this kernel ever started. Blocks for the look through `/proc`.
    pub(in crate::kernel::js) fn end_processes(&self) {
        if self.has_children.load(Ordering::Relaxed) {
            self.children.kill_all();
            if *self.exited.borrow() {
                self.children.reap();
            }
            crate::process::kill_tagged(&self.kernel_id);
        }
    }
}
