//! What to start, and what was started: the same on every system.

use std::ffi::OsString;
use std::path::PathBuf;

use tokio::sync::watch;

use super::{Exit, Group};

/// What to start.
#[derive(Debug)]
pub struct Spawn {
    pub program: PathBuf,
    /// Without the program's own name.
    pub arguments: Vec<OsString>,
    /// The whole environment, nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    pub directory: PathBuf,
    /// The tag of the kernel it belongs to, also put in its environment.
    pub kernel_id: String,
}

/// A started child. Dropping it does not end it; its [`Group`] does.
#[derive(Debug)]
pub struct Child {
    pub pid: u32,
    pub group: Group,
    pub(super) exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// Resolves when the child has ended and what was left of its group has been killed. May be awaited many times.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static {
        let mut exit = self.exit.clone();
        async move { exit.wait_for(Option::is_some).await.map_or_else(|_| Exit::default(), |exit| exit.unwrap_or_default()) }
    }
}
