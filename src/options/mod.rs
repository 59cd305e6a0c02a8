//! The options of `EvalTool`: checked once, in the constructor, against one list of names.

mod fields;
mod parse;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits;

pub use fields::{Fields, describe};
pub use parse::parse;

/// Checked options with every default filled in.
#[derive(Clone, Debug)]
pub struct Options {
    /// Session directory, absolute.
    pub cwd: PathBuf,
    /// Name of a session that several tools share; `None` is a session of this tool's own.
    pub session_id: Option<String>,
    pub session_file: Option<PathBuf>,
    pub owner_id: Option<String>,
    pub python_enabled: bool,
    pub js_enabled: bool,
    /// `python.interpreter`, `~` and variables expanded.
    pub interpreter: Option<PathBuf>,
    pub kernel_mode: KernelMode,
    /// Variables set in cells on top of what the filter passes.
    pub environment: BTreeMap<String, String>,
    pub environment_filter: FilterOption,
    pub startup_timeout: Duration,
    pub python_limits: PythonLimits,
    pub js_limits: JsLimits,
    pub timeouts: Timeouts,
    pub output: OutputOptions,
    pub artifact_directory: Option<PathBuf>,
    pub idle_timeout: Duration,
    pub max_kernels: usize,
    /// Whether the host gave `callTool`: names outside `tools` may exist.
    pub dynamic_tools: bool,
    /// Whether the host gave `allocateArtifact`.
    pub host_artifacts: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KernelMode {
    /// State persists between cells and calls.
    Session,
    /// Each cell gets a fresh Python kernel that is shut down afterwards.
    PerCall,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FilterOption {
    Inherit,
    Safe,
    Custom { allow: Vec<String>, deny: Vec<String> },
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PythonLimits {
    pub cpu_seconds: Option<u64>,
    pub address_space_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct JsLimits {
    pub max_old_generation_size_mb: u32,
    pub max_array_buffer_mb: u32,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Timeouts {
    pub default: Duration,
    pub min: Duration,
    pub max: Duration,
    /// Time spent waiting for host tools does not count, up to `max`.
    pub pause_on_tool_calls: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OutputOptions {
    pub max_bytes: usize,
    pub max_lines: usize,
    /// Bytes of the beginning that are kept beside the tail; 0 keeps the tail only.
    pub head_bytes: usize,
    /// Columns after which a line is cut; 0 cuts none.
    pub max_columns: usize,
    pub max_value_bytes: usize,
    pub plain: bool,
}

impl Options {
    /// The defaults for a session in `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self {
            cwd,
            session_id: None,
            session_file: None,
            owner_id: None,
            python_enabled: true,
            js_enabled: true,
            interpreter: None,
            kernel_mode: KernelMode::Session,
            environment: BTreeMap::new(),
            environment_filter: FilterOption::Safe,
            startup_timeout: limits::STARTUP_TIMEOUT,
            python_limits: PythonLimits::default(),
            js_limits: JsLimits {
                max_old_generation_size_mb: limits::JS_HEAP_MB,
                max_array_buffer_mb: limits::JS_ARRAY_BUFFER_MB,
            },
            timeouts: Timeouts {
                default: limits::DEFAULT_TIMEOUT,
                min: limits::MIN_TIMEOUT,
                max: limits::MAX_TIMEOUT,
                pause_on_tool_calls: false,
            },
            output: OutputOptions {
                max_bytes: limits::MAX_OUTPUT_BYTES,
                max_lines: limits::MAX_OUTPUT_LINES,
                head_bytes: 0,
                max_columns: 0,
                max_value_bytes: limits::MAX_VALUE_BYTES,
                plain: false,
            },
            artifact_directory: None,
            idle_timeout: limits::IDLE_TIMEOUT,
            max_kernels: limits::MAX_KERNELS,
            dynamic_tools: false,
            host_artifacts: false,
        }
    }
}

#[cfg(test)]
mod tests;
