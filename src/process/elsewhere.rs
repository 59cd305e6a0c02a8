//! Where there is no `/proc`: groups alone bound what a kernel started.

#[cfg(not(unix))]
pub use not_unix::*;

/// Finds nothing here: processes of other sessions can only be found through `/proc`.
pub fn kill_tagged(_kernel_id: &str) -> usize {
    0
}

/// Finds nothing here, like [`kill_tagged`].
pub fn kill_all_tagged(_kernel_ids: &[&str]) -> usize {
    0
}

/// Finds nothing here: children of a thread can only be found through `/proc`.
pub fn kill_children_of_thread(_thread_id: u32) -> usize {
    0
}

/// Finds nothing here.
pub fn kill_other_members(_group_id: i32) -> usize {
    0
}

#[cfg(not(unix))]
mod not_unix {
    /// There are no process groups here.
    pub fn kill_group(_pgid: i32) -> bool {
        false
    }

    /// There are no process groups here.
    pub fn kill_everything_now() -> usize {
        0
    }
}
