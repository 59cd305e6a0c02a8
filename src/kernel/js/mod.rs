//! The JavaScript kernel: a worker thread of the host's Node, driven from Rust.
//!
//! # Theory of Operation
//!
//! The host's main thread creates a `Worker` and forgets it. The worker loads this same addon, registers its own
//! callback ([`WorkerPort`]) and from then on talks with Rust directly, on its own thread:
//!
//! ```text
//!   call layer ── run, interrupt, kill ──▶ JsKernel ── Command ──▶ worker's event loop ──▶ runtime/*.js
//!        ▲                                    │                                              │
//!        └── RunObserver: text, display … ◀───┴───────── Session ◀──── native functions ◀────┘
//! ```
//!
//! A cell's source is transformed on the worker's thread ([`transform`]) and compiled as a plain script of the worker's
//! own context, so there is one realm. Text goes straight into the run's observer, synchronously: nothing is buffered,
//! so nothing is lost when the thread is stopped or stuck.
//!
//! Stopping is in [`interrupt`]: the thread is interrupted, unwound, and lives on with its bindings. A thread that no
//! interrupt reaches is abandoned: its run ends with state lost, its session takes a new worker, and what it may still
//! say is not heard.

mod array_buffers;
mod background;
mod children;
pub mod directory;
mod driver;
mod end;
pub mod interrupt;
mod output_pipe;
mod plan;
mod port;
pub mod runtime;
mod session;
mod start;
pub mod transform;
mod unblock;
pub mod v8;

pub use driver::JsKernel;
pub use plan::module_source;
pub use port::{Command, WorkerPort, WorkerStarter};
pub use session::{Session, claim, live_sessions, reported_exit};
pub use start::{JsConfig, JsLimits, start};
