//! One tool and its calls: what `EvalTool` does, without Node.

mod bridge;
mod cell;
mod deadline;
mod execute;
pub mod host;
mod result;
#[cfg(test)]
mod tests;
mod tool;
mod updates;

pub use tool::Tool;
