//! Starts kernels for a session: from options to each driver's own configuration.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::environment::{EnvFilter, filtered};
use crate::kernel::js::{self, JsConfig, JsLimits, WorkerStarter};
use crate::kernel::python::locate::{self, Search};
use crate::kernel::python::{PythonConfig, PythonKernel, StartError, Transport};
use crate::kernel::session::{StartFailure, Starter};
use crate::kernel::{BoxFuture, Driver};
use crate::language::Language;
use crate::options::{FilterOption, Options};

/// What starting needs to know of the environment the tool lives in.
#[derive(Clone)]
pub struct Runtime {
    pub workers: Arc<dyn WorkerStarter>,
    /// Path of this addon's own file: workers load it again.
    pub addon: String,
    /// `process.version`.
    pub node_version: String,
}

/// The variables that cells get.
pub fn environment(options: &Options) -> Vec<(OsString, OsString)> {
    let filter = match &options.environment_filter {
        FilterOption::Inherit => EnvFilter::Inherit,
        FilterOption::Safe => EnvFilter::Safe,
        FilterOption::Custom { allow, deny } => EnvFilter::Custom { allow: allow.clone(), deny: deny.clone() },
    };
    filtered(&filter, std::env::vars_os(), &options.environment)
}

pub struct NodeStarter {
    options: Arc<Options>,
    runtime: Runtime,
}

impl NodeStarter {
    pub fn new(options: Arc<Options>, runtime: Runtime) -> Self {
        Self { options, runtime }
    }

    /// JavaScript's strings carry Unicode only: a variable that is not is left out.
    fn text_environment(&self) -> BTreeMap<String, String> {
        let pairs = environment(&self.options).into_iter();
        pairs.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
    }

    fn js(&self, kernel_id: &str) -> JsConfig {
        let options = &self.options;
        JsConfig {
            environment: self.text_environment(),
            limits: JsLimits {
                heap_mb: options.js_limits.max_old_generation_size_mb,
                array_buffer_mb: options.js_limits.max_array_buffer_mb,
            },
            node_version: self.runtime.node_version.clone(),
            startup_timeout: options.startup_timeout,
            prelude: json!({ "sessionFile": options.session_file }),
            ..JsConfig::new(kernel_id, options.cwd.to_string_lossy(), self.runtime.addon.clone())
        }
    }

    /// All but the interpreter.
    fn python(&self, kernel_id: &str) -> PythonConfig {
        let options = &self.options;
        PythonConfig {
            kernel_id: kernel_id.to_owned(),
            interpreter: PathBuf::new(),
            cwd: options.cwd.clone(),
            env: environment(options),
            limits: crate::kernel::python::PythonLimits {
                cpu_seconds: options.python_limits.cpu_seconds,
                address_space_bytes: options.python_limits.address_space_bytes,
            },
            session_file: options.session_file.clone(),
            transport: Transport::default(),
            startup_timeout: options.startup_timeout,
        }
    }
}

/// What a search for Python looks at under these options.
pub fn python_search(options: &Options) -> Search {
    Search {
        interpreter: options.interpreter.clone(),
        cwd: options.cwd.clone(),
        env: environment(options),
        host: std::env::vars_os().collect(),
    }
}

/// Finds the interpreter and starts the kernel; both within the one budget.
async fn start_python(search: Search, mut config: PythonConfig) -> Result<Arc<dyn Driver>, StartFailure> {
    let begun = Instant::now();
    let budget = config.startup_timeout;
    let found = locate::resolve(&search, &config.kernel_id, budget).await.map_err(|missing| {
        let what = if missing.slow { "Slow start of Python" } else { "No Python 3 was found" };
        StartFailure { message: format!("{what}. {missing}"), died_at_boot: false }
    })?;
    tracing::debug!(target: "evalcell::python", executable = %found.executable.display(), source = %found.source, "interpreter found");
    config.interpreter = found.executable;
    config.startup_timeout = budget.saturating_sub(begun.elapsed());
    match PythonKernel::start(config).await {
        Ok(kernel) => Ok(kernel as Arc<dyn Driver>),
        Err(error) => {
            Err(StartFailure { died_at_boot: matches!(error, StartError::Exited { .. }), message: error.to_string() })
        }
    }
}

impl Starter for NodeStarter {
    fn start(&self, language: Language, kernel_id: &str) -> BoxFuture<'static, Result<Arc<dyn Driver>, StartFailure>> {
        match language {
            Language::Js => {
                let starting = js::start(self.js(kernel_id), Arc::clone(&self.runtime.workers));
                Box::pin(async move {
                    match starting.await {
                        Ok(kernel) => Ok(kernel as Arc<dyn Driver>),
                        Err(message) => Err(StartFailure { message, died_at_boot: false }),
                    }
                })
            }
            Language::Python => Box::pin(start_python(python_search(&self.options), self.python(kernel_id))),
        }
    }
}

/// Says whether Python can be had, and what was tried; starts no process.
pub fn python_available(options: &Options) -> Box<dyn Fn() -> Result<(), String> + Send + Sync> {
    let search = python_search(options);
    Box::new(move || locate::locate(&search).map(|_| ()).map_err(|missing| missing.to_string()))
}

/// The path in a `file:` URL, as [`napi::Env::get_module_file_name`] gives it.
pub fn path_of_url(url: &str) -> String {
    let Some(encoded) = url.strip_prefix("file://") else { return url.to_owned() };
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped =
            (byte == b'%').then(|| tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // Windows: `/C:/folder/evalcell.node`.
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    if drive { PathBuf::from(&path[1..]).to_string_lossy().into_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use super::path_of_url;

    #[test]
    fn a_path_survives_its_url() {
        assert_eq!(path_of_url("file:///a%20b/%C3%A9/evalcell.node"), "/a b/é/evalcell.node");
        assert_eq!(path_of_url("file:///100%/x.node"), "/100%/x.node");
        assert_eq!(path_of_url("/plain/x.node"), "/plain/x.node");
    }
}
