//! The Python kernel: one `python3` child, owned by one task.
//!
//! ```text
//! fd 3      socket pair, both ways: frames, one JSON object a line      frames (types), lines, transport
//! fd 1, 2   one pipe: the raw output of everything in the child         transport
//! SIGINT    follows an `interrupt` frame, which names the run it is for driver
//! ```
//!
//! Where fd 3 cannot be inherited the same frames go over a local socket, and the runner interrupts itself.
//!
//! The order of output and frames is exact: a frame whose place matters carries a `place`, the runner waits for the
//! `drained` frame with it, and [`actor`] reads what is in the pipe before it handles the frame.
//!
//! The runner (`runtime/*.py`) is standard library only.

pub mod actor;
mod ask;
mod background;
pub mod config;
pub mod driver;
pub mod frames;
mod helpers;
mod lines;
pub mod locate;
pub mod machine;
pub mod runtime;
mod shown;
pub mod transport;

pub use ask::{Answer, Broken, Question, ask};
pub use config::{PythonConfig, PythonLimits, StartError};
pub use driver::PythonKernel;
pub use transport::Transport;
