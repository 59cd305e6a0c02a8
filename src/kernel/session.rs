//! A session: one kernel per language, one turn at a time, and the truth about what was lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::alarm::Alarm;
use super::stop::StopSignal;
use super::{BoxFuture, Driver, KernelFacts};
use crate::language::Language;
use crate::output::StopCause;
use crate::process;

/// What makes two tools share a session's kernels.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct SessionKey {
    /// The JavaScript environment (thread) of the host.
    pub environment: u64,
    pub session: String,
    pub directory: std::path::PathBuf,
    pub interpreter: Option<std::path::PathBuf>,
}

/// Why a kernel did not start.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StartFailure {
    /// A sentence: what was tried, how it ended, its stderr.
    pub message: String,
    /// It died before it answered: worth one more try. Else trying again cannot help.
    pub died_at_boot: bool,
}

/// Starts a kernel for a session; knows the options of the call that runs.
pub trait Starter: Send + Sync {
    fn start(&self, language: Language, kernel_id: &str) -> BoxFuture<'static, Result<Arc<dyn Driver>, StartFailure>>;
}

/// One language's place in a session.
#[derive(Default)]
struct Slot {
    driver: Option<Arc<dyn Driver>>,
    /// Why the variables of an earlier kernel are gone; told with the next result.
    loss: Option<String>,
    /// Set after a kernel died twice before it answered; cleared by a reset.
    broken: Option<StartFailure>,
    busy: bool,
    executions: u64,
    last_used: Option<(Instant, SystemTime)>,
}

/// A row of `kernels()`.
#[derive(Clone, Debug)]
pub struct KernelRow {
    pub facts: KernelFacts,
    pub busy: bool,
    pub executions: u64,
    pub last_used: SystemTime,
}

pub struct Session {
    pub key: SessionKey,
    /// First come, first served: one call runs at a time.
    pub turn: tokio::sync::Mutex<()>,
    /// For the deadline of the cell that has the turn.
    pub alarm: Arc<Alarm>,
    python: Mutex<Slot>,
    js: Mutex<Slot>,
    owners: Mutex<BTreeSet<String>>,
    cells: AtomicU64,
    /// The running cell's language and its call's stop, for `interrupt` and `reset`.
    running: Mutex<Option<(Language, StopSignal)>>,
    /// How many tools share this session and are not disposed.
    tools: AtomicUsize,
}

/// Two failed starts running are final until a reset.
const START_ATTEMPTS: usize = 2;

static KERNELS: AtomicU64 = AtomicU64::new(1);

impl Session {
    pub fn new(key: SessionKey) -> Self {
        Self {
            key,
            turn: tokio::sync::Mutex::new(()),
            alarm: Arc::default(),
            python: Mutex::default(),
            js: Mutex::default(),
            owners: Mutex::default(),
            cells: AtomicU64::new(0),
            running: Mutex::default(),
            tools: AtomicUsize::new(0),
        }
    }

    fn slot(&self, language: Language) -> MutexGuard<'_, Slot> {
        let slot = match language {
            Language::Python => &self.python,
            Language::Js => &self.js,
        };
        // Every critical section here is a few plain assignments: a poisoned slot is still a whole one.
        slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the session's next cell, from 1; names it in tracebacks.
    pub fn next_cell(&self) -> u64 {
        self.cells.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn add_owner(&self, owner: &str) {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).insert(owner.to_owned());
    }

