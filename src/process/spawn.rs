//! Starting a child in a group of its own, with exactly the descriptors it should have.

use std::ffi::{CString, OsString};
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::ptr::null_mut;

use nix::libc;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::sync::watch;

use super::life::LIFE_DESCRIPTOR;
use super::{Child, Exit, Group, LifeLine, LifePipe, Spawn};

/// The number under which a kernel holds the protocol's socket.
const FRAME_DESCRIPTOR: i32 = 3;

impl Spawn {
    /// Starts it with descriptors 1 and 2 as `output`, tied to the life of this process.
    ///
    /// # Errors
    /// As [`Spawn::start`].
    pub fn start_tied(self, output: &PipeWriter) -> io::Result<(Child, LifeLine)> {
        self.start_on(&[(output.as_fd(), 1), (output.as_fd(), 2)])
    }

    /// As [`Spawn::start_tied`], and with `protocol` as descriptor 3.
    ///
    /// # Errors
    /// As [`Spawn::start`].
    pub fn start_speaking(self, output: &PipeWriter, protocol: BorrowedFd<'_>) -> io::Result<(Child, LifeLine)> {
        self.start_on(&[(output.as_fd(), 1), (output.as_fd(), 2), (protocol, FRAME_DESCRIPTOR)])
    }

    fn start_on(self, descriptors: &[(BorrowedFd<'_>, i32)]) -> io::Result<(Child, LifeLine)> {
        let life = LifePipe::new()?;
        let child = self.start(&[descriptors, &[(life.child_end(), LIFE_DESCRIPTOR)]].concat())?;
        // From here on the group ends when `child` does not live to be watched.
        let life = life.arm(child.group.id()).inspect_err(|_| child.group.kill())?;
        Ok((child, life))
    }

    /// Starts it as the leader of a new group, with `posix_spawn`: `fork` would copy the page tables of a host that may have
    /// gigabytes. Descriptor 0 is `/dev/null`; the others are the given ones, each under
    /// its number; nothing else is inherited, as long as everything in this process is close-on-exec.
    ///
    /// # Errors
    /// What the system says: not found, not executable, no such directory, out of processes.
    pub fn start(self, descriptors: &[(BorrowedFd<'_>, i32)]) -> io::Result<Child> {
        let program = text(self.program.into_os_string())?;
        let mut arguments = vec![program.clone()];
        for argument in self.arguments {
            arguments.push(text(argument)?);
        }
        let mut environment = vec![text(format!("{}={}", super::TAG, self.kernel_id).into())?];
        for (name, value) in self.environment {
            if name == super::TAG {
                continue;
            }
            let mut entry = name;
            entry.push("=");
            entry.push(value);
            environment.push(text(entry)?);
        }
        let directory = text(self.directory.into_os_string())?;

        // Copies above every target number, so that no `dup2` overwrites the source of a later one.
        let lowest = 1 + descriptors.iter().map(|(_, target)| *target).max().unwrap_or(2);
        let mut sources = Vec::new();
        for (descriptor, target) in descriptors {
            // SAFETY: the descriptor is open, its owner outlives this call.
            let copy = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) };
            if copy == -1 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: just made, owned by nobody else.
            sources.push((unsafe { OwnedFd::from_raw_fd(copy) }, *target));
        }

        let mut actions = Actions::new()?;
        actions.change_directory(&directory)?;
        actions.open_null(0)?;
        for (source, target) in &sources {
            actions.duplicate(source.as_raw_fd(), *target)?;
        }
        let pid = actions.spawn(&program, &arguments, &environment)?;
        watch_over(pid, &self.kernel_id)
    }
}

/// Waits on a thread of its own: no signal handler in the host, nothing polled, and the group is killed and retired
/// while the zombie still holds the id.
fn watch_over(pid: i32, kernel_id: &str) -> io::Result<Child> {
    let group = Group::adopt(pid.cast_unsigned(), Some(kernel_id));
    let (sender, exit) = watch::channel(None);
    let retired = group.clone();
    let waiter = std::thread::Builder::new().name("evalcell-wait".into()).stack_size(64 * 1024);
    let started = waiter.spawn(move || {
        wait_without_reaping(pid);
        retired.retire();
        let exit = match waitpid(Pid::from_raw(pid), None) {
            Ok(WaitStatus::Exited(_, code)) => Exit { code: Some(code), signal: None },
            Ok(WaitStatus::Signaled(_, signal, _)) => Exit { code: None, signal: Some(signal as i32) },
            _ => Exit::default(),
        };
        sender.send_replace(Some(exit));
    });
    if let Err(error) = started {
        group.retire();
        let _ = waitpid(Pid::from_raw(pid), None);
        return Err(error);
    }
    Ok(Child { pid: pid.cast_unsigned(), group, exit })
}

/// Returns when the child has ended, and leaves it a zombie. Own code because `nix` has it on some systems only.
fn wait_without_reaping(pid: i32) {
    loop {
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::uninit();
        // SAFETY: what is learned goes to a local, which nobody reads.
        let outcome =
            unsafe { libc::waitid(libc::P_PID, pid.cast_unsigned(), info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT) };
        if outcome == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

fn text(value: OsString) -> io::Result<CString> {
    CString::new(value.into_vec())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a NUL byte in a process argument"))
}

/// `posix_spawn`'s file actions and attributes. Own code because `nix` has no action that changes the directory.
struct Actions {
    actions: libc::posix_spawn_file_actions_t,
    attributes: libc::posix_spawnattr_t,
}

fn checked(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

impl Actions {
    fn new() -> io::Result<Box<Self>> {
        let mut new = Box::new(std::mem::MaybeUninit::<Self>::uninit());
        // SAFETY: both structs are initialised in place by their own functions before `assume_init`; boxed, because
        // some systems keep pointers into them.
        unsafe {
            let place = new.as_mut_ptr();
            checked(libc::posix_spawn_file_actions_init(&raw mut (*place).actions))?;
            if let Err(error) = checked(libc::posix_spawnattr_init(&raw mut (*place).attributes)) {
                libc::posix_spawn_file_actions_destroy(&raw mut (*place).actions);
                return Err(error);
            }
            Ok(new.assume_init())
        }
    }

    fn change_directory(&mut self, directory: &CString) -> io::Result<()> {
        // SAFETY: initialised in `new`; the string is copied.
        checked(unsafe { libc::posix_spawn_file_actions_addchdir_np(&raw mut self.actions, directory.as_ptr()) })
    }

    fn open_null(&mut self, target: i32) -> io::Result<()> {
        // SAFETY: initialised in `new`; the string is static.
        checked(unsafe {
            libc::posix_spawn_file_actions_addopen(
                &raw mut self.actions,
                target,
                c"/dev/null".as_ptr(),
                libc::O_RDONLY,
                0,
            )
        })
    }

    fn duplicate(&mut self, source: i32, target: i32) -> io::Result<()> {
        // SAFETY: initialised in `new`; numbers only.
        checked(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.actions, source, target) })
    }

    fn spawn(
        mut self: Box<Self>,
        program: &CString,
        arguments: &[CString],
        environment: &[CString],
    ) -> io::Result<i32> {
        let pointers = |texts: &[CString]| -> Vec<*mut libc::c_char> {
            texts.iter().map(|text| text.as_ptr().cast_mut()).chain([null_mut()]).collect()
        };
        let (arguments, environment) = (pointers(arguments), pointers(environment));
        let mut pid = 0;
        // SAFETY: attributes and actions were initialised in `new`; the signal sets are initialised before use; the
        // argument arrays end in null and their strings outlive the call.
        unsafe {
            let mut all = std::mem::zeroed::<libc::sigset_t>();
            libc::sigfillset(&raw mut all);
            // glibc refuses to reset what cannot be caught.
            libc::sigdelset(&raw mut all, libc::SIGKILL);
            libc::sigdelset(&raw mut all, libc::SIGSTOP);
            let mut none = std::mem::zeroed::<libc::sigset_t>();
            libc::sigemptyset(&raw mut none);
            let flags = libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
            #[allow(
                clippy::cast_possible_truncation,
                reason = "the type differs between systems, the values are small"
            )]
            checked(libc::posix_spawnattr_setflags(&raw mut self.attributes, flags as _))?;
            checked(libc::posix_spawnattr_setpgroup(&raw mut self.attributes, 0))?;
            checked(libc::posix_spawnattr_setsigdefault(&raw mut self.attributes, &raw const all))?;
            checked(libc::posix_spawnattr_setsigmask(&raw mut self.attributes, &raw const none))?;
            checked(libc::posix_spawn(
                &raw mut pid,
                program.as_ptr(),
                &raw const self.actions,
                &raw const self.attributes,
                arguments.as_ptr(),
                environment.as_ptr(),
            ))?;
        }
        Ok(pid)
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: both were initialised in `new` and are destroyed once.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.actions);
            libc::posix_spawnattr_destroy(&raw mut self.attributes);
        }
    }
}
