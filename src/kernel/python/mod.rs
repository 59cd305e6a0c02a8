//! The Python kernel: one subprocess, one actor.
