//! Processes that cells start. Each leads a group of its own; all of them die with the kernel, and with the host.
//!
//! The kernel's own end is ours to see. For the host's (`kill -9` included) one tiny shell per host waits: it holds the
//! read end of a pipe, hears which groups live, and when the pipe ends it kills them and whatever carries their kernels'
//! tags. It is started with the first child and ends with the last kernel that had one.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// `+ group`, `- group`, `t tag`, one a line. The environment of a process is one text without its NULs here: a tag that
/// only begins like ours belongs to another kernel of the same dead host.
const WATCHDOG: &str = r#"trap '' HUP INT TERM
groups=' ' tags=
while read -r what id; do case $what in
+) groups="$groups$id ";;
-) groups="${groups%% $id *} ${groups#* $id }";;
t) tags="$tags $id";;
q) exit;;
esac; done
for id in $groups; do kill -9 -- "-$id"; done 2>/dev/null
for round in 1 2; do for process in /proc/[0-9]*; do
environment=$(cat "$process/environ" 2>/dev/null | tr -d '\000')
for tag in $tags; do case $environment in *"EVALCELL_KERNEL=$tag"*) kill -9 "${process#/proc/}" 2>/dev/null;; esac; done
done; done"#;

static WATCHING: Mutex<Option<Watchdog>> = Mutex::new(None);

struct Watchdog {
    shell: Child,
    input: ChildStdin,
    kernels: BTreeSet<String>,
}

impl Watchdog {
    fn start() -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WATCHDOG]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
        command.env("PATH", "/usr/bin:/bin").current_dir("/");
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut shell = command.spawn().ok()?;
        let input = shell.stdin.take()?;
        Some(Self { shell, input, kernels: BTreeSet::new() })
    }

    fn tell(&mut self, line: &str) {
        // A watchdog that somebody killed is no reason to stop a cell.
        let _ = self.input.write_all(line.as_bytes());
    }
}

/// The children of one kernel.
#[derive(Default)]
pub struct Children(Mutex<BTreeSet<i32>>);

impl Children {
    fn with<Answer>(&self, use_groups: impl FnOnce(&mut BTreeSet<i32>) -> Answer) -> Answer {
        use_groups(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The kernel is about to start a child that it waits for: what hangs on the host's life must be ready.
    pub fn expect(kernel_id: &str) {
        watchdog(kernel_id, |_| {});
    }

    /// A child has been started as the leader of its own group.
    pub fn started(&self, kernel_id: &str, pid: i32) {
        if pid > 1 {
            self.with(|groups| groups.insert(pid));
            watchdog(kernel_id, |watchdog| watchdog.tell(&format!("+ {pid}\n")));
        }
    }

    /// A child has ended and was reaped. What is left of its group carries the kernel's tag.
    pub fn ended(&self, pid: i32) {
        if self.with(|groups| groups.remove(&pid)) {
            let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(watchdog) = &mut *watching {
                watchdog.tell(&format!("- {pid}\n"));
            }
        }
    }

    /// Ends the whole group of a live child.
    pub fn kill(&self, pid: i32) {
        if self.with(|groups| groups.contains(&pid)) {
            kill_group(pid);
        }
    }

    /// Ends the groups of all live children; the kernel is over.
    pub fn kill_all(&self) {
        for pid in self.with(std::mem::take) {
            kill_group(pid);
        }
    }
}

/// The kernel is gone and so is everything that carried its tag.
pub fn forget_kernel(kernel_id: &str) {
    let last = {
        let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        watching.take_if(|watchdog| watchdog.kernels.remove(kernel_id) && watchdog.kernels.is_empty())
    };
    if let Some(mut watchdog) = last {
        watchdog.tell("q\n");
        drop(watchdog.input);
        let _ = watchdog.shell.wait();
    }
}

fn watchdog(kernel_id: &str, tell: impl FnOnce(&mut Watchdog)) {
    if cfg!(not(unix)) {
        return;
    }
    let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
    if watching.is_none() {
        *watching = Watchdog::start();
    }
    if let Some(watchdog) = &mut *watching {
        if watchdog.kernels.insert(kernel_id.to_string()) {
            watchdog.tell(&format!("t {kernel_id}\n"));
        }
        tell(watchdog);
    }
}

fn kill_group(pid: i32) {
    crate::process::kill_group(pid);
}
