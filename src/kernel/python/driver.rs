//! [`PythonKernel`]: what the layers above hold.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use super::actor::{Actor, Shared, lock};
use super::config::{PythonConfig, StartError};
use super::frames::{BootAck, ToChild};
use super::lines::Lines;
use super::machine::{Phase, Run};
use super::runtime::SOURCES;
use super::transport::{Arrivals, Linked};
use crate::kernel::inline::{self, Started};
use crate::kernel::linger::Quick;
use crate::kernel::{
    Background, BoxFuture, Driver, KernelFacts, Outcome, Returns, RunEnd, RunId, RunObserver, RunRequest, VariableInfo,
};
use crate::language::Language;
use crate::limits::{
    EXIT_GRACE, IDLE_TASK_GRACE, INTERRUPT_GRACE, INTERRUPT_REPEATS, PYTHON_IMAGE_MAX, PYTHON_TEXT_MAX,
};
use crate::process::{Group, LIFE_DESCRIPTORS, Spawn};

/// A running Python kernel. Dropping the last reference ends it at once, with every process of its group.
pub struct PythonKernel {
    shared: Arc<Shared>,
    runtime: Handle,
    pid: u32,
    ack: BootAck,
    started_at: SystemTime,
    ended: watch::Receiver<Option<String>>,
    /// The tools that the runner knows.
    known_tools: Mutex<Option<(Arc<Vec<String>>, bool)>>,
    requests: AtomicU64,
    actor: Started,
    arrivals: Option<Arrivals>,
    quick: Arc<Quick>,
}

impl PythonKernel {
    /// Starts a kernel and waits until it can run cells. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`StartError`] tells "not started", "ended while starting" and "too slow" apart. Nothing is left running.
    pub async fn start(config: PythonConfig) -> Result<Arc<Self>, StartError> {
        let interpreter = config.interpreter.clone();
        let (actor, arrivals, booted) =
            spawn(&config).map_err(|error| StartError::Spawn { interpreter: interpreter.clone(), error })?;
        let (shared, pid, ended) = (Arc::clone(&actor.shared), actor.child.pid, actor.shared.ended.subscribe());
        let runtime = Handle::current();
        let actor = inline::spawn(&runtime, actor.run());
        let ack = match timeout(config.startup_timeout, booted).await {
            Ok(Ok(ack)) => ack,
            outcome => {
                shared.group.kill();
                let mut gone = ended.clone();
                let _ = gone.wait_for(Option::is_some).await;
                let output = String::from_utf8_lossy(&lock(&shared.background).take()).trim().to_owned();
                return Err(match outcome {
                    Err(_) => StartError::Slow { interpreter, after: config.startup_timeout, output },
                    Ok(_) => {
                        let exit = *lock(&shared.exit);
                        StartError::Exited { interpreter, exit, output }
                    }
                });
            }
        };
        Ok(Arc::new(Self {
            shared,
            runtime,
            pid,
            ack,
            started_at: SystemTime::now(),
            ended,
            known_tools: Mutex::default(),
            requests: AtomicU64::new(1),
            actor,
            arrivals,
            quick: Arc::default(),
        }))
    }

    /// Sends a run and takes what the runner says about it, until it has ended or the time has come.
    fn send_and_wait(&self, run: RunId, line: Vec<u8>, arrivals: &Arrivals, until: Instant) {
        if arrivals.hold() {
            self.actor.poll();
        }
        self.shared.sender.send(line);
        while arrivals.next(until, || self.actor.poll()) {
            let mut phase = lock(&self.shared.phase);
            let is_quiet = matches!(*phase, Phase::Idle { quiet: true });
            match phase.current_is(run) {
                Some(current) if current.pending.is_empty() => {}
                // The host can answer only when this thread is back in its event loop.
                Some(_) => break,
                // Nobody will say anything before the next run.
                None if is_quiet => return,
                None => break,
            }
        }
        self.listen();
    }

