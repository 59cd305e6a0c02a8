//! What one worker and Rust know together. The worker's native functions call in from its thread, the driver from any.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::SystemTime;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};

use super::background::BackgroundBuffer;
use super::children::Children;
use super::end::Detail;
use super::interrupt::{Exhausted, Interrupt};
use super::output_pipe::OutputPipe;
use super::plan::Plans;
use super::port::{Command, WorkerPort, WorkerStarter};
use super::start::{JsConfig, JsLimits};
use super::unblock;
use crate::kernel::inline;
use crate::kernel::{
    Background, Display, Outcome, RunEnd, RunId, RunObserver, RunRequest, State, ToolAnswer, ToolCall, VariableInfo,
    WaitingFor,
};
use crate::limits::{JS_INTERRUPT_INTERVAL, JS_INTERRUPT_RETRY};
use crate::prelude::HelperContext;

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

fn locked<Value>(mutex: &Mutex<Value>) -> MutexGuard<'_, Value> {
    // Every change under these locks is whole in itself; a panic elsewhere must not take the session along.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes `session` claimable by its worker's thread.
pub(super) fn announce(session: &Arc<Session>) -> oneshot::Receiver<()> {
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

struct PendingTool {
    name: String,
    /// A thread blocked in `tool.x.sync()` waits here; dropping it wakes the thread.
    blocked: Option<std::sync::mpsc::SyncSender<ToolAnswer>>,
}

impl Session {
    pub(super) fn new(
        config: &JsConfig,
        starter: Arc<dyn WorkerStarter>,
        runtime: tokio::runtime::Handle,
    ) -> Arc<Self> {
        Arc::new(Self {
            worker: NEXT_WORKER.fetch_add(1, Ordering::Relaxed),
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

    // ---- called on the worker's thread -------------------------------------------------------------------------

    /// The worker can take commands. `platform_names`: what its global object has before any cell.
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

    /// Output of `run`, behind what already stands in its pipe.
    pub fn print(&self, run: RunId, bytes: &[u8]) {
        if self.has_pipe.load(Ordering::Relaxed) {
            self.drain_output(run);
        }
        self.text(run, bytes);
    }

    /// Output of `run`; of nobody when that run is not current (any more).
    pub fn text(&self, run: RunId, bytes: &[u8]) {
        match self.observer(run) {
            Some(observer) => observer.text(bytes),
            None if self.is_dead() => {}
            None => self.background.text(bytes),
        }
    }

    /// False when `run` is not current: the caller turns the display into background text.
    pub fn display(&self, run: RunId, display: Display) -> bool {
        if self.has_pipe.load(Ordering::Relaxed) {
            self.drain_output(run);
        }
        self.observer(run).map(|observer| observer.display(display)).is_some()
    }

    pub fn status(&self, run: RunId, event: Box<RawValue>) {
        if let Some(observer) = self.observer(run) {
            observer.status(event);
        }
    }

    /// The write end of `run`'s own pipe; -1 when there is none to be had.
    pub fn output_descriptor(self: &Arc<Self>, run: RunId) -> i32 {
        let mut pipe = locked(&self.pipe);
        if pipe.as_ref().is_none_or(|pipe| pipe.run != run) {
            *pipe = OutputPipe::open(run, Arc::downgrade(self));
            self.has_pipe.store(true, Ordering::Relaxed);
        }
        pipe.as_ref().map_or(-1, OutputPipe::descriptor)
    }

    /// Passes on what stands in `run`'s own pipe.
    pub fn drain_output(&self, run: RunId) {
        if let Some(pipe) = locked(&self.pipe).as_ref().filter(|pipe| pipe.run == run) {
            pipe.drain();
        }
    }

    pub fn child_started(&self, pid: i32) {
        self.has_children.store(true, Ordering::Relaxed);
        self.children.started(pid);
    }

    /// True when others of the child's group live on.
    pub fn child_ended(&self, pid: i32) -> bool {
        self.children.ended(pid)
    }

    pub fn kill_child(&self, pid: i32) {
        self.children.kill(&self.kernel_id, pid);
    }

    /// The thread is about to wait for a child process, or has come back from it.
    pub fn synchronous_child(&self, waiting: bool) {
        if waiting {
            self.has_children.store(true, Ordering::Relaxed);
        }
        self.unblock.set_synchronous_child(waiting);
    }

    /// Ends everything that this kernel ever started. Blocks for the look through `/proc`.
    pub(super) fn end_processes(&self) {
        if self.has_children.load(Ordering::Relaxed) {
            self.children.kill_all();
            if *self.exited.borrow() {
                self.children.reap();
            }
            crate::process::kill_tagged(&self.kernel_id);
        }
    }

    /// An error that surfaced after its cell, as a sentence that names the cell.
    pub fn stray_error(&self, sentence: String) {
        if !self.is_dead() {
            self.background.error(sentence);
        }
    }

    /// Passes a tool call upward. False when `run` is not current: nobody will answer.
    pub fn tool_call(self: &Arc<Self>, run: RunId, call: u64, name: String, args: String) -> bool {
        self.dispatch_tool(run, call, name, args, None)
    }

    /// The same, and blocks the calling thread until the answer; `None` when the run was stopped.
    pub fn tool_call_blocking(
        self: &Arc<Self>,
        run: RunId,
        call: u64,
        name: String,
        args: String,
    ) -> Option<ToolAnswer> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        if !self.dispatch_tool(run, call, name, args, Some(sender)) {
            return None;
        }
        receiver.recv().ok()
    }

    fn dispatch_tool(
        self: &Arc<Self>,
        run: RunId,
        call: u64,
        name: String,
        args: String,
        blocked: Option<std::sync::mpsc::SyncSender<ToolAnswer>>,
    ) -> bool {
        let observer = {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run && !current.stopping) else {
                return false;
            };
            current.pending_tools.insert(call, PendingTool { name: name.clone(), blocked });
            current.observer.clone()
        };
        let session = Arc::downgrade(self);
        let reply = Box::new(move |answer: ToolAnswer| {
            if let Some(session) = session.upgrade() {
                session.answer(run, call, answer);
            }
        });
        observer.tool_call(ToolCall { id: call, name, args, reply });
        true
    }

    /// The thread has come back to its event loop after a stop of `run`, before any JavaScript. Returns whether an interrupt
    /// was what brought it there.
    pub fn abandon(&self, run: RunId) -> bool {
        self.interrupt.withdraw();
        if let Some(current) = locked(&self.current).as_mut().filter(|current| current.run == run) {
            current.abandoned = true;
        }
        self.was_hit(run)
    }

    /// Whether an interrupt has terminated code of `run`: then only its `Abandon` may end it.
    pub fn was_hit(&self, run: RunId) -> bool {
        self.interrupt.has_hit(run)
    }

    /// The run ended as its own code says; `by_stop` when that is how its stop, or its `process.exit`, ended. Ignored for
    /// another run, and when an interrupt has already taken this one.
    pub fn done(self: &Arc<Self>, run: RunId, detail: Option<&str>, by_stop: bool) -> bool {
        if self.was_hit(run) && !by_stop {
            return false;
        }
        self.drain_output(run);
        let detail = detail.map(Detail::parse);
        let Some(current) = self.take_current(run) else { return false };
        self.interrupt.finish();
        locked(&self.plans).record(run, detail.as_ref().and_then(Detail::bound_if_failed));
        let pending = current.pending_tools.into_values().map(|pending| pending.name).collect::<Vec<_>>();
        let lost = detail.as_ref().is_some_and(Detail::is_lost);
        let end = match detail {
            None => RunEnd::kept(Outcome::Complete),
            Some(detail) => detail.into_end(pending, self.interrupt.has_hit(run)),
        };
        if lost {
            self.kill("The JavaScript context did not survive the stop and was replaced.");
        }
        // The last thing this thread does about the run: what waits for it may go on right here.
        inline::here(|| {
            let _ = current.end.send(end);
        });
        true
    }

    /// The run ended before its code was compiled.
    pub fn end_early(&self, run: RunId, end: RunEnd) {
        if let Some(current) = self.take_current(run) {
            self.interrupt.finish();
            let _ = current.end.send(end);
        }
    }

    /// A memory is at its limit. On the worker's thread, inside V8: nothing here may run JavaScript.
    pub fn exhausted(self: &Arc<Self>, what: Exhausted) {
        let reason = match what {
            Exhausted::Heap => format!("JavaScript ran out of memory, its heap limit is {} MB", self.limits.heap_mb),
            Exhausted::ArrayBuffers => {
                format!(
                    "JavaScript ran out of memory for array buffers, their limit is {} MB",
                    self.limits.array_buffer_mb
                )
            }
        };
        let outcome = Outcome::KernelExit {
            signal: None,
            code: None,
            reason: Some(reason.clone()),
            output_may_be_incomplete: false,
        };
        self.die(&reason, outcome);
    }

    pub fn variables_answer(&self, request: u64, json: String) {
        if let Some(waiting) = locked(&self.variables).remove(&request) {
            let _ = waiting.send(json);
        }
    }

    /// The worker's environment is being taken down, whoever ended it. On its own thread.
    pub fn environment_gone(self: &Arc<Self>) {
        self.interrupt.void();
        self.exited.send_replace(true);
        self.die(
            "the JavaScript worker ended",
            Outcome::KernelExit {
                signal: None,
                code: None,
                reason: Some("The JavaScript worker ended".into()),
                output_may_be_incomplete: false,
            },
        );
    }

    // ---- called from anywhere ----------------------------------------------------------------------------------

    /// Node reported the worker's exit. The environment's own end has usually come first.
    fn reported_exit(self: &Arc<Self>, code: i32, failure: &str) {
        self.interrupt.set_terminating();
        self.exited.send_replace(true);
        let reason = match failure {
            "" => format!("the JavaScript worker ended with code {code}"),
            failure => format!("the JavaScript worker ended with code {code}: {failure}"),
        };
        let reason_of_run = (!failure.is_empty()).then(|| reason.clone());
        self.die(
            &reason,
            Outcome::KernelExit {
                signal: None,
                code: Some(code),
                reason: reason_of_run,
                output_may_be_incomplete: false,
            },
        );
    }

    fn take_current(&self, run: RunId) -> Option<Current> {
        locked(&self.current).take_if(|current| current.run == run)
    }

    /// Whether `run` still has to be got off its thread.
    fn is_being_stopped(&self, run: RunId) -> bool {
        locked(&self.current).as_ref().is_some_and(|current| current.run == run && !current.abandoned)
    }

    pub(super) fn run(&self, request: RunRequest, observer: Arc<dyn RunObserver>) -> oneshot::Receiver<RunEnd> {
        let (end, receiver) = oneshot::channel();
        let run = request.run;
        let dead = || {
            RunEnd::lost(Outcome::KernelExit {
                signal: None,
                code: None,
                reason: locked_reason(&self.ended),
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

    fn answer(&self, run: RunId, call: u64, answer: ToolAnswer) {
        let pending = {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run) else { return };
            current.pending_tools.remove(&call)
        };
        match pending {
            None => {}
            Some(PendingTool { blocked: Some(blocked), .. }) => drop(blocked.try_send(answer)),
            Some(PendingTool { blocked: None, .. }) => {
                if let Some(port) = self.port.get() {
                    port.send(Command::Reply { run, call, answer });
                }
            }
        }
    }

    /// Asks `run` to stop: see the module documentation of [`super::interrupt`].
    pub(super) fn stop(self: &Arc<Self>, run: RunId) {
        {
            let mut current = locked(&self.current);
            let Some(current) = current.as_mut().filter(|current| current.run == run) else { return };
            if std::mem::replace(&mut current.stopping, true) {
                return;
            }
        }
        self.interrupt.request(run);
        if let Some(port) = self.port.get() {
            port.send(Command::Abandon(run));
        }
        // After the request: the thread that wakes from these must find the interrupt waiting for it.
        if let Some(current) = locked(&self.current).as_mut().filter(|current| current.run == run) {
            for pending in current.pending_tools.values_mut() {
                pending.blocked = None;
            }
        }
        if self.unblock.in_synchronous_child() {
            let session = self.clone();
            self.runtime.spawn_blocking(move || session.unblock.kill_synchronous_child(session.thread_id()));
        }
        let session = Arc::downgrade(self);
        self.runtime.spawn(async move {
            // Bounded by the grace of whoever asked: it kills the kernel, and then the run is not current any more.
            let interrupt = match session.upgrade() {
                Some(session) => session.interrupt.clone(),
                None => return,
            };
            loop {
                tokio::select! {
                    () = tokio::time::sleep(JS_INTERRUPT_INTERVAL) => {}
                    () = interrupt.deferred() => tokio::time::sleep(JS_INTERRUPT_RETRY).await,
                }
                let Some(session) = session.upgrade().filter(|session| session.is_being_stopped(run)) else { return };
                if session.interrupt.is_in_flight() {
                    session.unblock.wake(session.thread_id());
                } else {
                    // Another callback has taken the thread after the first one was stopped.
                    session.interrupt.request(run);
                }
            }
        });
    }

    /// Ends the worker; a current run resolves as lost. Never waits for the thread, which may be stuck for ever.
    pub(super) fn kill(self: &Arc<Self>, reason: &str) {
        self.die(reason, Outcome::Stopped);
    }

    fn die(self: &Arc<Self>, reason: &str, outcome: Outcome) {
        if self.dead.swap(true, Ordering::SeqCst) {
            return;
        }
        self.interrupt.set_terminating();
        if !*self.exited.borrow() {
            self.starter.terminate(self.worker);
        }
        self.ended.send_replace(Some(reason.to_string()));
        locked(&self.variables).clear();
        self.children.kill_all();
        *locked(&self.pipe) = None;
        self.has_pipe.store(false, Ordering::Relaxed);
        if self.has_children.load(Ordering::Relaxed) {
            let session = self.clone();
            self.runtime.spawn_blocking(move || {
                session.unblock.kill_synchronous_child(session.thread_id());
                session.end_processes();
            });
        }
        if let Some(current) = locked(&self.current).take() {
            let stopped = current.stopping;
            let mut end = RunEnd::lost(if stopped { Outcome::Stopped } else { outcome });
            end.state = State::Lost;
            end.waiting_for = stopped.then_some(WaitingFor::Code);
            let _ = current.end.send(end);
        }
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

    pub(super) fn take_background(&self) -> Background {
        self.background.take()
    }

    pub(super) async fn ended(&self) -> String {
        let mut ended = self.ended.subscribe();
        // The sender lives in `self`, so this only ends with a reason.
        ended.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone()).unwrap_or_default()
    }

    pub(super) async fn exited(&self) {
        let _ = self.exited.subscribe().wait_for(|exited| *exited).await;
    }

    pub(super) fn ask_variables(&self) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        let request = self.next_request.fetch_add(1, Ordering::Relaxed);
        locked(&self.variables).insert(request, sender);
        if self.is_dead() || !self.port.get().is_some_and(|port| port.send(Command::Variables { request })) {
            locked(&self.variables).remove(&request);
        }
        receiver
    }
}

fn locked_reason(ended: &watch::Sender<Option<String>>) -> Option<String> {
    ended.borrow().clone()
}

/// A row of the runtime's answer to [`Command::Variables`], rebuilt field by field.
pub(super) fn variables_from(json: &str) -> Result<Vec<VariableInfo>, String> {
    #[derive(serde::Deserialize)]
    struct Row {
        name: String,
        r#type: String,
        repr: String,
        size: Option<u64>,
    }
    let rows: Vec<Row> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(rows
        .into_iter()
        .map(|row| VariableInfo { name: row.name, type_name: row.r#type, repr: row.repr, size: row.size })
        .collect())
}
