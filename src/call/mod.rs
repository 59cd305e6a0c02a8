//! One tool and its calls: what `EvalTool` does, without Node.

mod bridge;
mod cell;
mod deadline;
mod execute;
pub mod host;
mod result;
mod tool;
mod updates;

pub use tool::Tool;
