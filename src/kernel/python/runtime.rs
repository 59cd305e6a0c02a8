//! The runner's sources, embedded so that the addon is one file.

/// What `python3 -c` gets.
pub const BOOTSTRAP: &str = include_str!("runtime/bootstrap.py");

/// What stands before it where descriptor 3 is not inherited.
pub const CONNECT: &str = include_str!("runtime/connect.py");

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("runtime/", $name, ".py")))),*]
    };
}

/// The other files, by module name; they travel in the boot frame and never touch the disk.
pub const SOURCES: &[(&str, &str)] = sources![
    "adapt",
    "bindings",
    "bridge",
    "capture",
    "cell_sources",
    "cells",
    "compiling",
    "display",
    "display_light",
    "failure",
    "interrupts",
    "loader",
    "lossless",
    "lossless_exact",
    "magic",
    "magics",
    "prelude",
    "prelude_light",
    "receiver",
    "runner",
    "session_loop",
    "shell",
    "streams",
    "timing",
    "values",
    "variables",
    "waiter",
    "wire",
];