    pub fn has_owner(&self, owner: &str) -> bool {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).contains(owner)
    }

    /// A tool joins the session.
    pub fn join(&self) {
        self.tools.fetch_add(1, Ordering::Relaxed);
    }

    /// A tool leaves the session; true for the last one, whose leaving ends the kernels.
    pub fn leave(&self) -> bool {
        self.tools.fetch_sub(1, Ordering::Relaxed) == 1
    }

    pub fn set_running(&self, running: Option<(Language, StopSignal)>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = running;
    }

    /// Asks the running cell to stop, when it is of this language (any, for `None`).
    pub fn stop_running(&self, language: Option<Language>, cause: StopCause) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((running, stop)) = running
            && language.is_none_or(|language| language == running)
        {
            stop.stop(cause);
        }
    }

    /// The language's live kernel, started when there is none. The caller holds the turn.
    pub async fn kernel(
        self: &Arc<Self>,
        language: Language,
        starter: &dyn Starter,
    ) -> Result<Arc<dyn Driver>, StartFailure> {
        {
            let slot = self.slot(language);
            if let Some(driver) = &slot.driver {
                return Ok(Arc::clone(driver));
            }
            if let Some(failure) = &slot.broken {
                return Err(failure.clone());
            }
        }
        let mut attempt = 1;
        loop {
            process::watchdog::start();
            let kernel_id = process::watchdog::kernel_id(KERNELS.fetch_add(1, Ordering::Relaxed));
            match starter.start(language, &kernel_id).await {
                Ok(driver) => {
                    self.install(language, &driver);
                    return Ok(driver);
                }
                Err(failure) if failure.died_at_boot && attempt < START_ATTEMPTS => attempt += 1,
                Err(failure) => {
                    if failure.died_at_boot {
                        self.slot(language).broken = Some(failure.clone());
                    }
                    return Err(failure);
                }
            }
        }
    }

    fn install(self: &Arc<Self>, language: Language, driver: &Arc<dyn Driver>) {
        {
            let mut slot = self.slot(language);
            slot.driver = Some(Arc::clone(driver));
            slot.executions = 0;
            slot.last_used = Some((Instant::now(), SystemTime::now()));
        }
        let session = Arc::downgrade(self);
        let watched = Arc::clone(driver);
        tokio::spawn(async move {
            let how = watched.ended().await;
            if let Some(session) = session.upgrade() {
                session.forget(language, &watched, Some(how));
            }
        });
    }

    /// Takes a kernel that has ended, or must end, out of its place. `loss` is told with the next result.
    pub fn forget(&self, language: Language, driver: &Arc<dyn Driver>, loss: Option<String>) {
        let mut slot = self.slot(language);
        if slot.driver.as_ref().is_some_and(|current| Arc::ptr_eq(current, driver)) {
            slot.driver = None;
            // A kernel that ran nothing had no variables to lose.
            slot.loss = loss.filter(|_| slot.executions > 0);
        }
    }

    /// Ends the language's kernel and waits until its processes are gone. `loss` as in [`Self::forget`].
    pub async fn close(&self, language: Language, loss: Option<String>) {
        let driver = {
            let mut slot = self.slot(language);
            slot.broken = None;
            if slot.driver.is_some() && slot.executions > 0 {
                slot.loss = loss;
            }
            slot.driver.take()
        };
        if let Some(driver) = driver {
            driver.close().await;
        }
    }

    pub async fn close_all(&self) {
        let closing = [Language::Python, Language::Js].map(|language| self.close(language, None));
        let [python, js] = closing;
        tokio::join!(python, js);
    }

    /// Ends every kernel without waiting; for hooks that run while the host ends.
    pub fn kill_all(&self) {
        for language in [Language::Python, Language::Js] {
            let driver = self.slot(language).driver.take();
            if let Some(driver) = driver {
                driver.kill();
            }
        }
    }

    /// What the reader must hear about variables that are gone; told once.
    pub fn take_loss(&self, language: Language) -> Option<String> {
        self.slot(language).loss.take()
    }

    /// What the next reader must hear, set by a run that itself lost the state and said so: nothing more.
    pub fn clear_loss(&self, language: Language) {
        self.slot(language).loss = None;
    }

    pub fn mark_busy(&self, language: Language) {
        let mut slot = self.slot(language);
        slot.busy = true;
        slot.executions += 1;
    }

    pub fn mark_idle(&self, language: Language) {
        let mut slot = self.slot(language);
        slot.busy = false;
        slot.last_used = Some((Instant::now(), SystemTime::now()));
    }

    pub fn current(&self, language: Language) -> Option<Arc<dyn Driver>> {
        self.slot(language).driver.clone()
    }

    /// How long the language's kernel has been idle; `None` when it is busy or there is none.
    pub fn idle_for(&self, language: Language, now: Instant) -> Option<Duration> {
        let slot = self.slot(language);
        if slot.busy || slot.driver.is_none() {
            return None;
        }
        slot.last_used.map(|(at, _)| now.saturating_duration_since(at))
    }

    pub fn rows(&self) -> Vec<KernelRow> {
        let row = |language| {
            let slot = self.slot(language);
            let driver = slot.driver.as_ref()?;
            Some(KernelRow {
                facts: driver.facts(),
                busy: slot.busy,
                executions: slot.executions,
                last_used: slot.last_used.map_or(SystemTime::UNIX_EPOCH, |(_, at)| at),
            })
        };
        [Language::Python, Language::Js].into_iter().filter_map(row).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.kill_all();
    }
}
