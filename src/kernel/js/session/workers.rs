//! Which worker belongs to which session: announced before it starts, claimed by its thread, listed while it lives.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::oneshot;

use super::{Session, locked};

/// Numbers of workers in this process, never reused.
static NEXT_WORKER: AtomicU64 = AtomicU64::new(1);
/// Sessions whose worker has been asked for and has not registered yet, by worker.
static ANNOUNCED: Mutex<BTreeMap<u64, Announced>> = Mutex::new(BTreeMap::new());
/// Every session whose worker has not been reported as ended, by worker.
static LIVE: Mutex<BTreeMap<u64, Weak<Session>>> = Mutex::new(BTreeMap::new());

struct Announced {
    session: Weak<Session>,
    registered: oneshot::Sender<()>,
}

/// A number for a new worker.
pub(super) fn next_worker() -> u64 {
    NEXT_WORKER.fetch_add(1, Ordering::Relaxed)
}

/// Makes `session` claimable by its worker's thread.
pub(in crate::kernel::js) fn announce(session: &Arc<Session>) -> oneshot::Receiver<()> {
    let (registered, receiver) = oneshot::channel();
    locked(&LIVE).insert(session.worker, Arc::downgrade(session));
    locked(&ANNOUNCED).insert(session.worker, Announced { session: Arc::downgrade(session), registered });
    receiver
}

/// On a worker's thread: takes the session that this worker was started for, once.
pub fn claim(worker: u64) -> Option<(Arc<Session>, Registration)> {
    let announced = locked(&ANNOUNCED).remove(&worker)?;
    Some((announced.session.upgrade()?, Registration(announced.registered)))
}

/// Node reported, on a host's thread, that a worker has ended. `failure` is the text of the error that ended it, or empty.
pub fn reported_exit(worker: u64, code: i32, failure: &str) {
    let session = locked(&LIVE).remove(&worker);
    if let Some(session) = session.and_then(|session| session.upgrade()) {
        session.reported_exit(code, failure);
    }
}

/// Every live session of this process.
pub fn live_sessions() -> Vec<Arc<Session>> {
    locked(&LIVE).values().filter_map(Weak::upgrade).collect()
}

/// Completed when the worker takes runs.
pub struct Registration(oneshot::Sender<()>);

impl Registration {
    pub fn complete(self) {
        let _ = self.0.send(());
    }
}
