//! Kernels: what runs cells. One contract, two drivers.

pub mod alarm;
pub mod contract;
pub mod inline;
pub mod js;
pub mod linger;
pub mod python;
pub mod registry;
pub mod session;
pub mod stop;

pub use contract::*;
