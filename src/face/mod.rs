//! The face: napi types live here and nowhere below.

pub mod callback;
pub mod diagnose;
pub mod environment;
pub mod error;
pub mod evals;
pub mod evals_native;
pub mod evals_report;
pub mod exit;
pub mod functions;
pub mod host;
pub mod js_worker;
pub mod js_worker_children;
mod js_worker_frames;
pub mod js_worker_output;
pub mod js_worker_port;
pub mod js_worker_starter;
pub mod log;
pub mod render;
pub mod starter;
pub mod tool;
mod tool_functions;
