//! `diagnose()`: what would run cells here, why, and what would fail.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use napi::bindgen_prelude::{FnArgs, JsObjectValue, PromiseRaw, Unknown};
use napi::{Env, Result};
use napi_derive::napi;
use serde::Serialize;

use super::environment::{self, Environment};
use super::functions::{invalid, value_of};
use super::starter::{environment as variables, python_search};
use crate::kernel::js::can_interrupt;
use crate::kernel::python::locate::{self, NotFound, Tried};
use crate::kernel::python::{Question, ask};
use crate::options::{self, Options};
use crate::process::watchdog;

/// The oldest Python that runs cells.
const OLDEST: (u32, u32) = (3, 9);
