//! A process that outlives the host for a moment: when the host is gone, however it ended, it ends what carries the host's
//! tag. The life pipe (`life.rs`) ends a kernel's own group; this finds processes that moved to sessions of their own.

use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, OnceLock};
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

/// Waits for the end of its standard input, which only the host holds open; then kills in rounds until nothing is left.
const SCRIPT: &str = r#"
read -r _
round=0
while [ "$round" -lt 20 ]; do
  # Its exit status is no help: processes that end while it reads are errors to it.
  files=$(grep -lsz "^EVALCELL_KERNEL=$1-" /proc/[0-9]*/environ)
  [ -n "$files" ] || exit 0
  for file in $files; do pid=${file#/proc/}; kill -9 "${pid%/environ}" 2>/dev/null; done
  round=$((round + 1))
done
"#;

static WATCHDOG: OnceLock<Option<Child>> = OnceLock::new();

/// Starts the watchdog with the first kernel; one per host process. Without a shell or `/proc` there is none, and only
/// processes that detached themselves can survive a host that was killed.
pub fn start() {
    WATCHDOG.get_or_init(|| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "evalcell-watchdog", &HOST_TAG]);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Its own group: what a terminal sends to the host must not reach it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        match command.spawn() {
            Ok(child) => Some(child),
            Err(error) => {
                tracing::warn!(%error, "the watchdog could not be started");
                None
            }
        }
    });
}
