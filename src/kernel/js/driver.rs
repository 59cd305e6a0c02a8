//! The driver that everything above a kernel uses.

use std::sync::Arc;
use std::time::Instant;

use super::session::{Session, variables_from};
use crate::kernel::linger::{self, Quick};
use crate::kernel::{
    Background, BoxFuture, Driver, KernelFacts, Outcome, RunEnd, RunId, RunObserver, RunRequest, VariableInfo,
};
use crate::language::Language;
use crate::limits::{EXIT_GRACE, JS_ABANDON_WAIT};

/// One JavaScript worker. Dropping it ends the worker.
pub struct JsKernel {
    session: Arc<Session>,
    quick: Arc<Quick>,
}

impl JsKernel {
    pub(super) fn new(session: Arc<Session>) -> Arc<Self> {
        Arc::new(Self { session, quick: Arc::default() })
    }

    /// Whether a spinning run can be stopped with its bindings kept. Not so where V8's functions cannot be reached (Bun,
    /// Windows): there a stop of code that never yields ends in [`Driver::kill`].
    pub fn is_interruptible(&self) -> bool {
        self.session.is_interruptible()
    }
}

impl Drop for JsKernel {
    fn drop(&mut self) {
        self.session.kill("the JavaScript kernel was dropped");
    }
}

impl Driver for JsKernel {
    fn run(&self, request: RunRequest, observer: Arc<dyn RunObserver>) -> BoxFuture<'static, RunEnd> {
        let started = Instant::now();
        let mut end = self.session.run(request, observer);
        let quick = Arc::clone(&self.quick);
        let early = quick.wait_until().and_then(|until| linger::wait(&mut end, until));
        Box::pin(async move {
            let end = match early {
                Some(end) => end,
                None => end.await,
            };
            quick.ended(started);
            end.unwrap_or_else(|_| {
                RunEnd::lost(Outcome::KernelExit {
                    signal: None,
                    code: None,
                    reason: Some("The JavaScript worker is gone".into()),
                    output_may_be_incomplete: false,
                })
            })
        })
    }

    fn interrupt(&self, run: RunId) {
        self.session.stop(run);
    }

    fn kill(&self) {
        self.session.kill("the JavaScript kernel was ended");
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        let session = self.session.clone();
        Box::pin(async move {
            // A run in progress would keep the thread from hearing the question.
            let asked = !session.has_run() && session.ask_to_exit();
            if !asked || tokio::time::timeout(EXIT_GRACE, session.exited()).await.is_err() {
                session.kill("the JavaScript kernel was closed");
            }
            if tokio::time::timeout(JS_ABANDON_WAIT, session.exited()).await.is_err() {
                tracing::warn!(
                    worker = session.worker(),
                    thread = session.thread_id(),
                    "a JavaScript thread that nothing can interrupt was abandoned"
                );
            }
            // A process that the system itself cannot get rid of must not hold the caller.
            let ending = tokio::task::spawn_blocking(move || session.end_processes());
            let _ = tokio::time::timeout(JS_ABANDON_WAIT, ending).await;
        })
    }

    fn ended(&self) -> BoxFuture<'static, String> {
        let session = self.session.clone();
        Box::pin(async move { session.ended().await })
    }

    fn take_background(&self) -> Background {
        self.session.take_background()
    }

    fn variables(&self) -> BoxFuture<'static, Result<Vec<VariableInfo>, String>> {
        let answer = self.session.ask_variables();
        Box::pin(async move {
            let json = answer.await.map_err(|_| "The JavaScript worker is gone.".to_string())?;
            variables_from(&json)
        })
    }

    fn facts(&self) -> KernelFacts {
        KernelFacts {
            language: Language::Js,
            pid: None,
            thread_id: self.session.thread_id(),
            executable: None,
            version: Some(self.session.node_version.clone()),
            started_at: self.session.started_at,
        }
    }
}