    /// Has the runtime watch for frames, if it does not.
    fn listen(&self) {
        if self.arrivals.as_ref().is_some_and(Arrivals::release) {
            self.actor.poll();
        }
    }

    fn end(&self, why: &'static str) {
        lock(&self.shared.asked_to_end).get_or_insert(why);
        self.shared.group.kill();
    }
}

/// From 3.13 on `python3 -c` imports before the first line of ours, and would take that from the session's directory.
/// Older ones ignore the variable; the runner takes it out again.
fn environment(config: &PythonConfig) -> Vec<(OsString, OsString)> {
    let mut environment = config.env.clone();
    if !environment.iter().any(|(name, _)| name == "PYTHONSAFEPATH") {
        environment.push(("PYTHONSAFEPATH".into(), "evalcell".into()));
    }
    environment
}

fn spawn(config: &PythonConfig) -> std::io::Result<(Actor, Option<Arrivals>, oneshot::Receiver<BootAck>)> {
    let Linked { child, life, reader, sender, output, arrivals } = config.transport.start(Spawn {
        program: config.interpreter.clone(),
        arguments: Vec::new(),
        environment: environment(config),
        directory: config.cwd.clone(),
        kernel_id: config.kernel_id.clone(),
    })?;
    let cwd = config.cwd.to_string_lossy();
    sender.send(
        ToChild::Boot {
            sources: BTreeMap::from_iter(SOURCES.iter().copied()),
            cwd: &cwd,
            limits: config.limits,
            max_text: PYTHON_TEXT_MAX,
            max_image: PYTHON_IMAGE_MAX,
            close_on_exec: LIFE_DESCRIPTORS.to_vec(),
        }
        .line(),
    );
    let shared = Arc::new(Shared {
        kernel_id: config.kernel_id.clone(),
        session_file: config.session_file.clone(),
        sender,
        group: child.group.clone(),
        phase: Mutex::new(Phase::Starting),
        background: Mutex::default(),
        variables: Mutex::default(),
        ended: watch::Sender::new(None),
        asked_to_end: Mutex::default(),
        exit: Mutex::default(),
    });
    let (booted, ack) = oneshot::channel();
    let actor = Actor {
        shared,
        child,
        output,
        reader,
        lines: Lines::default(),
        booted: Some(booted),
        burst: false,
        unowned: Vec::new(),
        dropped: 0,
        life,
    };
    Ok((actor, arrivals, ack))
}

/// Ends all of the group but its leader. Looks through all processes: not on a thread that others wait for.
async fn sweep(group: Group) {
    // The group is held meanwhile: its id stays its own.
    let _ = tokio::task::spawn_blocking(move || group.end_others()).await;
}

