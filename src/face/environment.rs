//! What each JavaScript environment (main thread, worker thread) has once: its id, its part of the host script, its hooks.

use std::sync::atomic::{AtomicU64, Ordering};

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef, JsObjectValue, Object, Unknown};
use napi::{Env, Error, Result};
use napi_derive::napi;

use super::starter::{Runtime, path_of_url};
use super::{callback, exit, js_worker_starter, log};
use crate::error::EvalError;
use crate::kernel::registry;

type CreateHost = FunctionRef<FnArgs<(Unknown<'static>,)>, Object<'static>>;
type FromJson = FunctionRef<FnArgs<(String,)>, Unknown<'static>>;
type ToJson = FunctionRef<FnArgs<(Unknown<'static>, String)>, String>;
type CreateError = FunctionRef<FnArgs<(String, String)>, Unknown<'static>>;

/// Kept as the environment's instance data.
pub struct Environment {
    /// Unique in this process; part of every session's key.
    pub id: u64,
    pub create_host: CreateHost,
    from_json: FromJson,
    parsed_input: FromJson,
    to_json: ToJson,
    runtime: Option<Runtime>,
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

    /// What kernels are started with; made with the environment's first tool.
    pub fn runtime(&mut self, env: &Env) -> Result<Runtime> {
        if self.runtime.is_none() {
            let version = env.get_node_version()?;
            self.runtime = Some(Runtime {
                workers: js_worker_starter::install(env)?,
                addon: path_of_url(&env.get_module_file_name()?),
                node_version: format!("v{}.{}.{}", version.major, version.minor, version.patch),
            });
        }
        self.runtime.clone().ok_or_else(|| Error::from_reason("evalcell has no runtime in this environment"))
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

/// The value that JSON text stands for.
pub fn from_json(env: &Env, text: &str) -> Result<Unknown<'static>> {
    Environment::of(env)?.from_json.borrow_back(env)?.call(FnArgs::from((text.to_owned(),)))
}

/// What `parseEvalInput` gives, from the JSON text of its rows.
pub fn parsed_input(env: &Env, rows: String) -> Result<Unknown<'static>> {
    Environment::of(env)?.parsed_input.borrow_back(env)?.call(FnArgs::from((rows,)))
}

/// JSON text of a value; what JSON has no form for is named in it. `what` begins the sentence when it cannot be read.
pub fn to_json(env: &Env, value: Unknown<'static>, what: &str) -> Result<String> {
    Environment::of(env)?.to_json.borrow_back(env)?.call(FnArgs::from((value, what.to_owned())))
}

/// Runs once in each environment that loads the addon.
#[napi(module_exports)]
pub fn initialize(exports: Object, env: Env) -> Result<()> {
    // A kernel's own worker hosts nothing: it says so, and starts a little sooner. A cell that imports the package itself
    // loads it anew, and then this is a host.
    if exports.has_named_property("isKernel")? {
        return Ok(());
    }
    let id = ENVIRONMENTS.fetch_add(1, Ordering::Relaxed);
    let host: Function<'_, FnArgs<(Object, Object)>, Object> = env.run_script(include_str!("host.js"))?;
    let mut scripts = script_parts(&env)?;
    scripts.set_named_property("exiting", exit::function(&env, id)?)?;
    let parts = host.call(FnArgs::from((exports, scripts)))?;
    let create_host: Function<'_, FnArgs<(Unknown<'static>,)>, Object<'static>> =
        parts.get_named_property("createHost")?;
    let create_error: Function<'_, FnArgs<(String, String)>, Unknown<'static>> =
        parts.get_named_property("createError")?;
    let from_json: Function<'_, FnArgs<(String,)>, Unknown<'static>> = parts.get_named_property("fromJson")?;
    let parsed_input: Function<'_, FnArgs<(String,)>, Unknown<'static>> = parts.get_named_property("parsedInput")?;
    let to_json: Function<'_, FnArgs<(Unknown<'static>, String)>, String> = parts.get_named_property("toJson")?;
    let environment = Environment {
        id,
        create_host: create_host.create_ref()?,
        create_error: create_error.create_ref()?,
        from_json: from_json.create_ref()?,
        parsed_input: parsed_input.create_ref()?,
        to_json: to_json.create_ref()?,
        runtime: None,
        evals: None,
    };
    env.set_instance_data(environment, (), |_| {})?;
    log::start();
    env.add_env_cleanup_hook((), move |()| {
        registry::environment_ended(id);
        callback::environment_ended(id);
    })?;
    Ok(())
}

/// The scripts that the host's half is made of, evaluated.
fn script_parts(env: &Env) -> Result<Object<'_>> {
    let mut parts = Object::new(env)?;
    let scripts = [
        ("createHostTools", include_str!("host_tools.js")),
        ("createUpdates", include_str!("host_updates.js")),
        ("createLossless", include_str!("../kernel/js/runtime/lossless.js")),
    ];
    for (name, script) in scripts {
        parts.set_named_property(name, env.run_script::<_, Unknown>(script)?)?;
    }
    Ok(parts)
}
