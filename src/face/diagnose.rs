//! `diagnose()`: what would run cells here, why, and what would fail.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use napi::bindgen_prelude::{FnArgs, JsObjectValue, PromiseRaw, Unknown};
use napi::{Env, JsValue, Result};
use napi_derive::napi;
use serde::Serialize;

use super::environment::{self, Environment};
use super::starter::python_search;
use super::tool::read_options;
use crate::kernel::Driver;
use crate::kernel::js::v8::Symbols;
use crate::kernel::python::locate::{self, Search, Tried};
use crate::kernel::python::{PythonConfig, PythonKernel, PythonLimits, Question, Transport, ask};
use crate::limits::PYTHON_OLDEST;
use crate::options::Options;
use crate::process::watchdog;

/// See `Diagnosis` in `types.d.ts`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Diagnosis {
    version: &'static str,
    node: String,
    platform: String,
    javascript: JavaScript,
    python: Python,
    temporary_folder: Folder,
    warnings: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JavaScript {
    enabled: bool,
    keeps_variables_when_stopped: bool,
}

#[derive(Default, Serialize)]
struct Python {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    executable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    tried: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    why: String,
}

#[derive(Serialize)]
struct Folder {
    path: String,
    writable: bool,
}

/// What would run cells under these options, and what would fail. Starts each Python it must ask, and ends it.
///
/// Rejects with `EVAL_INVALID_ARGUMENT` for options that `EvalTool` would refuse.
#[napi(catch_unwind, ts_args_type = "options?: EvalToolOptions", ts_return_type = "Promise<Diagnosis>")]
pub fn diagnose(env: Env, options: Unknown<'static>) -> Result<PromiseRaw<'static, Unknown<'static>>> {
    let options = checked(&env, options);
    let version = env.get_node_version()?;
    let node = format!("v{}.{}.{}", version.major, version.minor, version.patch);
    let promise = env.spawn_future_with_callback(
        async move {
            let diagnosis = examine(&options?, node).await;
            serde_json::to_string(&diagnosis).map_err(|error| napi::Error::from_reason(error.to_string()))
        },
        |env, text| environment::from_json(env, &text),
    )?;
    // The promise is returned at once, within the handle scope it was made in; the lifetime only says that.
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}

fn checked(env: &Env, options: Unknown<'static>) -> Result<Options> {
    let host = Environment::of(env)?.create_host.borrow_back(env)?.call(FnArgs::from((options,)))?;
    let settings: String = host.get_named_property("settings")?;
    read_options(&settings).map_err(|error| environment::to_js(env, &error))
}

async fn examine(options: &Options, node: String) -> Diagnosis {
    let mut warnings = Vec::new();
    let interruptible = Symbols::find().is_some();
    if options.js_enabled && !interruptible {
        warnings.push(
            "This runtime does not offer what stopping needs: a JavaScript cell that spins is ended with its variables."
                .to_owned(),
        );
    }
    if cfg!(target_os = "linux") && !Path::new("/proc/self").exists() {
        warnings.push("/proc is not there: processes that cells detach may outlive the session.".to_owned());
    }
    let python = if options.python_enabled { python(options, &mut warnings).await } else { Python::default() };
    let folder = std::env::temp_dir();
    let writable = is_writable(&folder);
    if !writable && options.artifact_directory.is_none() {
        let folder = folder.display();
        warnings.push(format!(
            "{folder} cannot be written to: output over the limits cannot be kept (TMPDIR, `artifactDir`)."
        ));
    }
    Diagnosis {
        version: env!("CARGO_PKG_VERSION"),
        node,
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        javascript: JavaScript { enabled: options.js_enabled, keeps_variables_when_stopped: interruptible },
        python,
        temporary_folder: Folder { path: folder.display().to_string(), writable },
        warnings,
    }
}

async fn python(options: &Options, warnings: &mut Vec<String>) -> Python {
    static ASKED: AtomicU64 = AtomicU64::new(1);
    let kernel_id = format!("{}-doctor", watchdog::kernel_id(ASKED.fetch_add(1, Ordering::Relaxed)));
    let search = python_search(options);
    let rows = |tried: Vec<Tried>| tried.into_iter().map(|Tried { what, why }| Row { path: what, why }).collect();
    let found = match locate::resolve(&search, &kernel_id, options.startup_timeout).await {
        Ok(found) => found,
        Err(missing) => {
            warnings.push(
                "Python cells fail: no Python 3 was found; install one, or name it in `python.interpreter`.".into(),
            );
            return Python { enabled: true, tried: rows(missing.tried), ..Python::default() };
        }
    };
    let mut python = Python {
        enabled: true,
        executable: Some(found.executable.display().to_string()),
        source: Some(found.source.to_string()),
        tried: rows(found.tried),
        version: None,
    };
    match start(&search, found.executable, &kernel_id, options).await {
        Ok(version) => python.version = Some(version),
        Err(problem) => warnings.push(format!("Python cells fail: {problem}")),
    }
    python
}

/// Asks for the version, then starts a kernel as a cell would.
async fn start(
    search: &Search,
    executable: std::path::PathBuf,
    kernel_id: &str,
    options: &Options,
) -> std::result::Result<String, String> {
    let budget = options.startup_timeout;
    let question = Question { executable: &executable, env: &search.env, cwd: &search.cwd, kernel_id, budget };
    let answer = ask(question).await.map_err(|broken| format!("{}: {broken}", executable.display()))?;
    if is_too_old(&answer.version) {
        let (major, minor) = PYTHON_OLDEST;
        return Err(format!(
            "{} is Python {}; {major}.{minor} or newer is needed.",
            executable.display(),
            answer.version
        ));
    }
    let config = PythonConfig {
        kernel_id: kernel_id.to_owned(),
        interpreter: executable,
        cwd: search.cwd.clone(),
        env: search.env.clone(),
        limits: PythonLimits::default(),
        session_file: None,
        transport: Transport::default(),
        startup_timeout: budget,
    };
    let kernel = PythonKernel::start(config).await.map_err(|error| error.to_string())?;
    kernel.close().await;
    Ok(answer.version)
}

fn is_too_old(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < PYTHON_OLDEST
}

fn is_writable(folder: &Path) -> bool {
    let file = folder.join(format!("evalcell-doctor-{}", std::process::id()));
    let is_made = OpenOptions::new().write(true).create_new(true).open(&file).is_ok();
    is_made && std::fs::remove_file(&file).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_too_old;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_too_old("3.8.20") && is_too_old("2.7.18"));
        assert!(!is_too_old("3.9.0") && !is_too_old("3.10.1") && !is_too_old("4.0"));
    }
}
