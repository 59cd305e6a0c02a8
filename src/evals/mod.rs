//! Judges a complete agent from outside, and reports only counts and fixed names.
//!
//! Everything here is plain data and pure functions; the face drives real JavaScript values through it.
//!
//! ```text
//! run       the fixed order of one case: which step comes next, after which outcome
//! path      entries → the path to the active leaf
//! protocol  messages on that path → users, assistants and tools in a causal order
//! verdict   what the judge said → passed, rejected, or not a verdict
//! report    status, evidence (counts), first failure and those after it
//! suite     cases × trials, in order, with retries
//! summary   pass rate and pass^k
//! facts     numbers that crossed the border → entries and messages
//! json, junit, text   reporters
//! ```
//!
//! Texts of the agent never come here. Entry ids, call ids and tool names arrive as numbers that stand for equal
//! strings ([`Symbol`]), so that a report cannot contain what it never saw.

pub mod facts;
pub mod failure;
pub mod json;
pub mod junit;
pub mod path;
pub mod protocol;
pub mod report;
pub mod run;
pub mod suite;
pub mod summary;
pub mod text;
pub mod verdict;

pub use failure::{Code, Failure, Phase, Status};
pub use report::{Evidence, Report};

/// Stands for a string of the agent: equal strings have equal symbols. [`None`] stands for what was no string.
pub type Symbol = Option<u32>;
