//! Descriptor 3: a socket pair for the frames, and a pipe for descriptors 1 and 2.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use nix::libc;
use tokio::io::unix::AsyncFd;
use tokio::io::{Interest, Ready};
use tokio::sync::Notify;

use super::Linked;
use crate::limits::PYTHON_PIPE_BYTES;
use crate::process::Spawn;

pub fn start(spawn: Spawn) -> io::Result<Linked> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let (output, child_output) = Output::new(Some(PYTHON_PIPE_BYTES))?;
    let (child, life) = spawn.start_speaking(&child_output, theirs.as_fd())?;
    let (sender, sending) = Sender::new(ours.try_clone()?.into());
    tokio::spawn(sending);
    let reader = Reader::new(ours.into());
    Ok(Linked {
        child,
        life,
        #[cfg(target_os = "linux")]
        arrivals: Some(reader.arrivals()),
        #[cfg(not(target_os = "linux"))]
        arrivals: None,
        reader: super::Reader::Inherited(reader),
        sender: super::Sender::Inherited(sender),
        output: super::Output::Inherited(output),
    })
}

/// The host's end of descriptor 3, for reading.
pub struct Reader {
    socket: Arc<OwnedFd>,
    /// Set while the runtime watches the socket.
    source: Option<Source>,
    is_held: Arc<AtomicBool>,
}

impl Reader {
    fn new(socket: OwnedFd) -> Self {
        Self { socket: Arc::new(socket), source: None, is_held: Arc::default() }
    }

    #[cfg(target_os = "linux")]
    fn arrivals(&self) -> Arrivals {
        Arrivals { socket: Arc::clone(&self.socket), is_held: Arc::clone(&self.is_held) }
    }

    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        poll_fn(|context| self.poll_read(context, buffer)).await
    }

    fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<usize> {
        if self.is_held.load(Ordering::Acquire) {
            self.source = None;
            return match TAKING.get().then(|| read_now(&self.socket, buffer)).flatten() {
                Some(count) => Poll::Ready(count),
                // Whoever holds it polls again.
                None => Poll::Pending,
            };
        }
        let source = match &mut self.source {
            Some(source) => source,
            none => match Source::new(Arc::clone(&self.socket)) {
                Ok(source) => none.insert(source),
                Err(error) => {
                    tracing::warn!(target: "evalcell::python", %error, "frames cannot be watched");
                    return Poll::Ready(0);
                }
            },
        };
        source.poll_read(context, buffer)
    }

    pub fn read_now(&self, buffer: &mut [u8]) -> Option<usize> {
        read_now(&self.socket, buffer)
    }
}

thread_local! {
    /// This thread takes what has arrived at a socket that it holds.
    static TAKING: Cell<bool> = const { Cell::new(false) };
}

/// Waits for frames without the runtime, which must not watch the socket meanwhile: it would wake a thread each time.
#[cfg(target_os = "linux")]
pub struct Arrivals {
    socket: Arc<OwnedFd>,
    is_held: Arc<AtomicBool>,
}

#[cfg(target_os = "linux")]
impl Arrivals {
    /// From when its reader is polled next, frames are read in [`Self::next`] alone. False when it was so already.
    pub fn hold(&self) -> bool {
        !self.is_held.swap(true, Ordering::AcqRel)
    }

    /// The runtime may watch the socket again. False when it did.
    pub fn release(&self) -> bool {
        self.is_held.swap(false, Ordering::AcqRel)
    }

    /// Waits until a frame is there; then `take` polls the reader. False when the time has come.
    pub fn next(&self, until: std::time::Instant, take: impl FnOnce() -> bool) -> bool {
        use nix::poll::{PollFd, PollFlags};

        let left = until.saturating_duration_since(std::time::Instant::now());
        let mut watched = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        if !matches!(nix::poll::ppoll(&mut watched, Some(left.into()), None), Ok(1..)) {
            return false;
        }
        TAKING.set(true);
        let is_taken = take();
        TAKING.set(false);
        is_taken
    }
}

pub struct Output(Source);

impl Output {
    /// With a pipe of `capacity` bytes, where the system allows it; and the child's end.
    pub fn new(capacity: Option<usize>) -> io::Result<(Self, PipeWriter)> {
        let (read, write) = io::pipe()?;
        let read = OwnedFd::from(read);
        #[cfg(target_os = "linux")]
        if let Some(size) = capacity.and_then(|size| i32::try_from(size).ok()) {
            // Fewer switches between a cell that prints much and its reader. Refused when the user has too many pipes.
            let _ = nix::fcntl::fcntl(&read, nix::fcntl::FcntlArg::F_SETPIPE_SZ(size));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = capacity;
        nix::fcntl::fcntl(&read, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))
            .map_err(io::Error::from)?;
        Ok((Self(Source::new(Arc::new(read))?), write))
    }

    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        poll_fn(|context| self.0.poll_read(context, buffer)).await
    }

    /// Reads what the pipe held at this moment, and not what comes after it.
    pub fn drain(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; available(&self.0)];
        let mut filled = 0;
        while filled < bytes.len() {
            match read_now(&self.0, &mut bytes[filled..]) {
                Some(count @ 1..) => filled += count,
                Some(0) | None => break,
            }
        }
        bytes.truncate(filled);
        bytes
    }
}

/// A non-blocking descriptor to read from. Watched for reading only: a socket watched for both would wake its reader each
/// time that the child takes something.
struct Source(AsyncFd<Arc<OwnedFd>>);

impl Source {
    fn new(descriptor: Arc<OwnedFd>) -> io::Result<Self> {
        watch(descriptor, Interest::READABLE).map(Self)
    }

    /// Reads when there is something; 0 is the end.
    fn poll_read(&self, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<usize> {
        loop {
            // Fails only when the runtime ends; then nobody waits for what is read.
            let Ok(mut ready) = ready!(self.0.poll_read_ready(context)) else { return Poll::Pending };
            let read = read_now(self.0.get_ref(), buffer);
            if read.is_none_or(|count| 0 < count && count < buffer.len()) {
                ready.clear_ready_matching(Ready::READABLE);
            }
            if let Some(count) = read {
                return Poll::Ready(count);
            }
        }
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
fn available(descriptor: &impl AsFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the descriptor is open; FIONREAD writes one int to `count`.
    let outcome = unsafe { libc::ioctl(descriptor.as_fd().as_raw_fd(), libc::FIONREAD, &raw mut count) };
    if outcome == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }
}

/// Reads without waiting and without asking the runtime, whose knowledge may be behind. `None`: nothing there; 0: the end.
fn read_now(descriptor: &impl AsFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match nix::unistd::read(descriptor, buffer) {
            Ok(count) => return Some(count),
            Err(nix::errno::Errno::EINTR) => {}
            Err(nix::errno::Errno::EAGAIN) => return None,
            Err(_) => return Some(0),
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
