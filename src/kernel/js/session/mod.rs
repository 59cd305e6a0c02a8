//! What one worker and Rust know together. The worker's native functions call in from its thread, the driver from any.

mod ends;
mod output;
mod processes;
mod stopping;
mod tools;
mod variables;
mod workers;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use tokio::sync::{oneshot, watch};

use super::background::BackgroundBuffer;
use super::children::Children;
use super::interrupt::Interrupt;
use super::output_pipe::OutputPipe;
use super::plan::Plans;
use super::port::{Command, WorkerPort, WorkerStarter};
use super::start::{JsConfig, JsLimits};
use super::unblock;
use crate::kernel::{Outcome, RunEnd, RunId, RunObserver, RunRequest};
use crate::prelude::HelperContext;
use tools::PendingTool;
pub(super) use variables::variables_from;
pub(super) use workers::announce;
pub use workers::{claim, live_sessions, reported_exit};

fn locked<Value>(mutex: &Mutex<Value>) -> MutexGuard<'_, Value> {
    // Every change under these locks is whole in itself; a panic elsewhere must not take the session along.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of one worker. What happens to it is told by the modules here, one for each concern.
pub struct Session {
    worker: u64,
    pub(super) kernel_id: String,
    pub(super) directory: String,
    pub(super) node_version: String,
    limits: JsLimits,
    pub(super) started_at: SystemTime,
    helpers: HelperContext,
    starter: Arc<dyn WorkerStarter>,
    runtime: tokio::runtime::Handle,
    interrupt: Arc<Interrupt>,
    interruptible: AtomicBool,
    port: OnceLock<Arc<dyn WorkerPort>>,
    current: Mutex<Option<Current>>,
    plans: Mutex<Plans>,
    background: BackgroundBuffer,
    variables: Mutex<HashMap<u64, oneshot::Sender<String>>>,
    next_request: AtomicU64,
    /// The operating system's number of the worker's thread; 0 before it registered.
    thread: AtomicU32,
    /// Set once: nothing this worker says is heard any more.
    dead: AtomicBool,
    ended: watch::Sender<Option<String>>,
    /// The thread's environment has been taken down.
    exited: watch::Sender<bool>,
    unblock: unblock::Unblock,
    children: Children,
    /// Whether anything of this kernel may run outside of the worker.
    has_children: AtomicBool,
    pipe: Mutex<Option<OutputPipe>>,
    /// Whether there is a pipe at all: most cells never need one.
    has_pipe: AtomicBool,
}

struct Current {
    run: RunId,
    observer: Arc<dyn RunObserver>,
    end: oneshot::Sender<RunEnd>,
    pending_tools: BTreeMap<u64, PendingTool>,
    stopping: bool,
    /// Its thread has come back to its event loop and cleans up after it.
    abandoned: bool,
}

impl Session {
    pub(super) fn new(
        config: &JsConfig,
        starter: Arc<dyn WorkerStarter>,
        runtime: tokio::runtime::Handle,
    ) -> Arc<Self> {
        Arc::new(Self {
            worker: workers::next_worker(),
            kernel_id: config.kernel_id.clone(),
            directory: config.directory.clone(),
            node_version: config.node_version.clone(),
            limits: config.limits,
            started_at: SystemTime::now(),
            helpers: HelperContext {
                cwd: config.directory.clone().into(),
                session_file: config.prelude.get("sessionFile").and_then(|file| file.as_str()).map(Into::into),
            },
            starter,
            runtime,
            interrupt: Arc::default(),
            interruptible: AtomicBool::new(false),
            port: OnceLock::new(),
            current: Mutex::new(None),
            plans: Mutex::default(),
            background: BackgroundBuffer::default(),
            variables: Mutex::default(),
            next_request: AtomicU64::new(1),
            thread: AtomicU32::new(0),
            dead: AtomicBool::new(false),
            ended: watch::Sender::new(None),
            exited: watch::Sender::new(false),
            unblock: unblock::Unblock::default(),
            children: Children::default(),
            has_children: AtomicBool::new(false),
            pipe: Mutex::new(None),
            has_pipe: AtomicBool::new(false),
        })
    }

    pub fn worker(&self) -> u64 {
        self.worker
    }

    pub fn limits(&self) -> JsLimits {
        self.limits
    }

    /// Answers a prelude helper, on the worker's thread; JSON in, JSON out.
    pub fn helper(&self, op: &str, request: &str) -> String {
        crate::prelude::answer(op, request, &self.helpers)
    }

    pub fn interrupt_handle(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    pub fn directory(&self) -> &str {
        &self.directory
    }

    pub fn kernel_id(&self) -> &str {
        &self.kernel_id
    }

    /// What blocks the thread where no interrupt reaches it.
    pub fn unblock(&self) -> &unblock::Unblock {
        &self.unblock
    }

    pub(super) fn thread_id(&self) -> Option<u32> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|thread| *thread != 0)
    }

    /// The worker's thread can take commands. `platform_names`: what its global object has before any cell.
    pub fn register(&self, port: Arc<dyn WorkerPort>, interruptible: bool, platform_names: Vec<String>) {
        locked(&self.plans).set_platform_names(platform_names);
        self.interruptible.store(interruptible, Ordering::Relaxed);
        self.thread.store(unblock::current_thread(), Ordering::Relaxed);
        let _ = self.port.set(port);
    }

    /// The transform and its memory of names, on the worker's thread.
    pub fn plans<Answer>(&self, use_plans: impl FnOnce(&mut Plans) -> Answer) -> Answer {
        use_plans(&mut locked(&self.plans))
    }

    fn observer(&self, run: RunId) -> Option<Arc<dyn RunObserver>> {
        locked(&self.current).as_ref().filter(|current| current.run == run).map(|current| current.observer.clone())
    }

    fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    fn take_current(&self, run: RunId) -> Option<Current> {
        locked(&self.current).take_if(|current| current.run == run)
    }

    /// Starts a run; what is received is its end.
    pub(super) fn run(&self, request: RunRequest, observer: Arc<dyn RunObserver>) -> oneshot::Receiver<RunEnd> {
        let (end, receiver) = oneshot::channel();
        let run = request.run;
        let dead = || {
            RunEnd::lost(Outcome::KernelExit {
                signal: None,
                code: None,
                reason: self.ended.borrow().clone(),
                output_may_be_incomplete: false,
            })
        };
        if self.is_dead() {
            let _ = end.send(dead());
            return receiver;
        }
        *locked(&self.current) =
            Some(Current { run, observer, end, pending_tools: BTreeMap::new(), stopping: false, abandoned: false });
        let sent = self.port.get().is_some_and(|port| port.send(Command::Run(request)));
        // The kernel may also have died between the check and now, without seeing this run.
        if (!sent || self.is_dead())
            && let Some(current) = self.take_current(run)
        {
            let _ = current.end.send(dead());
        }
        receiver
    }

    pub(super) fn ask_to_exit(&self) -> bool {
        self.port.get().is_some_and(|port| port.send(Command::Exit))
    }

    pub(super) fn has_run(&self) -> bool {
        locked(&self.current).is_some()
    }

    pub(super) fn is_interruptible(&self) -> bool {
        self.interruptible.load(Ordering::Relaxed)
    }
}
