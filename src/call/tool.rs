//! A tool: its options, its session, its calls, and how it ends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::execute;
use super::host::Host;
use crate::error::{ErrorCode, EvalError};
use crate::input::Availability;
use crate::kernel::VariableInfo;
use crate::kernel::registry;
use crate::kernel::session::{KernelRow, Session, SessionKey, Starter};
use crate::kernel::stop::StopSignal;
use crate::language::Language;
use crate::options::Options;
use crate::output::{ArtifactPlan, EvalResult, SessionFolder, StopCause};

pub struct Tool {
    pub options: Arc<Options>,
    pub session: Arc<Session>,
    pub host: Arc<dyn Host>,
    pub starter: Arc<dyn Starter>,
    /// Says whether Python can be had; starts no process.
    python: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Set once Python was found. One that vanishes later fails when it starts, with a reason; one that was missing may
    /// come, so that is asked anew.
    python_found: OnceLock<()>,
    folder: OnceLock<Arc<SessionFolder>>,
    calls: Mutex<BTreeMap<u64, StopSignal>>,
    settled: Notify,
    disposed: AtomicBool,
    left: AtomicBool,
}

static SESSIONS: AtomicU64 = AtomicU64::new(1);

impl Tool {
    /// `environment` is the JavaScript environment the tool lives in.
    pub fn new(
        environment: u64,
        options: Options,
        host: Arc<dyn Host>,
        starter: impl FnOnce(&Arc<Options>) -> Arc<dyn Starter>,
        python: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    ) -> Self {
        let name = match (&options.session_id, &options.session_file) {
            (Some(id), _) => format!("id:{id}"),
            (None, Some(file)) => format!("session:{}:cwd:{}", file.display(), options.cwd.display()),
            (None, None) => format!("own:{}", SESSIONS.fetch_add(1, Ordering::Relaxed)),
        };
        let key = SessionKey {
            environment,
            session: name,
            directory: options.cwd.clone(),
            interpreter: options.interpreter.clone(),
        };
        let session = registry::open(&key);
        session.join();
        if let Some(owner) = &options.owner_id {
            session.add_owner(owner);
        }
        let options = Arc::new(options);
        Self {
            starter: starter(&options),
            options,
            session,
            host,
            python,
            python_found: OnceLock::new(),
            folder: OnceLock::new(),
            calls: Mutex::default(),
            settled: Notify::new(),
            disposed: AtomicBool::new(false),
            left: AtomicBool::new(false),
        }
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<u64, StopSignal>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self) -> Result<(), EvalError> {
        if self.disposed.load(Ordering::Acquire) {
            return Err(EvalError::new(
                ErrorCode::Disposed,
                "This EvalTool was disposed; make a new one to run cells.",
            ));
        }
        Ok(())
    }

    pub fn availability(&self) -> Availability {
        Availability {
            python_enabled: self.options.python_enabled,
            python_available: self.python_available(),
            js_enabled: self.options.js_enabled,
        }
    }

    fn python_available(&self) -> Result<(), String> {
        if self.python_found.get().is_none() {
            (self.python)()?;
            let _ = self.python_found.set(());
        }
        Ok(())
    }

    /// Where hidden output goes.
    pub fn artifact_plan(&self) -> ArtifactPlan {
        if self.options.host_artifacts {
            return ArtifactPlan::HostAllocated;
        }
        match &self.options.artifact_directory {
            Some(directory) => ArtifactPlan::Dir(PathBuf::from(directory)),
            None => ArtifactPlan::SessionTemp(Arc::clone(self.folder.get_or_init(|| Arc::new(SessionFolder::new())))),
        }
    }

    /// Registers a call before it runs, so that an abort always finds it.
    pub fn begin(&self, call: u64) -> StopSignal {
        let stop = StopSignal::default();
        self.calls().insert(call, stop.clone());
        if self.disposed.load(Ordering::Acquire) {
            stop.stop(StopCause::Disposed);
        }
        stop
    }