impl Driver for PythonKernel {
    fn run(&self, request: RunRequest, observer: Arc<dyn RunObserver>) -> BoxFuture<'static, RunEnd> {
        let started = Instant::now();
        let (run, mut ended) = Run::new(request.run, observer);
        let id = request.run;
        if lock(&self.shared.phase).begin(run) {
            let tools = (Arc::clone(&request.tools), request.open_tools);
            let is_new = {
                let mut known = lock(&self.known_tools);
                let is_new = known.as_ref() != Some(&tools);
                *known = Some(tools);
                is_new
            };
            let frame = ToChild::Run {
                id,
                cell: &request.cell,
                code: &request.code,
                max_value: match request.returns {
                    Returns::Shown => None,
                    Returns::Json { max_bytes } => Some(max_bytes),
                },
                tools: is_new.then_some(&**request.tools),
                open_tools: is_new.then_some(request.open_tools),
            };
            match self.arrivals.as_ref().and_then(|arrivals| Some((arrivals, self.quick.wait_until()?))) {
                Some((arrivals, until)) => self.send_and_wait(id, frame.line(), arrivals, until),
                None => {
                    self.listen();
                    self.shared.sender.send(frame.line());
                }
            }
        }
        let quick = Arc::clone(&self.quick);
        let shared = Arc::clone(&self.shared);
        let waits_for_start = lock(&shared.phase).current_is(id).is_some_and(|run| !run.started);
        Box::pin(async move {
            let in_time = if waits_for_start { timeout(IDLE_TASK_GRACE, &mut ended).await.ok() } else { None };
            let end = match in_time {
                Some(end) => end,
                None => {
                    // A task of an earlier cell keeps the idle kernel busy: it has to give way.
                    if waits_for_start && lock(&shared.phase).current_is(id).is_some_and(|run| !run.started) {
                        shared.interrupt(0);
                    }
                    ended.await
                }
            };
            quick.ended(started);
            // Without an answer the actor is gone, and the kernel with it.
            let end = end.unwrap_or_else(|_| RunEnd::lost(super::machine::unknown_exit()));
            if matches!(end.outcome, Outcome::Stopped) {
                // What it still started while it was being stopped; after this nothing of it is left in the group.
                sweep(shared.group.clone()).await;
            }
            end
        })
    }

    fn interrupt(&self, run: RunId) {
        if !lock(&self.shared.phase).interrupt(run) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        shared.interrupt(run);
        self.runtime.spawn(async move {
            // What the cell has started in its group goes with it; `wait()` and `system()` end by that.
            sweep(shared.group.clone()).await;
            // Again, for code that has swallowed the first, or that was in a call which discards it.
            for wait in INTERRUPT_REPEATS {
                sleep(wait).await;
                if !lock(&shared.phase).is_interrupting(run) {
                    return;
                }
                shared.interrupt(run);
            }
        });
    }

    fn kill(&self) {
        self.end("it was killed");
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        let shared = Arc::clone(&self.shared);
        let mut ended = self.ended.clone();
        Box::pin(async move {
            lock(&shared.asked_to_end).get_or_insert("it was closed");
            let is_idle = matches!(*lock(&shared.phase), Phase::Idle { .. });
            if is_idle {
                shared.sender.send(ToChild::Exit.line());
            } else {
                // It would not read the request before its cell ends.
                shared.group.kill();
            }
            if timeout(EXIT_GRACE, ended.wait_for(Option::is_some)).await.is_err() {
                shared.group.kill();
                let _ = ended.wait_for(Option::is_some).await;
            }
        })
    }

    fn ended(&self) -> BoxFuture<'static, String> {
        let mut ended = self.ended.clone();
        Box::pin(async move {
            let reason = ended.wait_for(Option::is_some).await.map(|reason| reason.clone());
            reason.ok().flatten().unwrap_or_else(|| "it ended".to_owned())
        })
    }

    fn take_background(&self) -> Background {
        Background { text: lock(&self.shared.background).take(), errors: Vec::new() }
    }

    fn variables(&self) -> BoxFuture<'static, Result<Vec<VariableInfo>, String>> {
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        *lock(&self.shared.variables) = Some((id, sender));
        self.listen();
        self.shared.sender.send(ToChild::Variables { id }.line());
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            tokio::pin!(answer);
            let answer = match timeout(IDLE_TASK_GRACE, &mut answer).await {
                Ok(answer) => answer,
                Err(_) => {
                    shared.interrupt(0);
                    timeout(INTERRUPT_GRACE, &mut answer).await.map_err(|_| "The kernel does not answer.".to_owned())?
                }
            };
            answer.map_err(|_| "The kernel has ended.".to_owned())
        })
    }

    fn facts(&self) -> KernelFacts {
        KernelFacts {
            language: Language::Python,
            pid: Some(self.pid),
            thread_id: None,
            executable: Some(self.ack.executable.clone()),
            version: Some(self.ack.version.clone()),
            started_at: self.started_at,
        }
    }
}

impl Drop for PythonKernel {
    fn drop(&mut self) {
        self.shared.group.kill();
    }
}
