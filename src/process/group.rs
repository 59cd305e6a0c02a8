//! Live process groups of this process, so that one call can end them all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Groups that may still have processes, by group id, with the tag of the kernel they belong to.
static LIVE: Mutex<BTreeMap<i32, Option<String>>> = Mutex::new(BTreeMap::new());

fn live() -> MutexGuard<'static, BTreeMap<i32, Option<String>>> {
    // A panic while holding this lock leaves the map whole: every change is one insert or remove.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process group whose leader has not been reaped: as long as this is alive, its id belongs to nobody else.
///
/// Registered for [`kill_everything_now`] from [`Group::adopt`] until [`Group::retire`] or the last drop.
#[derive(Clone, Debug)]
pub struct Group(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pgid: i32,
    retired: Mutex<bool>,
}

impl Group {
    /// Takes note of the group that `leader` leads. `kernel_id` is the tag its processes carry, when they do.
    ///
    /// The caller promises to call [`Group::retire`] before the leader is reaped (or, when somebody else reaps it, as
    /// soon as it hears of the exit).
    pub fn adopt(leader: u32, kernel_id: Option<&str>) -> Self {
        let pgid = leader.cast_signed();
        live().insert(pgid, kernel_id.map(str::to_owned));
        Self(Arc::new(Inner { pgid, retired: Mutex::new(false) }))
    }

    pub fn id(&self) -> i32 {
        self.0.pgid
    }

    /// Sends `signal` to every process of the group. False when the group has been retired or is empty.
    pub fn signal_all(&self, signal: Signal) -> bool {
        let retired = self.0.lock();
        !*retired && killpg(Pid::from_raw(self.0.pgid), signal).is_ok()
    }

    /// Interrupts the leader alone, as Ctrl-C does. False when it is gone.
    pub fn interrupt_leader(&self) -> bool {
        self.signal_leader(Signal::SIGINT)
    }

    /// Ends every process of the group but its leader; returns how many. Looks through all processes: not on a thread
    /// that others wait for.
    pub fn end_others(&self) -> usize {
        super::kill_other_members(self.id())
    }

    /// Sends `signal` to the leader alone. False when it is gone.
    pub fn signal_leader(&self, signal: Signal) -> bool {
        let retired = self.0.lock();
        !*retired && kill(Pid::from_raw(self.0.pgid), signal).is_ok()
    }

    /// Ends every process of the group at once.
    pub fn kill(&self) {
        self.signal_all(Signal::SIGKILL);
    }

    /// Kills what is left of the group and gives its id back. Idempotent.
    pub fn retire(&self) {
        self.0.retire();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn retire(&self) {
        let mut retired = self.lock();
        if !std::mem::replace(&mut *retired, true) {
            let _ = killpg(Pid::from_raw(self.pgid), Signal::SIGKILL);
            live().remove(&self.pgid);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.retire();
    }
}

/// Ends every process of the group `pgid`. False when there is none.
///
/// For groups whose leader the caller knows to be unreaped; otherwise use [`Group`]. Ids below 2 are refused: they
/// would mean this process's own group, or every process.
pub fn kill_group(pgid: i32) -> bool {
    pgid > 1 && killpg(Pid::from_raw(pgid), Signal::SIGKILL).is_ok()
}

/// Ends everything that any kernel of this process started: all live groups, then what carries their tags.
///
/// Synchronous, for the exit hooks of the host: `process.on('exit')` and environment cleanup. Returns how many groups
/// were alive.
pub fn kill_everything_now() -> usize {
    let groups = live().clone();
    for pgid in groups.keys() {
        kill_group(*pgid);
    }
    let tags: Vec<&str> = groups.values().flatten().map(String::as_str).collect();
    super::kill_all_tagged(&tags);
    groups.len()
}
