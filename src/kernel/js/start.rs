//! Starting a JavaScript kernel.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::driver::JsKernel;
use super::port::WorkerStarter;
use super::session::{Session, announce};
use crate::limits::{JS_ARRAY_BUFFER_MB, JS_HEAP_MB, STARTUP_TIMEOUT};

/// What a JavaScript kernel is started with.
#[derive(Clone, Debug)]
pub struct JsConfig {
    /// The tag of this kernel's processes (`EVALCELL_KERNEL`), unique on this machine for as long as it lives.
    pub kernel_id: String,
    /// The session's directory, absolute.
    pub directory: String,
    /// The whole environment of the cells, already filtered.
    pub environment: BTreeMap<String, String>,
    pub limits: JsLimits,
    /// Path of the addon's own file, as the napi half reports it.
    pub addon: String,
    /// `process.version` of the host, e.g. `v20.20.2`.
    pub node_version: String,
    pub startup_timeout: Duration,
    /// Where the prelude's `output()` looks, and other facts that it needs, as JSON; passed through.
    pub prelude: serde_json::Value,
}

#[derive(Clone, Copy, Debug)]
pub struct JsLimits {
    pub heap_mb: u32,
    pub array_buffer_mb: u32,
}

impl Default for JsLimits {
    fn default() -> Self {
        Self { heap_mb: JS_HEAP_MB, array_buffer_mb: JS_ARRAY_BUFFER_MB }
    }
}

impl JsConfig {
    pub fn new(kernel_id: impl Into<String>, directory: impl Into<String>, addon: impl Into<String>) -> Self {
        Self {
            kernel_id: kernel_id.into(),
            directory: directory.into(),
            environment: BTreeMap::new(),
            limits: JsLimits::default(),
            addon: addon.into(),
            node_version: String::new(),
            startup_timeout: STARTUP_TIMEOUT,
            prelude: serde_json::Value::Null,
        }
    }

    fn spec(&self, worker: u64) -> String {
        let mut environment = self.environment.clone();
        environment.insert(crate::kernel::js::runtime::TAG.into(), self.kernel_id.clone());
        json!({
            "worker": worker,
            "addon": self.addon,
            "bootstrap": super::runtime::BOOTSTRAP,
            "directory": self.directory,
            "environment": environment,
            "heapMb": self.limits.heap_mb,
            "prelude": self.prelude,
        })
        .to_string()
    }
}

/// Starts a worker for `config`; resolves when it takes runs.
///
/// # Errors
/// A sentence: the worker could not be created, ended before it answered, or took longer than the start-up budget.
/// Must be awaited inside a tokio runtime, which the kernel keeps for its own timers.
pub async fn start(config: JsConfig, starter: Arc<dyn WorkerStarter>) -> Result<Arc<JsKernel>, String> {
    let runtime = tokio::runtime::Handle::current();
    let session = Session::new(&config, starter.clone(), runtime);
    let worker = session.worker();
    let registered = announce(&session);
    let started = async {
        starter.start(config.spec(worker)).await?;
        tokio::select! {
            biased;
            registered = registered => registered.map_err(|_| "the worker could not load the addon".to_string()),
            reason = session.ended() => Err(format!("the worker ended while it started: {reason}")),
        }
    };
    let outcome = match tokio::time::timeout(config.startup_timeout, started).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("the worker did not answer within {} s", config.startup_timeout.as_secs_f32())),
    };
    match outcome {
        Ok(()) => Ok(JsKernel::new(session)),
        Err(reason) => {
            session.kill("The JavaScript worker did not start.");
            Err(format!("JavaScript could not be started: {reason}."))
        }
    }
}
