//! Kernels: what runs cells. One contract, two drivers.

pub mod contract;
pub mod js;
pub mod python;

pub use contract::*;
