//! [`WorkerPort`] on the worker's own callback.

use std::sync::Arc;

use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeCallContext, ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};

use crate::kernel::js::{Command, WorkerPort};
use crate::kernel::{RunRequest, ToolFailure};

/// What the worker's control function is called with: kind, id, and what the kind needs.
pub type ControlArguments = (u32, f64, String, String, u32, String);

/// The kinds; the same numbers stand in `runtime/cells.js`.
mod kind {
    pub const NOTHING: u32 = 0;
    pub const RUN: u32 = 1;
    pub const ABANDON: u32 = 2;
    pub const REPLY: u32 = 3;
    pub const VARIABLES: u32 = 4;
    pub const EXIT: u32 = 5;
}

/// Strong, unlike every other callback of ours: it is what keeps the worker's event loop alive. The worker itself does
/// not keep the host alive.
type Control = ThreadsafeFunction<Command, (), FnArgs<ControlArguments>, Status, false, false>;

struct Port(Control);

impl WorkerPort for Port {
    fn send(&self, command: Command) -> bool {
        self.0.call(command, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }
}

pub fn port(control: &Function<'_, FnArgs<ControlArguments>, ()>) -> Result<Arc<dyn WorkerPort>> {
    let control: Control =
        control.build_threadsafe_function::<Command>().callee_handled::<false>().weak::<false>().build_callback(
            |context: ThreadsafeCallContext<Command>| Ok(FnArgs { data: native_half(context.value) }),
        )?;
    Ok(Arc::new(Port(control)))
}

/// What a command does before any JavaScript of it runs, and what its JavaScript gets.
#[allow(clippy::cast_precision_loss, reason = "ids are counted from 1")]
fn native_half(command: Command) -> ControlArguments {
    let Some(session) = super::js_worker::session() else { return nothing() };
    let none = String::new;
    match command {
        Command::Run(request) => run(&session, request),
        Command::Abandon(run) => {
            let hit = session.abandon(run);
            (kind::ABANDON, run as f64, none(), none(), u32::from(hit), none())
        }
        Command::Reply { run, call, answer } => match answer {
            Ok(json) => (kind::REPLY, call as f64, json, none(), 1, run.to_string()),
            Err(ToolFailure { message }) => (kind::REPLY, call as f64, message, none(), 0, run.to_string()),
        },
        Command::Variables { request } => (kind::VARIABLES, request as f64, none(), none(), 0, none()),
        Command::Exit => {
            session.interrupt_handle().set_terminating();
            (kind::EXIT, 0.0, none(), none(), 0, none())
        }
    }
}

fn nothing() -> ControlArguments {
    (kind::NOTHING, 0.0, String::new(), String::new(), 0, String::new())
}

#[allow(clippy::cast_precision_loss, reason = "ids are counted from 1")]
fn run(session: &crate::kernel::js::Session, request: RunRequest) -> ControlArguments {
    match session.plans(|plans| plans.plan(&request)) {
        Ok(plan) => {
            session.interrupt_handle().begin(request.run);
            (kind::RUN, request.run as f64, plan.main, request.cell, plan.flags, plan.rest)
        }
        Err(end) => {
            session.end_early(request.run, *end);
            nothing()
        }
    }
}
