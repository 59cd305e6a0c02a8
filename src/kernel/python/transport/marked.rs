//! Output through a plain pipe that a thread reads, for systems where a pipe can neither be polled nor asked how full it is.
//!
//! What stands before a certain moment is found with a mark: the host keeps a writing end of the pipe too, writes a
//! secret there, and what the thread reads before that secret was written before it. The child cannot read the pipe, so
//! no cell can know a mark.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::limits::{PYTHON_PIPE_BYTES, PYTHON_READ_BYTES};

pub struct Output {
    shared: Arc<Shared>,
    writer: PipeWriter,
    mark: Vec<u8>,
    /// A piece of which a part has been read.
    rest: Vec<u8>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// For the thread and for [`Output::drain`].
    changed: Condvar,
    /// For [`Output::read`].
    arrived: Notify,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Marks written, and marks read.
    written: u64,
    read: u64,
    /// Somebody waits for a mark: what comes before it is taken without regard to how much it is.
    draining: bool,
    /// The pipe has ended.
    ended: bool,
    /// Nobody reads any more.
    closed: bool,
}

impl Output {
    pub fn new() -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let ours = writer.try_clone()?;
        let shared = Arc::new(Shared::default());
        let mark = super::named::secret().into_bytes();
        let (pumped, searched) = (Arc::clone(&shared), mark.clone());
        std::thread::Builder::new()
            .name("evalcell-output".into())
            .stack_size(64 * 1024)
            .spawn(move || pumped.pump(reader, &searched))?;
        Ok((Self { shared, writer: ours, mark, rest: Vec::new() }, writer))
    }

    /// Waits for output. 0 is the end, which comes only after the writers that the host does not know have gone too.
    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        while self.rest.is_empty() {
            let arrived = self.shared.arrived.notified();
            {
                let mut state = self.shared.lock();
                if let Some(piece) = state.take() {
                    self.rest = piece;
                    self.shared.changed.notify_all();
                    break;
                }
                if state.ended {
                    return 0;
                }
            }
            arrived.await;
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        count
    }

    pub fn drain(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.rest);
        let wanted = {
            let mut state = self.shared.lock();
            state.written += 1;
            state.draining = true;
            self.shared.changed.notify_all();
            state.written
        };
        // Waits at most until the thread, which nothing holds up now, has read what the pipe holds.
        let is_marked = self.writer.write_all(&self.mark).is_ok();
        let mut state = self.shared.lock();
        while is_marked && state.read < wanted && !state.ended {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        while let Some(piece) = state.take() {
            bytes.extend(piece);
        }
        state.draining = false;
        bytes
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // Processes that outlive the child may hold the pipe: this wakes the thread, which then ends.
        let _ = self.writer.write_all(&self.mark);
    }
}

impl State {
    fn take(&mut self) -> Option<Vec<u8>> {
        let piece = self.pieces.pop_front()?;
        self.bytes -= piece.len();
        Some(piece)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole even when a panic follows it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pump(&self, mut pipe: PipeReader, mark: &[u8]) {
        let mut buffer = vec![0; PYTHON_READ_BYTES];
        let mut unsure = Vec::new();
        loop {
            match pipe.read(&mut buffer) {
                Ok(count @ 1..) => {
                    unsure.extend_from_slice(&buffer[..count]);
                    if !self.hand_over(&mut unsure, mark) {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
            }
        }
        let mut state = self.lock();
        state.push(unsure);
        state.ended = true;
        self.changed.notify_all();
        self.arrived.notify_one();
    }

    /// Hands over what is output for certain; what may be the start of a mark stays. False: nobody wants it.
    fn hand_over(&self, bytes: &mut Vec<u8>, mark: &[u8]) -> bool {
        let mut state = self.lock();
        while state.read < state.written {
            let Some(at) = bytes.windows(mark.len()).position(|window| window == mark) else { break };
            state.push(bytes[..at].to_vec());
            bytes.drain(..at + mark.len());
            state.read += 1;
        }
        let kept = if state.read < state.written { started(bytes, mark) } else { 0 };
        let rest = bytes.split_off(bytes.len() - kept);
        state.push(std::mem::replace(bytes, rest));
        self.changed.notify_all();
        self.arrived.notify_one();
        while state.bytes >= PYTHON_PIPE_BYTES && !state.draining && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.closed
    }
}

impl State {
    fn push(&mut self, piece: Vec<u8>) {
        if !piece.is_empty() {
            self.bytes += piece.len();
            self.pieces.push_back(piece);
        }
    }
}

/// How many bytes at the end of `bytes` are the start of `mark`.
fn started(bytes: &[u8], mark: &[u8]) -> usize {
    (1..mark.len()).rev().find(|length| bytes.ends_with(&mark[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_gives_exactly_what_was_written_before_it() {
        let (mut output, mut writer) = Output::new().expect("a pipe");
        assert_eq!(output.drain(), b"");
        for round in 0..200_usize {
            let before = vec![b'a'; round * 37 % 5000];
            writer.write_all(&before).expect("written");
            assert_eq!(output.drain(), before, "round {round}");
        }
    }

    #[test]
    fn more_than_the_pipe_and_the_bound_hold_is_drained_while_somebody_goes_on_writing() {
        let (mut output, mut writer) = Output::new().expect("a pipe");
        let total = 8 * PYTHON_PIPE_BYTES;
        let writing = std::thread::spawn(move || {
            for _ in 0..total / 4096 {
                writer.write_all(&[b'x'; 4096]).expect("written");
            }
        });
        let mut read = 0;
        while read < total {
            let piece = output.drain();
            assert!(piece.iter().all(|byte| *byte == b'x'));
            read += piece.len();
        }
        writing.join().expect("written");
        assert_eq!((read, output.drain().len()), (total, 0));
    }

    #[tokio::test]
    async fn a_reader_gets_it_all_and_the_end() {
        let (mut output, mut writer) = Output::new().expect("a pipe");
        let writing = std::thread::spawn(move || writer.write_all(&vec![b'y'; 3 * PYTHON_PIPE_BYTES]));
        let mut buffer = vec![0; 1000];
        let mut read = 0;
        while read < 3 * PYTHON_PIPE_BYTES {
            read += output.read(&mut buffer).await;
        }
        writing.join().expect("no panic").expect("written");
        assert_eq!(read, 3 * PYTHON_PIPE_BYTES);
    }

    #[test]
    fn the_start_of_a_mark_is_found_at_the_end_alone() {
        assert_eq!(started(b"..abc", b"abcd"), 3);
        assert_eq!(started(b"..abab", b"abc"), 2);
        assert_eq!(started(b"abcx", b"abcd"), 0);
        assert_eq!(started(b"", b"abcd"), 0);
    }
}
