//! The face: napi types live here and nowhere below.

pub mod callback;
pub mod environment;
pub mod evals;
pub mod evals_native;
pub mod evals_report;
pub mod host;
pub mod starter;
pub mod tool;
