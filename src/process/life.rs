//! The life pipe: a group that hangs on it dies with this process, however this process ends.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The number under which a kernel holds its end.
pub const LIFE_DESCRIPTOR: i32 = 4;
/// Descriptors of a kernel that none of its children may get.
pub const LIFE_DESCRIPTORS: &[i32] = &[LIFE_DESCRIPTOR];

/// A pipe without data. Its read end goes to the child, its write end stays here and nowhere else.
#[derive(Debug)]
pub struct LifePipe {
    read: OwnedFd,
    write: OwnedFd,
}

/// The armed pipe. **Dropping it kills the group**; so does the end of this process.
#[derive(Debug)]
pub struct LifeLine {
    _write: OwnedFd,
}

impl LifePipe {
    /// # Errors
    /// When the process is out of descriptors.
    pub fn new() -> io::Result<Self> {
        // Both ends are close-on-exec: a copy of the write end in any other child would keep the group alive.
        let (read, write) = io::pipe()?;
        Ok(Self { read: read.into(), write: write.into() })
    }

    /// What the leader of the group must inherit, under any number, and keep open.
    pub fn child_end(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }

    /// Ties the group `pgid` to this process. Call it after the leader was started with [`LifePipe::child_end`].
    ///
    /// Linux: the kernel itself sends SIGKILL to the group when the last write end closes, also while C code holds the
    /// GIL or the leader is stopped; no code runs in the child. The owner is kept by identity, so a reused id is
    /// never hit.
    ///
    /// # Errors
    /// What `fcntl` reports.
    #[cfg(target_os = "linux")]
    pub fn arm(self, pgid: i32) -> io::Result<LifeLine> {
        use nix::libc;
        use std::os::fd::AsRawFd;

        // Not in the `libc` crate for every target; the same number on every Linux architecture that Node runs on.
        const F_SETSIG: libc::c_int = 10;
        const F_SETOWN: libc::c_int = 8;
        let read = self.read.as_raw_fd();
        for (command, argument) in
            [(F_SETOWN, -pgid), (F_SETSIG, libc::SIGKILL), (libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK)]
        {
            // SAFETY: `read` is an open descriptor that `self` owns; these commands take one int and touch no memory.
            if unsafe { libc::fcntl(read, command, argument) } == -1 {
                let error = io::Error::last_os_error();
                // A program that ends at once may be gone already, and its group with it: there is nobody to tie.
                if error.raw_os_error() != Some(libc::ESRCH) {
                    return Err(error);
                }
            }
        }
        Ok(LifeLine { _write: self.write })
    }

    /// Elsewhere a tiny shell is the watchdog: it waits for the end of the pipe and then kills the group.
    ///
    /// # Errors
    /// When `/bin/sh` cannot be started.
    #[cfg(not(target_os = "linux"))]
    pub fn arm(self, pgid: i32) -> io::Result<LifeLine> {
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};

        let watchdog = Command::new("/bin/sh")
            .args(["-c", &format!("read x; kill -9 -{pgid}")])
            .stdin(Stdio::from(self.read))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        // Reaped by a thread of its own: it ends exactly once, with the pipe.
        std::thread::Builder::new().name("evalcell-life".into()).stack_size(64 * 1024).spawn(move || {
            let mut watchdog = watchdog;
            let _ = watchdog.wait();
        })?;
        Ok(LifeLine { _write: self.write })
    }
}
