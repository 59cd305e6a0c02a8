//! A host, and kernels that a test scripts.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use crate::call::Tool;
use crate::call::host::{Allocated, Host, HostToolCall};
use crate::kernel::session::{StartFailure, Starter};
use crate::kernel::{
    Background, BoxFuture, Driver, KernelFacts, Outcome, RunEnd, RunId, RunObserver, RunRequest, ToolReply,
    VariableInfo,
};
use crate::language::Language;
use crate::options::Options;
use crate::output::EvalResult;

/// What a run does; it is given what the run is told by its caller.
pub type Script = Box<dyn FnOnce(Arc<dyn RunObserver>, Told) -> BoxFuture<'static, RunEnd> + Send>;

/// What a kernel has been told.
#[derive(Clone)]
pub struct Told {
    pub interrupted: watch::Receiver<bool>,
    pub killed: watch::Receiver<bool>,
}

pub struct FakeKernel {
    scripts: Arc<Mutex<VecDeque<Script>>>,
    interrupted: watch::Sender<bool>,
    pub killed: watch::Sender<bool>,
}

impl Driver for FakeKernel {
    fn run(&self, _request: RunRequest, observer: Arc<dyn RunObserver>) -> BoxFuture<'static, RunEnd> {
        let script = self.scripts.lock().unwrap().pop_front().expect("a script for this run");
        script(observer, Told { interrupted: self.interrupted.subscribe(), killed: self.killed.subscribe() })
    }

    fn interrupt(&self, _run: RunId) {
        self.interrupted.send_replace(true);
    }

    fn kill(&self) {
        self.killed.send_replace(true);
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        self.kill();
        Box::pin(async {})
    }

    fn ended(&self) -> BoxFuture<'static, String> {
        let mut killed = self.killed.subscribe();
        Box::pin(async move {
            let _ = killed.wait_for(|killed| *killed).await;
            "the kernel ended".to_owned()
        })
    }

    fn take_background(&self) -> Background {
        Background::default()
    }

    fn variables(&self) -> BoxFuture<'static, Result<Vec<VariableInfo>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn facts(&self) -> KernelFacts {
        KernelFacts {
            language: Language::Js,
            pid: None,
            thread_id: None,
            executable: None,
            version: None,
            started_at: SystemTime::UNIX_EPOCH,
        }
    }
}

/// Starts kernels that share one list of scripts.
pub struct FakeStarter {
    scripts: Arc<Mutex<VecDeque<Script>>>,
    pub kernels: Mutex<Vec<Arc<FakeKernel>>>,
    /// A permit for each start that may succeed.
    pub starts: Arc<Semaphore>,
}

impl Starter for Arc<FakeStarter> {
    fn start(&self, _language: Language, _id: &str) -> BoxFuture<'static, Result<Arc<dyn Driver>, StartFailure>> {
        let starter = Arc::clone(self);
        Box::pin(async move {
            starter.starts.acquire().await.expect("never closed").forget();
            let kernel = Arc::new(FakeKernel {
                scripts: Arc::clone(&starter.scripts),
                interrupted: watch::Sender::new(false),
                killed: watch::Sender::new(false),
            });
            starter.kernels.lock().unwrap().push(Arc::clone(&kernel));
            Ok(kernel as Arc<dyn Driver>)
        })
    }
}

/// Keeps the updates it gets, takes each when it has a permit, and never answers where a file goes.
pub struct FakeHost {
    pub updates: Mutex<Vec<Value>>,
    pub takes: Arc<Semaphore>,
    pub cancelled: AtomicUsize,
    pub calls: Mutex<Vec<ToolReply>>,
}

impl Host for FakeHost {
    fn call_tool(&self, _call: HostToolCall, answer: ToolReply) {
        self.calls.lock().unwrap().push(answer);
    }

    fn cancel_tool(&self, _id: u64) {
        self.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    fn update(&self, _call: u64, changes: String) -> BoxFuture<'static, ()> {
        self.updates.lock().unwrap().push(serde_json::from_str(&changes).unwrap());
        let takes = Arc::clone(&self.takes);
        Box::pin(async move { takes.acquire().await.expect("never closed").forget() })
    }

    fn allocate_artifact(&self, _kind: &str) -> BoxFuture<'static, Result<Allocated, String>> {
        Box::pin(std::future::pending())
    }
}

pub struct Fake {
    pub tool: Arc<Tool>,
    pub host: Arc<FakeHost>,
    pub starter: Arc<FakeStarter>,
    calls: AtomicU64,
}

impl Fake {
    pub fn new(scripts: Vec<Script>) -> Self {
        Self::with(Options::new(PathBuf::from("/")), scripts)
    }

    pub fn with(options: Options, scripts: Vec<Script>) -> Self {
        let host = Arc::new(FakeHost {
            updates: Mutex::default(),
            takes: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            cancelled: AtomicUsize::new(0),
            calls: Mutex::default(),
        });
        let starter = Arc::new(FakeStarter {
            scripts: Arc::new(Mutex::new(scripts.into())),
            kernels: Mutex::default(),
            starts: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        });
        let started = Arc::clone(&starter);
        let tool = Tool::new(0, options, host.clone(), move |_| Arc::new(started), Box::new(|| Err("none".to_owned())));
        Self { tool: Arc::new(tool), host, starter, calls: AtomicU64::new(1) }
    }

    /// Starts a call of so many cells; its id, and what it resolves to.
    pub fn call(&self, cells: usize) -> (u64, tokio::task::JoinHandle<EvalResult>) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let stop = self.tool.begin(call);
        let cells: Vec<Value> = (0..cells).map(|_| json!({ "language": "js", "code": "1", "timeout": 1 })).collect();
        let params = json!({ "cells": cells }).to_string();
        let running = Arc::clone(&self.tool).execute(call, stop, params, Vec::new(), true);
        (call, tokio::spawn(async move { running.await.expect("a result") }))
    }

    pub async fn run(&self, cells: usize) -> EvalResult {
        self.call(cells).1.await.expect("no panic")
    }
}

pub fn script<R>(action: impl FnOnce(Arc<dyn RunObserver>, Told) -> R + Send + 'static) -> Script
where
    R: Future<Output = RunEnd> + Send + 'static,
{
    Box::new(move |observer, told| Box::pin(action(observer, told)))
}

/// A run that prints this and ends well.
pub fn prints(text: &'static str) -> Script {
    script(move |observer, _| async move {
        observer.text(text.as_bytes());
        RunEnd::kept(Outcome::Complete)
    })
}

pub fn text_of(result: &EvalResult) -> String {
    serde_json::to_value(result).unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
}
