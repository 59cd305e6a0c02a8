//! [`WorkerStarter`] in the environment of a host: its `js_worker_host.js` and the two callbacks into it.

use std::sync::Arc;

use napi::bindgen_prelude::{Function, JsObjectValue, Object, Promise};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};

use crate::kernel::BoxFuture;
use crate::kernel::js::{WorkerStarter, reported_exit};

const HOST_SHELL: &str = include_str!("js_worker_host.js");

/// Weak: a tool that is idle never keeps its host alive.
type Start = ThreadsafeFunction<String, Promise<()>, String, Status, false, true>;
type Terminate = ThreadsafeFunction<f64, (), f64, Status, false, true>;

struct Starter {
    start: Start,
    terminate: Terminate,
}

impl WorkerStarter for Starter {
    fn start(&self, spec_json: String) -> BoxFuture<'static, std::result::Result<(), String>> {
        // `call_async_catch` borrows; a channel of our own lets the future outlive this call.
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let status = self.start.call_with_return_value(
            spec_json,
            ThreadsafeFunctionCallMode::NonBlocking,
            move |promise, _env| {
                let _ = sender.send(promise);
                Ok(())
            },
        );
        Box::pin(async move {
            if status != Status::Ok {
                return Err("the host's environment is gone".to_string());
            }
            let promise = receiver.await.map_err(|_| "the host's environment is gone".to_string())?;
            promise.map_err(|error| error.reason.clone())?.await.map_err(|error| error.reason.clone())
        })
    }

    #[allow(clippy::cast_precision_loss, reason = "worker numbers are counted from 1")]
    fn terminate(&self, worker: u64) {
        self.terminate.call(worker as f64, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// Installs the host's half in this environment: once per environment, on its thread.
///
/// # Errors
/// When the environment refuses to run scripts or functions of ours.
pub fn install(env: &Env) -> Result<Arc<dyn WorkerStarter>> {
    let factory: Function<'_, Function<'_, (f64, i32, String), ()>, Object<'_>> = env.run_script(HOST_SHELL)?;
    let exited = env.create_function_from_closure::<(f64, i32, String), (), _>("exited", |context| {
        let (worker, code, failure) = (context.get::<f64>(0)?, context.get::<i32>(1)?, context.get::<String>(2)?);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "worker numbers are counted from 1"
        )]
        reported_exit(worker as u64, code, &failure);
        Ok(())
    })?;
    let shell = factory.call(exited)?;
    let start: Function<'_, String, Promise<()>> = shell.get_named_property("start")?;
    let terminate: Function<'_, f64, ()> = shell.get_named_property("terminate")?;
    Ok(Arc::new(Starter {
        start: start.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?,
        terminate: terminate.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?,
    }))
}
