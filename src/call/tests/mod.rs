//! Calls over a kernel that does what kernels must not: only faults are injected here, real kernels have tests of their own.

mod fakes;
mod faults;
mod updates;
