//! # evalcell
//!
//! Run cells of Python and JavaScript/TypeScript in runtimes that persist between calls, and judge whole agents from
//! outside. This crate is the addon behind the npm package `evalcell`.
//!
//! # Theory of Operation
//!
//! ```text
//! face     napi classes, callbacks into the host            knows Node; nothing below does
//! call     one `execute()`: cells in order, deadlines, result
//! input    text → cells → language (pure)
//! kernel   one contract ([`kernel::Driver`]), two drivers: `js` (worker thread), `python` (subprocess)
//! output   sink, window, artifact, text block, rendering (pure core)
//! json     lossless JSON text at every border (pure)
//! prelude  helpers that cells call: one implementation, reached from both kernels
//! evals    the judge of whole agents (pure core)
//! ```
//!
//! A call turns its input into cells, takes the session's kernel of each cell's language from the registry, and starts
//! a run on it. The kernel reports upward through [`kernel::RunObserver`] (text, displays, status events, tool calls) and
//! ends the run with one [`kernel::RunEnd`]. Deadlines and aborts go downward on their own lane
//! ([`kernel::Driver::interrupt`], [`kernel::Driver::kill`]) and never wait behind queued work. The first cause wins.

pub mod call;
pub mod environment;
pub mod error;
pub mod evals;
pub mod face;
pub mod input;
pub mod json;
pub mod kernel;
pub mod language;
pub mod limits;
pub mod options;
pub mod output;
pub mod prelude;
pub mod process;
