//! How frames and raw output travel between the host and a child: one seam, two ways.
//!
//! - [`Transport::Inherited`] (Unix): frames on descriptor 3, one end of a socket pair; output on a pipe that says how full it is.
//! - [`Transport::Named`] (everywhere, and the only one on Windows, where descriptors beyond 2 are not inherited): frames
//!   on two connections to a local socket, whose name and token the child gets in its environment; output on a plain
//!   pipe that a thread reads.

#[cfg(unix)]
mod inherited;
mod marked;
mod named;

use std::io;

#[cfg(target_os = "linux")]
pub use inherited::Arrivals;

use super::runtime::{BOOTSTRAP, CONNECT};
use crate::process::{Child, LifeLine, Spawn};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Transport {
    #[cfg(unix)]
    Inherited,
    Named,
}

impl Default for Transport {
    fn default() -> Self {
        #[cfg(unix)]
        return Self::Inherited;
        #[cfg(not(unix))]
        return Self::Named;
    }
}

/// A started child and the host's ends of what connects them.
pub struct Linked {
    pub child: Child,
    pub life: LifeLine,
    pub reader: Reader,
    pub sender: Sender,
    pub output: Output,
    pub arrivals: Option<Arrivals>,
}

impl Transport {
    /// Starts `program` with the runner's first lines. Needs a tokio runtime.
    ///
    /// # Errors
    /// What the system says: not found, not executable, out of descriptors.
    pub fn start(self, spawn: Spawn) -> io::Result<Linked> {
        match self {
            #[cfg(unix)]
            Self::Inherited => inherited::start(Spawn { arguments: vec!["-c".into(), BOOTSTRAP.into()], ..spawn }),
            Self::Named => {
                let script = format!("{CONNECT}\n{BOOTSTRAP}");
                named::start(Spawn { arguments: vec!["-c".into(), script.into()], ..spawn })
            }
        }
    }
}

/// Where the child's frames come from.
pub enum Reader {
    #[cfg(unix)]
    Inherited(inherited::Reader),
    Named(named::Reader),
}

impl Reader {
    /// Reads what there is, waiting for some; 0 is the end. Nothing is lost when the future is dropped.
    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self {
            #[cfg(unix)]
            Self::Inherited(reader) => reader.read(buffer).await,
            Self::Named(reader) => reader.read(buffer).await,
        }
    }

    /// What a child that has ended left behind. `None`: nothing more.
    pub async fn read_left(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let count = match self {
            #[cfg(unix)]
            Self::Inherited(reader) => reader.read_now(buffer),
            Self::Named(reader) => reader.read_left(buffer).await,
        };
        count.filter(|count| *count > 0)
    }
}

/// Sends lines without ever making the sender wait.
#[derive(Clone, Debug)]
pub enum Sender {
    #[cfg(unix)]
    Inherited(inherited::Sender),
    Named(named::Sender),
}

impl Sender {
    /// Whether the runner looks at an `interrupt` frame only when a signal tells it to.
    pub fn needs_signal(&self) -> bool {
        match self {
            #[cfg(unix)]
            Self::Inherited(_) => true,
            Self::Named(_) => false,
        }
    }

    pub fn send(&self, line: Vec<u8>) {
        match self {
            #[cfg(unix)]
            Self::Inherited(sender) => sender.send(line),
            Self::Named(sender) => sender.send(line),
        }
    }
}

/// The child's raw output.
pub enum Output {
    #[cfg(unix)]
    Inherited(inherited::Output),
    Named(marked::Output),
}

impl Output {
    /// As [`Reader::read`].
    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self {
            #[cfg(unix)]
            Self::Inherited(output) => output.read(buffer).await,
            Self::Named(output) => output.read(buffer).await,
        }
    }

    /// Everything that was written before this moment and not yet read.
    pub fn drain(&mut self) -> Vec<u8> {
        match self {
            #[cfg(unix)]
            Self::Inherited(output) => output.drain(),
            Self::Named(output) => output.drain(),
        }
    }
}

/// Starts a program that speaks no protocol; its output alone is connected. Needs a tokio runtime.
///
/// # Errors
/// As [`Transport::start`].
pub fn start_plain(spawn: Spawn) -> io::Result<(Child, LifeLine, Output)> {
    #[cfg(unix)]
    let (output, theirs) = inherited::Output::new(None).map(|(output, theirs)| (Output::Inherited(output), theirs))?;
    #[cfg(not(unix))]
    let (output, theirs) = marked::Output::new().map(|(output, theirs)| (Output::Named(output), theirs))?;
    let (child, life) = spawn.start_tied(&theirs)?;
    Ok((child, life, output))
}

/// Only Linux can wait for so short a time that a run may be waited for where it was started.
#[cfg(not(target_os = "linux"))]
pub enum Arrivals {}

#[cfg(not(target_os = "linux"))]
impl Arrivals {
    pub fn hold(&self) -> bool {
        match *self {}
    }

    pub fn release(&self) -> bool {
        match *self {}
    }

    pub fn next(&self, _until: std::time::Instant, _take: impl FnOnce() -> bool) -> bool {
        match *self {}
    }
}
