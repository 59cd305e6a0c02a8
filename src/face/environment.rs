//! What each JavaScript environment (main thread, worker thread) has once: its id, its part of the host script, its hooks.

use std::sync::atomic::{AtomicU64, Ordering};

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef, JsObjectValue, Object, Unknown};
use napi::{Env, Error, Result};
use napi_derive::napi;

use crate::error::EvalError;
use crate::kernel::registry;

type CreateHost = FunctionRef<FnArgs<(Unknown<'static>,)>, Object<'static>>;
type CreateError = FunctionRef<FnArgs<(String, String)>, Unknown<'static>>;

/// Kept as the environment's instance data.
pub struct Environment {
    /// Unique in this process; part of every session's key.
    pub id: u64,
    pub create_host: CreateHost,
    pub create_error: CreateError,
    /// The eval harness's functions, made when the first case runs.
    pub evals: Option<super::evals::Shell>,
}

static ENVIRONMENTS: AtomicU64 = AtomicU64::new(1);

impl Environment {
    /// The environment's data, made when the addon was loaded into it.
    pub fn of(env: &Env) -> Result<&'static mut Self> {
        env.get_instance_data::<Self>()?
            .ok_or_else(|| Error::from_reason("evalcell was not initialized in this environment"))
    }
}

/// The error as an `EvalError` instance, ready to be thrown.
pub fn to_js(env: &Env, error: &EvalError) -> Error {
    let made = Environment::of(env).and_then(|environment| {
        environment
            .create_error
            .borrow_back(env)?
            .call(FnArgs::from((error.code.as_str().to_owned(), error.message.clone())))
    });
    match made {
        Ok(error) => Error::from(error),
        Err(error) => error,
    }
}

/// Runs once in each environment that loads the addon.
#[napi(module_exports)]
pub fn initialize(exports: Object, env: Env) -> Result<()> {
    let script = concat!(include_str!("host.js"),);
    let host: Function<'_, FnArgs<(Object,)>, Object> = env.run_script(script)?;
    let parts = host.call(FnArgs::from((exports,)))?;
    let create_host: Function<'_, FnArgs<(Unknown<'static>,)>, Object<'static>> =
        parts.get_named_property("createHost")?;
    let create_error: Function<'_, FnArgs<(String, String)>, Unknown<'static>> =
        parts.get_named_property("createError")?;
    let id = ENVIRONMENTS.fetch_add(1, Ordering::Relaxed);
    let environment = Environment {
        id,
        create_host: create_host.create_ref()?,
        create_error: create_error.create_ref()?,
        evals: None,
    };
    env.set_instance_data(environment, (), |_| {})?;
    env.add_env_cleanup_hook((), move |()| registry::environment_ended(id))?;
    Ok(())
}
