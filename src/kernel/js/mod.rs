//! The JavaScript kernel: a worker thread that Rust drives through callbacks.

pub mod transform;
