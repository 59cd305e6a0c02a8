//! Finding processes through `/proc`: by tag, by group, by the thread that started them.

use std::collections::BTreeSet;
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::TAG;
use crate::limits::{KILL_ROUNDS, KILL_WAIT};

/// Ends every process whose environment carries `EVALCELL_KERNEL=<kernel_id>`; returns how many.
///
/// Scans again until a scan finds none, so that a process which forks while it is hunted does not get away, and waits
/// until they are gone (bounded by [`KILL_ROUNDS`] and [`KILL_WAIT`]). Takes a millisecond or more: not for a thread
/// that must not block, except at exit.
pub fn kill_tagged(kernel_id: &str) -> usize {
    kill_all_tagged(&[kernel_id])
}

/// [`kill_tagged`] for several kernels with one look at the system.
pub fn kill_all_tagged(kernel_ids: &[&str]) -> usize {
    let wanted: Vec<Vec<u8>> = kernel_ids.iter().map(|id| format!("{TAG}={id}").into_bytes()).collect();
    if wanted.is_empty() {
        return 0;
    }
    let is_tagged = |pid: i32| {
        // Unreadable means: gone, a zombie, or another user's.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| wanted.iter().any(|tag| tag == entry))
    };
    kill_until_none(is_tagged)
}

/// Ends every process of the group but its leader; returns how many.
pub fn kill_other_members(group_id: i32) -> usize {
    kill_until_none(|pid| pid != group_id && group_of(pid) == Some(group_id))
}

/// Ends the whole trees of processes that thread `thread_id` of this process started; returns how many.
///
/// Each is stopped before its children are read, so that the tree cannot grow while it is walked.
pub fn kill_children_of_thread(thread_id: u32) -> usize {
    let mut doomed = Vec::new();
    let mut unread = children(&format!("/proc/self/task/{thread_id}/children"));
    while let Some(pid) = unread.pop() {
        if kill(Pid::from_raw(pid), Signal::SIGSTOP).is_ok() {
            doomed.push(pid);
            for task in numbers_in(&format!("/proc/{pid}/task")) {
                unread.extend(children(&format!("/proc/{pid}/task/{task}/children")));
            }
        }
    }
    for pid in &doomed {
        let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
    }
    doomed.len()
}

fn kill_until_none(wanted: impl Fn(i32) -> bool) -> usize {
    let own = std::process::id().cast_signed();
    let mut killed = BTreeSet::new();
    for _ in 0..KILL_ROUNDS {
        let found: Vec<i32> = numbers_in("/proc").into_iter().filter(|pid| *pid != own && wanted(*pid)).collect();
        if found.is_empty() {
            break;
        }
        // A handle on the process first: waiting on it cannot be fooled by a reused id.
        let handles: Vec<_> = found.iter().filter_map(|pid| handle_of(*pid)).collect();
        for pid in found {
            if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() {
                killed.insert(pid);
            }
        }
        handles.iter().for_each(wait_for_end);
    }
    killed.len()
}

fn handle_of(pid: i32) -> Option<std::os::fd::OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: a plain system call on numbers.
    let descriptor = unsafe { nix::libc::syscall(nix::libc::SYS_pidfd_open, pid, 0) };
    let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the call has just returned this descriptor; nobody else owns it.
    Some(unsafe { std::os::fd::OwnedFd::from_raw_fd(descriptor) })
}

fn wait_for_end(handle: &std::os::fd::OwnedFd) {
    use std::os::fd::AsRawFd;
    let mut poll = nix::libc::pollfd { fd: handle.as_raw_fd(), events: nix::libc::POLLIN, revents: 0 };
    let milliseconds = i32::try_from(KILL_WAIT.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one valid `pollfd` on our own stack.
    unsafe { nix::libc::poll(&raw mut poll, 1, milliseconds) };
}

fn group_of(pid: i32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent group …`: the name may hold anything, so count from its closing parenthesis.
    let rest = &stat[stat.iter().rposition(|byte| *byte == b')')? + 1..];
    let mut fields = std::str::from_utf8(rest).ok()?.split_ascii_whitespace();
    // A zombie needs no killing, and killing it again would never end.
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    (state != "Z" && state != "X").then_some(group)
}

fn children(path: &str) -> Vec<i32> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn numbers_in(path: &str) -> Vec<i32> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_tagged_process_in_a_session_of_its_own_is_found_and_ended() {
        let tag = format!("test-{}", std::process::id());
        let mut shell = Command::new("setsid")
            .args(["sh", "-c", "sleep 300 & setsid sleep 301 & wait"])
            .env(TAG, &tag)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("setsid starts");
        let mut killed = 0;
        // The shell needs a moment to fork; each scan is a real look at the system.
        while killed < 3 {
            killed += kill_tagged(&tag);
            std::thread::yield_now();
            if shell.try_wait().expect("shell is ours").is_some() {
                break;
            }
        }
        shell.wait().expect("shell is ours");
        // The pipe's end is the proof that nobody is left who holds it.
        std::io::Read::read_to_end(&mut shell.stdout.take().expect("piped"), &mut Vec::new()).expect("end of pipe");
        assert_eq!(kill_tagged(&tag), 0);
    }

    #[test]
    fn the_whole_tree_that_a_thread_started_is_ended_though_a_grandchild_holds_the_pipe() {
        use std::io::{BufRead, BufReader, Read};
        let mut shell = Command::new("sh")
            .args(["-c", "sh -c 'sleep 300 & echo ready; wait' & wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("sh starts");
        let mut output = BufReader::new(shell.stdout.take().expect("piped"));
        output.read_line(&mut String::new()).expect("ready");
        let thread = nix::unistd::gettid().as_raw().cast_unsigned();
        assert!(kill_children_of_thread(thread) >= 3);
        output.read_to_end(&mut Vec::new()).expect("end of pipe");
        shell.wait().expect("shell is ours");
    }
}
