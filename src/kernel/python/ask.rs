//! Asks an executable which Python it is, in a process that ends with the question.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;

use super::config::tail;
use super::transport::start_plain;
use crate::limits::PYTHON_ANSWER_BYTES;
use crate::process::{Exit, Spawn};

pub struct Question<'a> {
    pub executable: &'a Path,
    /// The whole environment.
    pub env: &'a [(OsString, OsString)],
    pub cwd: &'a Path,
    pub kernel_id: &'a str,
    pub budget: Duration,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// `sys.executable`.
    pub executable: PathBuf,
    /// For example `3.11.7`.
    pub version: String,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Broken {
    NotStarted(std::io::Error),
    Exited { exit: Exit, output: String },
    Slow { after: Duration },
    Strange { output: String },
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(formatter, "it cannot be started: {error}"),
            Self::Exited { exit: Exit { code: Some(code), .. }, output } => {
                write!(formatter, "exited with code {code}{}", after(output))
            }
            Self::Exited { exit, output } => write!(formatter, "ended by {exit}{}", after(output)),
            Self::Slow { after } => write!(formatter, "slow start: no answer after {}", seconds(*after)),
            Self::Strange { output } => write!(formatter, "it does not answer as Python does{}", after(output)),
        }
    }
}

fn after(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!(": {output}") }
}

/// `1.5 s`.
pub fn seconds(duration: Duration) -> String {
    format!("{} s", (duration.as_secs_f64() * 10.0).round() / 10.0)
}

const CODE: &str = "import sys; print('', 'evalcell', sys.executable, '%d.%d.%d' % sys.version_info[:3], sep='\\n')";

/// # Errors
/// [`Broken`] tells apart what can be wrong. Nothing is left running.
pub async fn ask(question: Question<'_>) -> Result<Answer, Broken> {
    let (child, _life, mut output) = start_plain(Spawn {
        program: question.executable.to_owned(),
        arguments: vec!["-c".into(), CODE.into()],
        environment: question.env.to_vec(),
        directory: question.cwd.to_owned(),
        kernel_id: question.kernel_id.to_owned(),
    })
    .map_err(Broken::NotStarted)?;
    let mut text = Vec::new();
    // The exit ends it and not the end of the pipe, which a process of its own could hold open.
    let exited = child.exited();
    let whole = async {
        tokio::pin!(exited);
        let mut buffer = [0; 4096];
        loop {
            tokio::select! {
                biased;
                read = output.read(&mut buffer) => match read {
                    count @ 1.. if text.len() < PYTHON_ANSWER_BYTES => text.extend_from_slice(&buffer[..count]),
                    1.. => {}
                    0 => return exited.await,
                },
                exit = &mut exited => {
                    let rest = output.drain();
                    text.extend_from_slice(&rest[..rest.len().min(PYTHON_ANSWER_BYTES)]);
                    return exit;
                }
            }
        }
    };
    let Ok(exit) = timeout(question.budget, whole).await else {
        child.group.kill();
        let _ = child.exited().await;
        return Err(Broken::Slow { after: question.budget });
    };
    let text = String::from_utf8_lossy(&text).into_owned();
    if exit.code != Some(0) {
        return Err(Broken::Exited { exit, output: tail(&text) });
    }
    let strange = || Broken::Strange { output: tail(&text) };
    let (_, answer) = text.rsplit_once("\nevalcell\n").ok_or_else(strange)?;
    let mut lines = answer.lines();
    match (lines.next(), lines.next()) {
        (Some(executable), Some(version)) if !executable.is_empty() => {
            Ok(Answer { executable: executable.into(), version: version.to_owned() })
        }
        _ => Err(strange()),
    }
}
