//! A way to try the JavaScript kernel alone. Not part of the package.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Function, PromiseRaw};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};
use napi_derive::napi;
use serde_json::value::RawValue;

use crate::kernel::js::{JsConfig, JsKernel};
use crate::kernel::*;

type Tool = ThreadsafeFunction<String, String, String, Status, false, true>;
static KERNELS: LazyLock<Mutex<HashMap<u32, Arc<JsKernel>>>> = LazyLock::new(Mutex::default);
static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);

#[derive(Default)]
struct Watch {
    text: Mutex<Vec<u8>>,
    tool: Option<Arc<Tool>>,
}
impl RunObserver for Watch {
    fn text(&self, bytes: &[u8]) {
        self.text.lock().unwrap().extend_from_slice(bytes);
    }
    fn display(&self, display: Display) {
        self.text.lock().unwrap().extend_from_slice(format!("<{display:?}>\n").as_bytes());
    }
    fn status(&self, event: Box<RawValue>) {
        self.text.lock().unwrap().extend_from_slice(format!("<status {event}>\n").as_bytes());
    }
    fn tool_call(&self, call: ToolCall) {
        let Some(tool) = &self.tool else { return };
        let reply = call.reply;
        tool.call_with_return_value(call.args, ThreadsafeFunctionCallMode::NonBlocking, move |answer, _| {
            reply(answer.map_err(|error| ToolFailure { message: error.reason.to_string() }));
            Ok(())
        });
    }
}

#[napi(namespace = "__jsprobe", skip_typescript)]
pub fn start<'env>(env: &'env Env, addon: String, directory: String, heap: u32) -> Result<PromiseRaw<'env, u32>> {
    let starter = super::js_worker_starter::install(env)?;
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mut config = JsConfig::new(format!("probe-{}-{number}", std::process::id()), directory, addon);
    config.environment = std::env::vars().collect();
    config.limits.heap_mb = heap;
    env.spawn_future(async move {
        let kernel = crate::kernel::js::start(config, starter).await.map_err(napi::Error::from_reason)?;
        KERNELS.lock().unwrap().insert(number as u32, kernel);
        Ok(number as u32)
    })
}

fn kernel(id: u32) -> Arc<JsKernel> {
    KERNELS.lock().unwrap().get(&id).unwrap().clone()
}

#[napi(namespace = "__jsprobe", skip_typescript)]
pub fn run<'env>(
    env: &'env Env,
    id: u32,
    code: String,
    timeout_ms: u32,
    tool: Option<Function<'env, String, String>>,
) -> Result<PromiseRaw<'env, String>> {
    let kernel = kernel(id);
    let run = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let tool = match tool {
        Some(tool) => Some(Arc::new(
            tool.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?,
        )),
        None => None,
    };
    let watch = Arc::new(Watch { tool, ..Watch::default() });
    let started = Instant::now();
    let end = kernel.run(
        RunRequest {
            run,
            cell: format!("cell-{run}"),
            code,
            returns: Returns::Shown,
            tools: Arc::new(vec!["echo".into(), "my-tool".into()]),
            open_tools: false,
        },
        watch.clone(),
    );
    env.spawn_future(async move {
        let mut end = end;
        let ended = tokio::select! {
            biased;
            ended = &mut end => ended,
            () = tokio::time::sleep(Duration::from_millis(timeout_ms.into())) => {
                kernel.interrupt(run);
                tokio::select! {
                    ended = &mut end => ended,
                    () = tokio::time::sleep(Duration::from_secs(2)) => { kernel.kill(); end.await }
                }
            }
        };
        let text = String::from_utf8_lossy(&watch.text.lock().unwrap()).to_string();
        let background = kernel.take_background();
        Ok(serde_json::json!({
            "text": text, "outcome": format!("{:?}", ended.outcome), "state": ended.state,
            "bound": ended.bound, "notReached": ended.not_reached, "waiting": format!("{:?}", ended.waiting_for),
            "notices": ended.notices, "ms": started.elapsed().as_secs_f64() * 1000.0, "value": ended.value,
            "background": String::from_utf8_lossy(&background.text), "errors": background.errors,
        })
        .to_string())
    })
}

#[napi(namespace = "__jsprobe", skip_typescript)]
pub fn close<'env>(env: &'env Env, id: u32) -> Result<PromiseRaw<'env, ()>> {
    let closing = kernel(id).close();
    KERNELS.lock().unwrap().remove(&id);
    env.spawn_future(async move {
        closing.await;
        Ok(())
    })
}

#[napi(namespace = "__jsprobe", skip_typescript)]
pub fn variables<'env>(env: &'env Env, id: u32) -> Result<PromiseRaw<'env, String>> {
    let answer = kernel(id).variables();
    env.spawn_future(async move { Ok(format!("{:?}", answer.await)) })
}
