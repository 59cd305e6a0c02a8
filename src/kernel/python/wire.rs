//! Moving frames and raw output: the parent's ends of the socket pair and of the output pipe.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use nix::libc;
use tokio::io::unix::AsyncFd;
use tokio::io::{Interest, Ready};
use tokio::sync::Notify;

use crate::limits::{FRAME_MAX_BYTES, PYTHON_PIPE_BYTES};

/// What the child gets, and what stays here.
pub struct Ends {
    pub child_socket: OwnedFd,
    pub child_output: OwnedFd,
    pub socket: Source,
    pub sending: OwnedFd,
    pub output: Source,
}

impl Ends {
    /// # Errors
    /// When the process is out of descriptors.
    pub fn new() -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let (read, write) = io::pipe()?;
        let read = OwnedFd::from(read);
        #[cfg(target_os = "linux")]
        {
            // Fewer switches between a cell that prints much and its reader. Refused when the user has too many pipes.
            let size = i32::try_from(PYTHON_PIPE_BYTES).unwrap_or(i32::MAX);
            let _ = nix::fcntl::fcntl(&read, nix::fcntl::FcntlArg::F_SETPIPE_SZ(size));
        }
        nix::fcntl::fcntl(&read, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))
            .map_err(io::Error::from)?;
        Ok(Self {
            child_socket: theirs.into(),
            child_output: write.into(),
            sending: OwnedFd::from(ours.try_clone()?),
            socket: Source::new(ours.into())?,
            output: Source::new(read)?,
        })
    }
}

/// A non-blocking descriptor to read from. Watched for reading only: a socket watched for both would wake its reader each
/// time that the child takes something.
pub struct Source(AsyncFd<Arc<OwnedFd>>);

impl Source {
    fn new(descriptor: OwnedFd) -> io::Result<Self> {
        watch(Arc::new(descriptor), Interest::READABLE).map(Self)
    }

    /// Waits until there is something, then reads it. `None`: it was somebody else's; 0: the end.
    pub async fn read(&self, buffer: &mut [u8]) -> Option<usize> {
        // Fails only when the runtime ends; then nobody waits for what is read.
        let mut ready = self.0.readable().await.ok()?;
        let read = read_now(self.0.get_ref(), buffer);
        if read.is_none_or(|count| 0 < count && count < buffer.len()) {
            ready.clear_ready_matching(Ready::READABLE);
        }
        read
    }
}

impl AsFd for Source {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.get_ref().as_fd()
    }
}

/// Has the runtime watch a descriptor.
fn watch(descriptor: Arc<OwnedFd>, interest: Interest) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
    // SAFETY: the `AsyncFd` shares in owning the descriptor, which is therefore open, and the same one, as long as it lives.
    unsafe { AsyncFd::register_with_interest(descriptor, interest) }.map_err(io::Error::from)
}

/// How many bytes can be read at once.
pub fn available(descriptor: &impl AsFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the descriptor is open; FIONREAD writes one int to `count`.
    let outcome = unsafe { libc::ioctl(descriptor.as_fd().as_raw_fd(), libc::FIONREAD, &raw mut count) };
    if outcome == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }
}

/// Reads without waiting and without asking the runtime, whose knowledge may be behind. `None`: nothing there; 0: the end.
pub fn read_now(descriptor: &impl AsFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match nix::unistd::read(descriptor, buffer) {
            Ok(count) => return Some(count),
            Err(nix::errno::Errno::EINTR) => {}
            Err(nix::errno::Errno::EAGAIN) => return None,
            Err(_) => return Some(0),
        }
    }
}

/// Cuts the child's bytes into lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: Vec<u8>,
    /// Up to here there is no line break.
    scanned: usize,
    /// The rest of the current line is too much and is thrown away.
    skipping: bool,
}

impl Lines {
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line; an error for one that was too long.
    pub fn take(&mut self) -> Option<Result<Vec<u8>, String>> {
        loop {
            let found = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n');
            let Some(found) = found else {
                self.scanned = self.buffer.len();
                if self.buffer.len() > FRAME_MAX_BYTES {
                    self.skipping = true;
                }
                if self.skipping {
                    self.buffer.clear();
                    self.scanned = 0;
                }
                return None;
            };
            let end = self.scanned + found;
            let rest = self.buffer.split_off(end + 1);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            line.pop();
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) || line.len() > FRAME_MAX_BYTES {
                return Some(Err(format!("longer than {FRAME_MAX_BYTES} bytes")));
            }
            if !line.is_empty() {
                return Some(Ok(line));
            }
        }
    }
}

/// Sends lines without ever making the sender wait: what the socket does not take now, a task sends later.
#[derive(Clone, Debug)]
pub struct Sender(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    socket: Arc<OwnedFd>,
    queue: Mutex<VecDeque<(Vec<u8>, usize)>>,
    more: Notify,
}

impl Sender {
    /// The second half is the task's work: it ends when all senders are gone or the child is.
    pub fn new(socket: OwnedFd) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let inner = Arc::new(Inner { socket: Arc::new(socket), queue: Mutex::default(), more: Notify::new() });
        let sending = Arc::downgrade(&inner);
        let work = async move {
            while let Some(inner) = sending.upgrade() {
                if inner.flush() {
                    inner.more.notified().await;
                    continue;
                }
                // Watched only as long as it is full.
                let Ok(full) = watch(Arc::clone(&inner.socket), Interest::WRITABLE) else { break };
                if full.writable().await.is_err() {
                    break;
                }
            }
        };
        (Self(inner), work)
    }

    pub fn send(&self, line: Vec<u8>) {
        {
            let mut queue = self.0.lock();
            queue.push_back((line, 0));
            if queue.len() > 1 {
                return;
            }
        }
        if !self.0.flush() {
            self.0.more.notify_one();
        }
    }
}

impl Inner {
    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(Vec<u8>, usize)>> {
        // Every change of the queue is whole even when a panic follows it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what the socket takes. False when something is left.
    fn flush(&self) -> bool {
        let mut queue = self.lock();
        while let Some((line, sent)) = queue.front_mut() {
            match nix::unistd::write(&self.socket, &line[*sent..]) {
                Ok(count) => {
                    *sent += count;
                    if *sent == line.len() {
                        queue.pop_front();
                    }
                }
                Err(nix::errno::Errno::EINTR) => {}
                Err(nix::errno::Errno::EAGAIN) => return false,
                // The child is gone; its end is noticed elsewhere.
                Err(_) => queue.clear(),
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_wherever_the_bytes_were() {
        let mut lines = Lines::default();
        lines.push(b"{\"a\"");
        assert!(lines.take().is_none());
        lines.push(b":1}\n\n{}");
        assert_eq!(lines.take(), Some(Ok(b"{\"a\":1}".to_vec())));
        assert!(lines.take().is_none());
        lines.push(b"\n");
        assert_eq!(lines.take(), Some(Ok(b"{}".to_vec())));
    }

    #[test]
    fn a_line_over_the_limit_is_dropped_and_the_next_one_is_read() {
        let mut lines = Lines::default();
        for _ in 0..65 {
            lines.push(&vec![b'x'; 1024 * 1024]);
            assert!(lines.take().is_none());
            assert!(lines.buffer.len() <= FRAME_MAX_BYTES);
        }
        lines.push(b"tail\n{}\n");
        assert!(lines.take().is_some_and(|line| line.is_err()));
        assert_eq!(lines.take(), Some(Ok(b"{}".to_vec())));
    }
}
