//! Which Python runs the cells: the search, its reasons, and what a shim stands for. Availability is a question about
//! files; a process is started only for a shim, at the first real start.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use super::ask::{self, Answer, Broken, Question};

/// What the search looks at.
#[derive(Clone, Debug)]
pub struct Search {
    /// The option `python.interpreter`: a path, or a bare name that is looked up on `PATH`. Then nothing else is tried.
    pub interpreter: Option<PathBuf>,
    /// The session's directory.
    pub cwd: PathBuf,
    /// The variables that cells get; they also count for what is started here.
    pub env: Vec<(OsString, OsString)>,
    /// The host's own variables: looked up where `env` has none.
    pub host: Vec<(OsString, OsString)>,
}

/// Where an interpreter was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    Option,
    VirtualEnv,
    DotVenv,
    Venv,
    Conda,
    Path(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option => formatter.write_str("the option python.interpreter"),
            Self::VirtualEnv => formatter.write_str("VIRTUAL_ENV"),
            Self::DotVenv => formatter.write_str(".venv in the session's directory"),
            Self::Venv => formatter.write_str("venv in the session's directory"),
            Self::Conda => formatter.write_str("CONDA_PREFIX"),
            Self::Path(name) => write!(formatter, "{name} on PATH"),
        }
    }
}

/// A place without a usable interpreter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tried {
    /// A path, or what was looked for on `PATH`.
    pub what: String,
    pub why: String,
}

impl fmt::Display for Tried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.what, self.why)
    }
}

/// The interpreter, and what was passed over before it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Located {
    /// An executable file; may be a shim when [`locate`] says so, never when [`resolve`] does.
    pub executable: PathBuf,
    pub source: Source,
    pub tried: Vec<Tried>,
}

/// Nothing usable was found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NotFound {
    pub tried: Vec<Tried>,
    /// The last shim did not answer in time: more time could help.
    pub slow: bool,
}

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried: Vec<String> = self.tried.iter().map(ToString::to_string).collect();
        write!(formatter, "Tried: {}.", tried.join(", "))
    }
}

impl std::error::Error for NotFound {}

/// The first executable file of the search order. Starts no process.
///
/// # Errors
/// All that was tried, each with its reason.
pub fn locate(search: &Search) -> Result<Located, NotFound> {
    let mut tried = Vec::new();
    match candidates(search, &mut tried).into_iter().next() {
        Some((executable, source)) => Ok(Located { executable, source, tried }),
        None => Err(NotFound { tried, slow: false }),
    }
}

/// What shims stand for, by shim, directory and the variables that choose among its versions.
static RESOLVED: LazyLock<Mutex<HashMap<ShimKey, PathBuf>>> = LazyLock::new(Mutex::default);

type ShimKey = (PathBuf, PathBuf, Vec<OsString>);

/// As [`locate`], but a shim is asked, within `budget`, which interpreter it stands for: once per process. A shim that
/// fails is passed over. `kernel_id` tags what is started.
///
/// # Errors
/// As [`locate`]; [`NotFound::slow`] when the budget ran out.
pub async fn resolve(search: &Search, kernel_id: &str, budget: Duration) -> Result<Located, NotFound> {
    let mut tried = Vec::new();
    let mut slow = false;
    let due = tokio::time::Instant::now() + budget;
    // The reasons of `candidates` come first: a shim that fails has an executable file, they have none.
    for (candidate, source) in candidates(search, &mut tried) {
        if !is_shim(&candidate) {
            return Ok(Located { executable: candidate, source, tried });
        }
        let key = shim_key(search, &candidate);
        let known = RESOLVED.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(executable) = known.filter(|known| executable_file(known).is_ok()) {
            return Ok(Located { executable, source, tried });
        }
        let question = Question {
            executable: &candidate,
            env: &search.env,
            cwd: &search.cwd,
            kernel_id,
            budget: due.saturating_duration_since(tokio::time::Instant::now()),
        };
        match ask::ask(question).await {
            Ok(Answer { executable, .. }) if executable_file(&executable).is_ok() => {
                let mut resolved = RESOLVED.lock().unwrap_or_else(PoisonError::into_inner);
                resolved.insert(key, executable.clone());
                return Ok(Located { executable, source, tried });
            }
            Ok(answer) => {
                let why = format!("it stands for {}, which is no executable file", answer.executable.display());
                tried.push(Tried { what: candidate.display().to_string(), why });
            }
            Err(broken) => {
                tracing::warn!(target: "evalcell::python", shim = %candidate.display(), %broken, "interpreter skipped");
                slow = matches!(broken, Broken::Slow { .. });
                tried.push(Tried { what: candidate.display().to_string(), why: broken.to_string() });
                if slow {
                    // What the others could need is spent.
                    break;
                }
            }
        }
    }
    Err(NotFound { tried, slow })
}

fn shim_key(search: &Search, shim: &Path) -> ShimKey {
    let chosen = ["PYENV_VERSION", "ASDF_PYTHON_VERSION", "PYENV_ROOT", "ASDF_DATA_DIR"];
    let versions = chosen.iter().map(|name| search.variable(name).unwrap_or_default()).collect();
    (shim.to_owned(), search.cwd.clone(), versions)
}

