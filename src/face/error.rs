//! `EvalError` as JavaScript sees it.

use napi_derive::napi;

/// Misuse, or what stopped a call before any cell started; `code` says which.
///
/// This declaration names the class in the generated files. The class itself is JavaScript's (`host.js`), since an addon
/// cannot make a subclass of `Error`; it takes this one's place when the addon is loaded.
#[napi]
pub struct EvalError {}

#[napi]
impl EvalError {
    #[napi(constructor, catch_unwind, ts_args_type = "code: EvalErrorCode, message: string, options?: ErrorOptions")]
    #[allow(clippy::new_without_default, reason = "a class is constructed by JavaScript only")]
    pub fn new() -> Self {
        Self {}
    }
}
