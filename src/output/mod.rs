//! What a call shows: one stream for all its cells, cut to the window, whole in an artifact, worded in one place.
//!
//! ```text
//! kernel ──bytes, displays, status──▶ CallOutput ──finish──▶ FinishedOutput ──text_block──▶ content[0]
//!                                        │   └─ window (what may be shown)   └─ details
//!                                        └─ spill (everything that left memory)
//! ```
//!
//! Nothing here knows Node, and nothing here decides what a cell may do: facts go in, text and numbers come out.

mod artifact;
mod call_output;
mod columns;
mod details;
mod facts;
mod filter;
mod finished;
mod html;
mod json_text;
pub mod messages;
mod plain;
pub mod render;
mod result;
mod select;
mod stream;
mod table;
mod text;
mod updates;
mod value;
mod window;

#[cfg(test)]
mod tests;

pub use artifact::{ArtifactPlan, SessionFolder};
pub use call_output::{CallOutput, CellOutput, Known, OutputLimits, Progress};
pub use details::DetailParts;
pub use facts::{CallFacts, CellEnd, CellFacts, StopCause};
pub use finished::{ArtifactKind, FinishedOutput, Reserve, ShownCell};
pub use html::html_to_markdown;
pub use result::{
    CellFailure, CellResult, CellStatus, Content, Direction, EvalResult, EvalToolDetails, FailureKind, ImageBlock,
    ImageData, Json, Meta, TextBlock, TruncatedBy, Truncation,
};
pub use text::{notice, reserve, text_block};
pub use updates::{NextUpdate, UpdateGate};
pub use value::checked_value;
