//! What a Python kernel is started with, and why it may not start.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::frames::BootLimits;
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
        match self {
            Self::Spawn { interpreter, error } => {
                write!(formatter, "Python could not be started: {}: {error}", interpreter.display())
            }
            Self::Exited { interpreter, exit, output } => {
                write!(formatter, "Python ended while it was starting ({exit}): {}", interpreter.display())?;
                if output.is_empty() { Ok(()) } else { write!(formatter, "\n{output}") }
            }
            Self::Slow { interpreter, after, output } => {
                let seconds = after.as_secs_f64();
                write!(formatter, "Python did not answer within {seconds} s of its start: {}", interpreter.display())?;
                if output.is_empty() { Ok(()) } else { write!(formatter, "\n{output}") }
            }
        }
    }
}

impl std::error::Error for StartError {}
