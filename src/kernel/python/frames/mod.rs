//! The frames of the Python protocol, split by direction. Types only: nothing here reads or writes a descriptor.
//!
//! One JSON object per line. What comes from a kernel is hostile: [`read`] checks its shape and rebuilds it field by
//! field; whatever does not fit is refused, and the caller drops it.

mod from_child;
mod to_child;

pub use from_child::*;
pub use to_child::*;
