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
for id in $groups; do kill -9 "-$id"; done 2>/dev/null
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

    /// The kernel is about to start a child that it waits for: what hangs on the host's life must be ready.
    pub fn expect(kernel_id: &str) {
        watchdog(kernel_id, |_| {});
    }

    /// A child has been started as the leader of its own group.
    pub fn started(&self, kernel_id: &str, pid: i32) {
        if pid > 1 {
            self.with(|groups| {
                groups.leaderless.remove(&pid);
                groups.led.insert(pid)
            });
            watchdog(kernel_id, |watchdog| watchdog.tell(&format!("+ {pid}\n")));
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
            let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(watchdog) = &mut *watching {
                watchdog.tell(&format!("- {pid}\n"));
            }
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
