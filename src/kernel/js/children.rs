//! Processes that cells start. Each leads a group of its own; all of them die with the kernel, and with the host.
//!
//! The kernel's own end is ours to see; for the host's, `kill -9` included, the watchdog hears which groups live.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::process::watchdog;

/// The children of one kernel.
#[derive(Default)]
pub struct Children(Mutex<Groups>);

#[derive(Default)]
struct Groups {
    /// Groups whose leader has not been reaped: nobody else can have these ids.
    led: BTreeSet<i32>,
    /// Groups that outlived their leader. Such an id is only free again when the group is empty, so members are asked for
    /// the kernel's tag before they are killed.
    leaderless: BTreeSet<i32>,
    /// Leaders that were killed when their worker was gone, so that Node will not reap them.
    orphans: Vec<i32>,
}

impl Children {
    fn with<Answer>(&self, use_groups: impl FnOnce(&mut Groups) -> Answer) -> Answer {
        use_groups(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A child has been started as the leader of its own group.
    pub fn started(&self, pid: i32) {
        if pid > 1 {
            self.with(|groups| {
                groups.leaderless.remove(&pid);
                groups.led.insert(pid)
            });
            watchdog::group_began(pid);
        }
    }

    /// A child has ended and was reaped. True when others of its group live on.
    pub fn ended(&self, pid: i32) -> bool {
        let live_on = has_members(pid);
        let known = self.with(|groups| {
            let known = groups.led.remove(&pid);
            if known && live_on {
                groups.leaderless.insert(pid);
            }
            known
        });
        if known {
            watchdog::group_ended(pid);
        }
        known && live_on
    }

    /// Ends the whole group that a child led or leads.
    pub fn kill(&self, kernel_id: &str, pid: i32) {
        let (led, leaderless) = self.with(|groups| (groups.led.contains(&pid), groups.leaderless.remove(&pid)));
        if led {
            crate::process::kill_group(pid);
        } else if leaderless {
            kill_tagged_members(pid, kernel_id);
        }
    }

    /// Ends the groups of all live children; the worker is over.
    pub fn kill_all(&self) {
        self.with(|groups| {
            for pid in std::mem::take(&mut groups.led) {
                crate::process::kill_group(pid);
                watchdog::group_ended(pid);
                groups.orphans.push(pid);
            }
            groups.leaderless.clear();
        });
    }

    /// Reaps the leaders that [`Children::kill_all`] killed. Blocks until the system has let go of them.
    pub fn reap(&self) {
        #[cfg(unix)]
        for pid in self.with(|groups| std::mem::take(&mut groups.orphans)) {
            // Node has reaped it after all: nothing to do.
            let _ = nix::sys::wait::waitpid(nix::unistd::Pid::from_raw(pid), None);
        }
    }
}

#[cfg(unix)]
fn has_members(group: i32) -> bool {
    group > 1 && nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), None).is_ok()
}

#[cfg(not(unix))]
fn has_members(_group: i32) -> bool {
    false
}

/// Ends those members of the group that carry the tag.
#[cfg(target_os = "linux")]
fn kill_tagged_members(group: i32, kernel_id: &str) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getpgid};

    let tag = format!("{}={kernel_id}", crate::process::TAG).into_bytes();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
        if getpgid(Some(Pid::from_raw(pid))) != Ok(Pid::from_raw(group)) {
            continue;
        }
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|entry| entry == tag) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Environments cannot be read here.
#[cfg(not(target_os = "linux"))]
fn kill_tagged_members(_group: i32, _kernel_id: &str) {}
