//! A local socket (a named pipe on Windows): the child connects twice, once for each direction, because a Windows pipe
//! that is being read from cannot be written to from another thread. Each connection says a token first.

use std::fmt::Write as _;
use std::future::pending;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::tokio::Listener as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Linked, marked};
use crate::limits::{PYTHON_INTRODUCTION, PYTHON_LAST_FRAMES};
use crate::process::Spawn;

/// Name and token of the socket, apart by a blank; the runner takes it out of the environment.
const VARIABLE: &str = "EVALCELL_SOCKET";

pub fn start(mut spawn: Spawn) -> io::Result<Linked> {
    let place = Place::new()?;
    let name = place.name.as_str().to_fs_name::<GenericFilePath>()?;
    let listener = ListenerOptions::new().name(name).create_tokio()?;
    let token = secret();
    spawn.environment.push((VARIABLE.into(), format!("{token} {}", place.name).into()));
    let (output, child_output) = marked::Output::new()?;
    let (child, life) = spawn.start_tied(&child_output)?;
    let (to_reader, from_child) = oneshot::channel();
    let (to_sender, to_child) = oneshot::channel();
    tokio::spawn(async move {
        if let Err(error) = accept(&listener, &token, to_reader, to_sender).await {
            tracing::warn!(target: "evalcell::python", %error, "the local socket failed");
        }
        drop((listener, place));
    });
    let (lines, queue) = mpsc::unbounded_channel();
    tokio::spawn(send(to_child, queue));
    Ok(Linked {
        arrivals: None,
        child,
        life,
        reader: super::Reader::Named(Reader { coming: Some(from_child), stream: None }),
        sender: super::Sender::Named(Sender(lines)),
        output: super::Output::Named(output),
    })
}

/// Where the socket is. On Unix a folder that is ours alone, and that goes with this.
struct Place {
    name: String,
    #[cfg(unix)]
    folder: std::path::PathBuf,
}

impl Place {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("evalcell-{}", &secret()[..16]));
        std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700).create(&folder)?;
        Ok(Self { name: folder.join("kernel").to_string_lossy().into_owned(), folder })
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self { name: format!(r"\\.\pipe\evalcell-{}", secret()) })
    }
}

#[cfg(unix)]
impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What nobody can guess: 256 bits as text, from the keys that the standard library draws from the system.
pub fn secret() -> String {
    let mut text = String::new();
    for part in 0..4_u8 {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u8(part);
        let _ = write!(text, "{:016x}", hasher.finish());
    }
    text
}

/// Takes connections until both directions have come, or until nobody waits for them any more.
async fn accept(
    listener: &Listener,
    token: &str,
    mut to_reader: oneshot::Sender<Stream>,
    to_sender: oneshot::Sender<Stream>,
) -> io::Result<()> {
    // Each introduces itself apart from the others: a stranger who says nothing must not keep the child waiting.
    let mut introductions = JoinSet::new();
    let (mut from_child, mut to_child) = (None, None);
    while from_child.is_none() || to_child.is_none() {
        tokio::select! {
            stream = listener.accept() => {
                introductions.spawn(timeout(PYTHON_INTRODUCTION, introduce(stream?, token.to_owned())));
            }
            Some(introduction) = introductions.join_next() => match introduction {
                Ok(Ok(Some((stream, Direction::FromChild)))) => from_child = Some(stream),
                Ok(Ok(Some((stream, Direction::ToChild)))) => to_child = Some(stream),
                _ => tracing::warn!(target: "evalcell::python", "a stranger at the local socket"),
            },
            () = to_reader.closed() => return Ok(()),
        }
    }
    let _ = from_child.map(|stream| to_reader.send(stream));
    let _ = to_child.map(|stream| to_sender.send(stream));
    Ok(())
}

enum Direction {
    FromChild,
    ToChild,
}

/// Reads the first line, which is `<token> send` or `<token> recv`: what the child does there. `None` for a stranger.
async fn introduce(mut stream: Stream, token: String) -> Option<(Stream, Direction)> {
    let mut line = vec![0; token.len() + 6];
    stream.read_exact(&mut line).await.ok()?;
    let (said, direction) = line.split_at(token.len());
    // Without a way to tell from the time it takes how much of a guess was right.
    let difference = said.iter().zip(token.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    match direction {
        b" send\n" if difference == 0 => Some((stream, Direction::FromChild)),
        b" recv\n" if difference == 0 => Some((stream, Direction::ToChild)),
        _ => None,
    }
}

pub struct Reader {
    coming: Option<oneshot::Receiver<Stream>>,
    stream: Option<Stream>,
}

impl Reader {
    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        if let Some(coming) = &mut self.coming {
            let came = coming.await;
            self.coming = None;
            self.stream = came.ok();
        }
        match &mut self.stream {
            // A connection that broke is an end like another.
            Some(stream) => stream.read(buffer).await.unwrap_or(0),
            // Nobody connects any more: the child's exit or the start's budget ends this.
            None => pending().await,
        }
    }

    /// The runtime may not know yet what has arrived, and another process may hold the connection: a bounded wait.
    pub async fn read_left(&mut self, buffer: &mut [u8]) -> Option<usize> {
        timeout(PYTHON_LAST_FRAMES, self.read(buffer)).await.ok()
    }
}

#[derive(Clone, Debug)]
pub struct Sender(mpsc::UnboundedSender<Vec<u8>>);

impl Sender {
    pub fn send(&self, line: Vec<u8>) {
        // When the child is gone its end is noticed elsewhere.
        let _ = self.0.send(line);
    }
}

async fn send(to_child: oneshot::Receiver<Stream>, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    let Ok(mut stream) = to_child.await else { return };
    while let Some(line) = queue.recv().await {
        if stream.write_all(&line).await.is_err() {
            return;
        }
    }
}