/// Every executable file of the search order, the best first.
fn candidates(search: &Search, tried: &mut Vec<Tried>) -> Vec<(PathBuf, Source)> {
    let mut found = Vec::new();
    if let Some(why) = crate::process::UNSUPPORTED {
        tried.push(Tried { what: std::env::consts::OS.to_owned(), why: why.to_owned() });
        return found;
    }
    if let Some(interpreter) = &search.interpreter {
        if interpreter.components().count() == 1 {
            on_path(search, interpreter.as_os_str(), Source::Option, &mut found, tried);
        } else {
            found.extend(checked(interpreter.clone(), tried).map(|file| (file, Source::Option)));
        }
        return found;
    }
    let folders = [
        (search.variable("VIRTUAL_ENV").map(PathBuf::from), Source::VirtualEnv),
        (Some(search.cwd.join(".venv")), Source::DotVenv),
        (Some(search.cwd.join("venv")), Source::Venv),
        (search.variable("CONDA_PREFIX").map(PathBuf::from), Source::Conda),
    ];
    for (folder, source) in folders {
        let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else { continue };
        found.extend(in_folder(&search.cwd.join(folder), tried).map(|file| (file, source)));
    }
    for name in ["python3", "python"] {
        on_path(search, OsStr::new(name), Source::Path(name), &mut found, tried);
    }
    found
}

/// The interpreter of a virtual or conda environment.
fn in_folder(folder: &Path, tried: &mut Vec<Tried>) -> Option<PathBuf> {
    let names: &[&str] =
        if cfg!(windows) { &["Scripts/python.exe", "python.exe"] } else { &["bin/python3", "bin/python"] };
    if !folder.is_dir() {
        tried.push(Tried { what: folder.display().to_string(), why: "not found".into() });
        return None;
    }
    let mut reasons = Vec::new();
    let file = names.iter().find_map(|name| checked(folder.join(name), &mut reasons));
    if file.is_none() {
        // Both names are missing: one line is enough. Another reason is the one that helps.
        let told = reasons.iter().position(|tried| tried.why != "not found").unwrap_or(0);
        tried.extend(reasons.into_iter().nth(told));
    }
    file
}

fn on_path(search: &Search, name: &OsStr, source: Source, found: &mut Vec<(PathBuf, Source)>, tried: &mut Vec<Tried>) {
    let path = search.variable("PATH").unwrap_or_default();
    let before = found.len();
    let mut reasons = Vec::new();
    for folder in std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()) {
        let mut file = search.cwd.join(folder).join(name);
        if cfg!(windows) && file.extension().is_none() {
            file.set_extension("exe");
        }
        // Absent in a folder of PATH is no news; present and unusable is.
        if file.symlink_metadata().is_ok() {
            found.extend(checked(file, &mut reasons).map(|file| (file, source)));
        }
    }
    if found.len() == before && reasons.is_empty() {
        let what = format!("{} on PATH", name.to_string_lossy());
        reasons.push(Tried { what, why: "not found".into() });
    }
    tried.extend(reasons);
}

fn checked(file: PathBuf, tried: &mut Vec<Tried>) -> Option<PathBuf> {
    match executable_file(&file) {
        Ok(()) => Some(file),
        Err(why) => {
            tried.push(Tried { what: file.display().to_string(), why });
            None
        }
    }
}

/// Whether the system would run this file, as far as can be seen from outside; else why not.
fn executable_file(file: &Path) -> Result<(), String> {
    let facts = match file.metadata() {
        Ok(facts) => facts,
        Err(_) if file.symlink_metadata().is_ok() => return Err("a link to a file that is gone".into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err("not found".into()),
        Err(error) => return Err(error.to_string()),
    };
    if facts.is_dir() {
        return Err("a folder, not a program".into());
    }
    // The placeholder that opens the Windows store is an empty file.
    if facts.len() == 0 {
        return Err("an empty file".into());
    }
    #[cfg(unix)]
    if nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_err() {
        return Err("not executable".into());
    }
    Ok(())
}

/// pyenv, asdf and mise put one program under many names into a folder `shims`; it finds the version at each start.
pub fn is_shim(file: &Path) -> bool {
    let in_shims = |file: &Path| {
        file.parent().and_then(Path::file_name).is_some_and(|folder| folder.eq_ignore_ascii_case("shims"))
    };
    in_shims(file) || std::fs::read_link(file).is_ok_and(|target| in_shims(&target))
}

impl Search {
    fn variable(&self, name: &str) -> Option<OsString> {
        let of = |variables: &[(OsString, OsString)]| {
            variables.iter().find(|(key, _)| same_name(key, name)).map(|(_, value)| value.clone())
        };
        of(&self.env).or_else(|| of(&self.host))
    }
}

fn same_name(key: &OsStr, name: &str) -> bool {
    if cfg!(windows) { key.eq_ignore_ascii_case(name) } else { key == name }
}
