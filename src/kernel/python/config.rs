//! What a Python kernel is started with, and why it may not start.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::ask::seconds;
use super::frames::BootLimits;
use super::transport::Transport;
use crate::limits::START_OUTPUT;
use crate::process::Exit;

/// What a kernel is started with.
#[derive(Clone, Debug)]
pub struct PythonConfig {
    /// Unique on this machine: the tag of all processes of the kernel.
    pub kernel_id: String,
    /// An executable file, no shim; see [`super::locate`].
    pub interpreter: PathBuf,
    /// The session's directory; must exist.
    pub cwd: PathBuf,
    /// The whole environment, already filtered; see [`crate::environment`].
    pub env: Vec<(OsString, OsString)>,
    pub limits: PythonLimits,
    /// Where `output()` looks when the environment names no session (`sessionFile`).
    pub session_file: Option<PathBuf>,
    /// How it is connected; the default is the best of the system.
    pub transport: Transport,
    /// Budget from here to the kernel's first answer.
    pub startup_timeout: Duration,
}

/// Resource limits of the kernel's process, set before any of the user's code runs. None is set by default.
pub type PythonLimits = BootLimits;

/// Why there is no kernel.
#[derive(Debug)]
pub enum StartError {
    /// The system did not start the program.
    Spawn { interpreter: PathBuf, error: io::Error },
    /// It ended before it answered.
    Exited { interpreter: PathBuf, exit: Exit, output: String },
    /// It has not answered within the budget.
    Slow { interpreter: PathBuf, after: Duration, output: String },
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (interpreter, output) = match self {
            Self::Spawn { interpreter, error } => {
                return write!(formatter, "Python could not be started: {}: {error}.", interpreter.display());
            }
            Self::Exited { interpreter, exit: Exit { code: Some(code), .. }, output } => {
                write!(formatter, "Python exited with code {code} before it was ready")?;
                (interpreter, output)
            }
            Self::Exited { interpreter, exit, output } => {
                write!(formatter, "Python was ended by {exit} before it was ready")?;
                (interpreter, output)
            }
            Self::Slow { interpreter, after, output } => {
                let after = seconds(*after);
                write!(formatter, "Slow start: Python was not ready after {after} (`python.startupTimeoutMs`)")?;
                (interpreter, output)
            }
        };
        write!(formatter, ": {}", interpreter.display())?;
        let output = tail(output);
        if output.is_empty() { Ok(()) } else { write!(formatter, "\n{output}") }
    }
}

impl std::error::Error for StartError {}

/// The end of what a process said, which is where its reason stands.
pub fn tail(output: &str) -> String {
    let (most_lines, most_bytes) = START_OUTPUT;
    let output = output.trim();
    let lines: Vec<&str> = output.lines().collect();
    let shown = lines[lines.len().saturating_sub(most_lines)..].join("\n");
    let mut start = shown.len().saturating_sub(most_bytes);
    while !shown.is_char_boundary(start) {
        start += 1;
    }
    if start > 0 || lines.len() > most_lines { format!("…{}", &shown[start..]) } else { shown }
}
