//! A run's own pipe, for what can only be given a descriptor: children that inherit, files opened as `/dev/stdout`.
//!
//! Everything else a cell prints goes straight to Rust; this is read by a thread that lives as long as somebody holds the
//! write end, and by whoever wants to be sure that nothing is left in it ([`OutputPipe::drain`]).

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::sync::{Arc, Mutex, PoisonError, Weak};

    use nix::libc;

    use crate::kernel::RunId;
    use crate::kernel::js::Session;
    use crate::limits::JS_PIPE_READ_BYTES;

    pub struct OutputPipe {
        pub run: RunId,
        write: OwnedFd,
        reader: Arc<Reader>,
    }

    struct Reader {
        run: RunId,
        session: Weak<Session>,
        /// Held while bytes are read and passed on, so that their order is that in the pipe whoever reads.
        source: Mutex<File>,
    }

    impl OutputPipe {
        /// `None` when the process is out of descriptors or threads.
        pub fn open(run: RunId, session: Weak<Session>) -> Option<Self> {
            let (read, write) = std::io::pipe().ok()?;
            let read: OwnedFd = read.into();
            // SAFETY: numbers only, on a descriptor owned here.
            unsafe { libc::fcntl(read.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
            let descriptor = read.as_raw_fd();
            let reader = Arc::new(Reader { run, session, source: Mutex::new(File::from(read)) });
            let on_thread = reader.clone();
            std::thread::Builder::new()
                .name("evalcell-output".into())
                .stack_size(128 * 1024)
                .spawn(move || while wait_readable(descriptor) && on_thread.read_all() {})
                .ok()?;
            Some(Self { run, write: write.into(), reader })
        }

        pub fn descriptor(&self) -> i32 {
            self.write.as_raw_fd()
        }

        /// Passes on what is in the pipe now.
        pub fn drain(&self) {
            self.reader.read_all();
        }
    }

    impl Reader {
        /// False at the end: nobody holds the write end any more.
        fn read_all(&self) -> bool {
            let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
            let mut bytes = vec![0; JS_PIPE_READ_BYTES];
            loop {
                match source.read(&mut bytes) {
                    Ok(0) => return false,
                    Ok(count) => {
                        if let Some(session) = self.session.upgrade() {
                            session.text(self.run, &bytes[..count]);
                        }
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
                }
            }
        }
    }

    fn wait_readable(descriptor: i32) -> bool {
        let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        loop {
            // SAFETY: one valid `pollfd` on our own stack; the descriptor is owned by the reader that this thread holds.
            match unsafe { libc::poll(&raw mut poll, 1, -1) } {
                -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                -1 => return false,
                _ => return true,
            }
        }
    }
}

#[cfg(unix)]
pub use unix::OutputPipe;

/// There are no descriptors to inherit here.
#[cfg(not(unix))]
pub struct OutputPipe {
    pub run: crate::kernel::RunId,
}

#[cfg(not(unix))]
impl OutputPipe {
    pub fn open(_run: crate::kernel::RunId, _session: std::sync::Weak<super::Session>) -> Option<Self> {
        None
    }
    pub fn descriptor(&self) -> i32 {
        -1
    }
    pub fn drain(&self) {}
}
