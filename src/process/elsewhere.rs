//! Where there is no `/proc`: groups alone bound what a kernel started.

#[cfg(not(any(unix, windows)))]
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

#[cfg(not(any(unix, windows)))]
mod not_unix {
    use std::io::{self, PipeWriter};

    use super::super::{Child, Spawn, UNSUPPORTED};

    pub const LIFE_DESCRIPTORS: &[i32] = &[];

    impl Spawn {
        /// # Errors
        /// Always: what this could start, nothing here could end for certain.
        pub fn start_tied(self, _output: &PipeWriter) -> io::Result<(Child, LifeLine)> {
            Err(io::Error::new(io::ErrorKind::Unsupported, UNSUPPORTED.unwrap_or_default()))
        }
    }

    /// Never made, as [`Child`].
    #[derive(Debug)]
    pub struct LifeLine;

    /// Never made, as [`Child`].
    #[derive(Clone, Debug)]
    pub struct Group;

    impl Group {
        pub fn kill(&self) {}

        pub fn interrupt_leader(&self) -> bool {
            false
        }

        pub fn end_others(&self) -> usize {
            0
        }
    }

    /// There are no process groups here.
    pub fn kill_group(_pgid: i32) -> bool {
        false
    }

    /// There are no process groups here.
    pub fn kill_everything_now() -> usize {
        0
    }
}
