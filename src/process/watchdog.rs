//! A process that outlives the host for a moment: when the host is gone, however it ended, it ends what the host's kernels
//! started. The life pipe (`life.rs`) ends a Python kernel's own group; this ends the groups of a JavaScript cell's children,
//! and finds processes that moved to sessions of their own by the host's tag.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Begins every kernel id of this process. The time keeps it apart from an earlier process with the same pid.
static HOST_TAG: LazyLock<String> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{:x}", std::process::id(), since.as_micros())
});

/// The id of this process's `number`th kernel.
pub fn kernel_id(number: u64) -> String {
    format!("{}-{number}", *HOST_TAG)
}

/// Hears which groups live (`+ group`, `- group`, one a line) until the end of its standard input, which only the host holds
/// open; then kills them, and in rounds whatever carries the host's tag.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group ";;
    -) groups="${groups%% $group *} ${groups#* $group }";;
  esac
done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done
round=0
while [ "$round" -lt 20 ]; do
  # Its exit status is no help: processes that end while it reads are errors to it.
  files=$(grep -lsz "^EVALCELL_KERNEL=$1-" /proc/[0-9]*/environ)
  [ -n "$files" ] || exit 0
  for file in $files; do pid=${file#/proc/}; kill -9 "${pid%/environ}" 2>/dev/null; done
  round=$((round + 1))
done
"#;

static WATCHDOG: LazyLock<Option<Watchdog>> = LazyLock::new(Watchdog::spawn);

struct Watchdog {
    _shell: Child,
    input: Mutex<ChildStdin>,
}

impl Watchdog {
    fn spawn() -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "evalcell-watchdog", &HOST_TAG]);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Its own group: what a terminal sends to the host must not reach it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut shell =
            command.spawn().inspect_err(|error| tracing::warn!(%error, "the watchdog could not be started")).ok()?;
        let input = Mutex::new(shell.stdin.take()?);
        Some(Self { _shell: shell, input })
    }
}

/// Starts the watchdog with the first kernel; one per host process. Without a shell there is none, and without `/proc` it
/// knows groups alone: processes that detached themselves can then survive a host that was killed.
pub fn start() {
    LazyLock::force(&WATCHDOG);
}

/// This group must not outlive the host.
pub fn group_began(group: i32) {
    tell(&format!("+ {group}\n"));
}

/// The leader of this group was reaped: its id may soon be another's.
pub fn group_ended(group: i32) {
    tell(&format!("- {group}\n"));
}

fn tell(line: &str) {
    if let Some(watchdog) = &*WATCHDOG {
        let mut input = watchdog.input.lock().unwrap_or_else(PoisonError::into_inner);
        // A watchdog that somebody killed is no reason to stop a cell.
        let _ = input.write_all(line.as_bytes());
    }
}