    /// Runs a call registered with [`Tool::begin`].
    ///
    /// # Errors
    /// See [`execute::execute`]; `EVAL_DISPOSED` after `dispose()`.
    pub async fn execute(
        self: Arc<Self>,
        call: u64,
        stop: StopSignal,
        params: String,
        tools: Vec<String>,
        wants_updates: bool,
    ) -> Result<EvalResult, EvalError> {
        // Settles the call also when this future is dropped because the environment ended.
        let _settle = Settle { tool: Arc::clone(&self), call };
        self.check()?;
        execute::execute(self, call, stop, &params, tools, wants_updates).await
    }

    /// The caller's signal.
    pub fn abort(&self, call: u64) {
        let stop = self.calls().get(&call).cloned();
        if let Some(stop) = stop {
            stop.stop(StopCause::Abort);
        }
    }

    /// Wipes one language, or both; a running cell of it ends as aborted with its state lost.
    ///
    /// # Errors
    /// `EVAL_DISPOSED`.
    pub async fn reset(&self, language: Option<Language>) -> Result<(), EvalError> {
        self.check()?;
        self.session.stop_running(language, StopCause::Reset);
        for wiped in [Language::Python, Language::Js] {
            if language.is_none_or(|language| language == wiped) {
                self.session.close(wiped, Some("the host reset it".to_owned())).await;
            }
        }
        Ok(())
    }

    /// Stops the running cell, keeping state where possible.
    ///
    /// # Errors
    /// `EVAL_DISPOSED`.
    pub fn interrupt(&self, language: Option<Language>) -> Result<(), EvalError> {
        self.check()?;
        self.session.stop_running(language, StopCause::Interrupt);
        Ok(())
    }

    /// The variables of one language, after the running call.
    ///
    /// # Errors
    /// `EVAL_DISPOSED`; a kernel that cannot answer is one without variables.
    pub async fn variables(&self, language: Language) -> Result<Vec<VariableInfo>, EvalError> {
        self.check()?;
        let _turn = self.session.turn.lock().await;
        self.check()?;
        match self.session.current(language) {
            Some(driver) => Ok(driver.variables().await.unwrap_or_default()),
            None => Ok(Vec::new()),
        }
    }

    /// The live kernels, as `kernels()` shows them.
    pub fn kernels(&self) -> Vec<Value> {
        self.session.rows().iter().map(|row| self.kernel(row)).collect()
    }

    fn kernel(&self, row: &KernelRow) -> Value {
        let milliseconds = |time: std::time::SystemTime| {
            time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
        };
        let mut kernel = json!({
            "language": row.facts.language.name(),
            "sessionId": format!("{}:{}", row.facts.language.name(), self.session_name()),
            "state": if row.busy { "busy" } else { "idle" },
            "executionCount": row.executions,
            "startedAt": milliseconds(row.facts.started_at),
            "lastUsedAt": milliseconds(row.last_used),
        });
        let optional = [
            ("pid", row.facts.pid.map(Value::from)),
            ("threadId", row.facts.thread_id.map(Value::from)),
            ("executable", row.facts.executable.clone().map(Value::from)),
            ("version", row.facts.version.clone().map(Value::from)),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                kernel[name] = value;
            }
        }
        kernel
    }

    /// The session's name without what tells kinds of names apart.
    fn session_name(&self) -> &str {
        self.options.session_id.as_deref().unwrap_or(&self.session.key.session)
    }

    /// Settles every call as aborted, waits until every process of the session is gone when no other tool shares it.
    pub async fn dispose(&self) {
        self.disposed.store(true, Ordering::Release);
        let stops: Vec<_> = self.calls().values().cloned().collect();
        for stop in stops {
            stop.stop(StopCause::Disposed);
        }
        let last = self.leave();
        if last {
            self.session.close_all().await;
        }
        loop {
            let settled = self.settled.notified();
            if self.calls().is_empty() {
                break;
            }
            settled.await;
        }
        if last {
            // A call that was just starting a kernel when it heard of the stop may have left one.
            self.session.close_all().await;
        }
    }

    /// Leaves the session, once; true when this was its last tool.
    fn leave(&self) -> bool {
        !self.left.swap(true, Ordering::AcqRel) && self.session.leave()
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        if self.leave() {
            self.session.kill_all();
        }
    }
}

struct Settle {
    tool: Arc<Tool>,
    call: u64,
}

impl Drop for Settle {
    fn drop(&mut self) {
        self.tool.calls().remove(&self.call);
        self.tool.settled.notify_waiters();
    }
}
