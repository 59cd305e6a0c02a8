//! Processes and process groups: everything a kernel starts is started, signalled and ended through here.
//!
//! What is hard, and how it is met:
//!
//! - **A host that dies by any means takes its kernels along.** Node runs no hook at `process.exit()` in a worker's
//!   absence, at a signal or at `kill -9`. So every group hangs on a [`LifePipe`]: the operating system ends it.
//! - **A process id can be reused.** A leader is reaped only after its group is marked dead ([`Group`]), under the lock
//!   that every signal takes; so a signal never hits a stranger.
//! - **Processes detach.** What left its group is found by the tag `EVALCELL_KERNEL=<id>` in its environment
//!   ([`kill_tagged`]). Only a process that has its own session *and* cleared its environment escapes.
//!
//! On Windows one mechanism does the work of all three: a job object (`jobs.rs`). Elsewhere the same functions exist
//! and find nothing to do, and nothing is started.

mod child;
#[cfg(any(windows, test))]
mod command_line;
#[cfg(unix)]
mod group;
#[cfg(windows)]
mod jobs;
#[cfg(unix)]
mod life;
#[cfg(unix)]
mod spawn;
#[cfg(target_os = "linux")]
mod tree;
pub mod watchdog;
#[cfg(windows)]
mod windows;

pub use child::{Child, Spawn};

#[cfg(unix)]
pub use group::{Group, kill_everything_now, kill_group};
#[cfg(unix)]
pub use life::{LIFE_DESCRIPTORS, LifeLine, LifePipe};
#[cfg(target_os = "linux")]
pub use tree::{kill_all_tagged, kill_children_of_thread, kill_other_members, kill_tagged};

#[cfg(windows)]
pub use jobs::{Group, kill_everything_now, kill_group};
#[cfg(windows)]
pub use windows::{LIFE_DESCRIPTORS, LifeLine};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;

/// Name of the variable that every process of a kernel carries; its value is the kernel's id.
pub const TAG: &str = "EVALCELL_KERNEL";

/// Why Python cells do not run here, where that is so: the end of a sentence.
pub const UNSUPPORTED: Option<&str> = if cfg!(any(unix, windows)) {
    None
} else {
    Some("Python cells run on Linux, macOS and Windows alone; here their processes could outlive this one")
};

/// How a process ended: exactly one of the two is set, or none when nobody can know.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Exit {
    pub signal: Option<i32>,
    pub code: Option<i32>,
}

impl Exit {
    /// How the kernel ended, as the next result tells it.
    pub fn sentence(self) -> String {
        match (self.signal, self.code) {
            (Some(signal), _) => format!("the kernel was ended by signal {signal}"),
            (None, Some(code)) => format!("the kernel exited with code {code}"),
            (None, None) => "the kernel ended".to_owned(),
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.signal, self.code) {
            (Some(signal), _) => write!(formatter, "signal {signal}"),
            (None, Some(code)) => write!(formatter, "exit code {code}"),
            (None, None) => formatter.write_str("unknown cause"),
        }
    }
}
