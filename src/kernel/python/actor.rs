//! The task that owns the child: reads its output and its frames in order, and notices its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};

use super::background::Tail;
use super::frames::{self, Call, FromChild, Scope, Shown, Started, ToChild};
use super::lines::Lines;
use super::machine::Phase;
use super::shown;
use super::transport::{Output, Reader, Sender};
use crate::json;
use crate::kernel::{Display, RunObserver, ToolAnswer, ToolCall, VariableInfo};
use crate::limits::{BACKGROUND_BYTES, PYTHON_READ_BYTES, PYTHON_STATUS_DEPTH};
use crate::process::{Child, Exit, LifeLine, kill_tagged};

/// What the actor, the driver and pending replies share.
pub struct Shared {
    pub kernel_id: String,
    pub session_file: Option<std::path::PathBuf>,
    pub sender: Sender,
    pub group: crate::process::Group,
    pub phase: Mutex<Phase>,
    pub background: Mutex<Tail>,
    pub variables: Mutex<Option<(u64, oneshot::Sender<Vec<VariableInfo>>)>>,
    pub ended: watch::Sender<Option<String>>,
    pub exit: Mutex<Exit>,
    /// Set by whoever asks for the end, so that the reason says so.
    pub asked_to_end: Mutex<Option<&'static str>>,
}

/// Locks without caring for poison: what these locks guard is whole after every statement.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Has the runner raise an interrupt, when this run is current; 0 is whatever keeps it busy while it is idle.
    pub fn interrupt(&self, run: u64) {
        self.sender.send(ToChild::Interrupt { run }.line());
        if self.sender.needs_signal() {
            self.group.interrupt_leader();
        }
    }
}

/// The task's own things.
pub struct Actor {
    pub shared: Arc<Shared>,
    pub child: Child,
    pub output: Output,
    pub reader: Reader,
    pub lines: Lines,
    pub booted: Option<oneshot::Sender<frames::BootAck>>,
    /// The runner buffers, because the cell prints much.
    pub burst: bool,
    /// Output that came between a run's request and its start.
    pub unowned: Vec<u8>,
    pub dropped: u64,
    pub life: LifeLine,
}

impl Actor {
    /// Runs until the child has ended and everything it left behind is gone.
    pub async fn run(mut self) {
        let exited = self.child.exited();
        tokio::pin!(exited);
        let (mut text, mut frames) = (vec![0; PYTHON_READ_BYTES], vec![0; PYTHON_READ_BYTES]);
        let mut has_output = true;
        let exit = loop {
            tokio::select! {
                read = self.output.read(&mut text), if has_output => match read {
                    count @ 1.. => self.text(&text[..count]),
                    // Every process that held the pipe has closed it. Only the exit counts; until then frames go on.
                    0 => has_output = false,
                },
                read = self.reader.read(&mut frames) => match read {
                    count @ 1.. => {
                        self.lines.push(&frames[..count]);
                        self.frames();
                    }
                    0 => {
                        // Nothing can be said to it any more, and it has nothing to say.
                        self.shared.group.kill();
                        break exited.await;
                    }
                },
                exit = &mut exited => break exit,
            }
        };
        self.finish(exit).await;
    }

    /// The child is dead, its group too. What it said before counts.
    async fn finish(mut self, exit: Exit) {
        let mut buffer = vec![0; PYTHON_READ_BYTES];
        while let Some(count) = self.reader.read_left(&mut buffer).await {
            self.lines.push(&buffer[..count]);
        }
        self.frames();
        self.drain();
        let asked = lock(&self.shared.asked_to_end).map(str::to_owned);
        let how = asked.clone().unwrap_or_else(|| exit.sentence());
        tracing::debug!(target: "evalcell::python", pid = self.child.pid, %exit, "kernel ended");
        *lock(&self.shared.exit) = exit;
        lock(&self.shared.phase).die(exit, how.clone(), asked, self.burst);
        lock(&self.shared.variables).take();
        let kernel_id = self.shared.kernel_id.clone();
        // Looks through all processes: not on a thread that others wait for.
        let _ = tokio::task::spawn_blocking(move || kill_tagged(&kernel_id)).await;
        self.shared.ended.send_replace(Some(how));
    }

    /// Reads the output that was there at this moment, and not what comes after it.
    fn drain(&mut self) {
        let bytes = self.output.drain();
        if !bytes.is_empty() {
            self.text(&bytes);
        }
    }

    fn text(&mut self, bytes: &[u8]) {
        let observer = match lock(&self.shared.phase).current() {
            Some(run) if run.started => Some(Arc::clone(&run.observer)),
            // Whose it is will be known when the run has started.
            Some(_) if self.unowned.len() < BACKGROUND_BYTES => {
                self.unowned.extend_from_slice(bytes);
                return;
            }
            Some(_) | None => None,
        };
        match observer {
            Some(observer) => observer.text(bytes),
            None => lock(&self.shared.background).push(bytes),
        }
    }

    /// A run has started. With a place: what was printed before is an earlier cell's; else there was nobody to print.
    fn started(&mut self, started: &Started) -> bool {
        if started.place.is_some() {
            self.drain();
        }
        let unowned = std::mem::take(&mut self.unowned);
        let observer = lock(&self.shared.phase).current_is(started.run).map(|run| {
            run.started = true;
            Arc::clone(&run.observer)
        });
        match &observer {
            Some(observer) if started.place.is_none() && !unowned.is_empty() => observer.text(&unowned),
            _ => lock(&self.shared.background).push(&unowned),
        }
        self.confirm(started.place);
        observer.is_some()
    }

    fn observer_of(&self, id: u64) -> Option<Arc<dyn RunObserver>> {
        lock(&self.shared.phase).current_is(id).map(|run| Arc::clone(&run.observer))
    }

    fn frames(&mut self) {
        while let Some(line) = self.lines.take() {
            let kept = line.and_then(|line| {
                // Whoever sent it waits for this, and one bad frame must not cost more than itself.
                frames::read(&line).inspect_err(|_| self.confirm(frames::place_of(&line)))
            });
            let kept = kept.and_then(|frame| self.frame(frame));
            if let Err(problem) = kept {
                self.dropped += 1;
                let dropped = self.dropped;
                tracing::warn!(target: "evalcell::python", pid = self.child.pid, dropped, problem, "frame dropped");
            }
        }
    }

    fn frame(&mut self, frame: FromChild) -> Result<(), String> {
        let phase = Arc::clone(&self.shared);
        let phase = || lock(&phase.phase);
        let known = match frame {
            FromChild::BootAck(ack) => {
                let booted = self.booted.take().ok_or("a second boot-ack")?;
                *phase() = Phase::Idle { quiet: false };
                booted.send(ack).is_ok()
            }
            FromChild::Started(started) => self.started(&started),
            FromChild::Display(shown) => {
                self.drain();
                self.confirm(shown.place);
                return self.display(shown);
            }
            FromChild::Status(status) => {
                self.drain();
                self.confirm(status.place);
                let event = status.event.get();
                if !event.starts_with('{') || json::depth(event).is_none_or(|depth| depth > PYTHON_STATUS_DEPTH) {
                    return Err("a status event that is none".into());
                }
                self.observer_of(status.run).map(|observer| observer.status(status.event)).is_some()
            }
            FromChild::Call(call) => {
                self.drain();
                self.confirm(call.place);
                return self.call(call);
            }
            FromChild::Result(value) => phase().value(value.run, value.value),
            FromChild::Error(error) => phase().error(error),
            FromChild::Done(done) => {
                self.drain();
                if !self.unowned.is_empty() {
                    // It never started.
                    let unowned = std::mem::take(&mut self.unowned);
                    lock(&self.shared.background).push(&unowned);
                }
                if let (Some(text), Some(observer)) = (&done.text, self.observer_of(done.run)) {
                    observer.text(text.as_bytes());
                }
                phase().done(done)
            }
            FromChild::Variables(variables) => {
                let mut waiting = lock(&self.shared.variables);
                match waiting.take_if(|(id, _)| *id == variables.id) {
                    Some((_, sender)) => {
                        sender.send(variables.items.into_iter().map(VariableInfo::from).collect()).is_ok()
                    }
                    None => false,
                }
            }
            FromChild::Burst(burst) => {
                self.burst = burst.on;
                true
            }
        };
        if known { Ok(()) } else { Err("for no current run or request".into()) }
    }

    /// Tells the runner that everything before its frame has been read.
    fn confirm(&self, place: Option<u64>) {
        if let Some(place) = place {
            self.shared.sender.send(ToChild::Drained { place }.line());
        }
    }

    fn display(&self, shown: Shown) -> Result<(), String> {
        let observer = self.observer_of(shown.run);
        let display = shown::rebuild(shown)?;
        match (observer, display) {
            (Some(observer), display) => observer.display(display),
            // Between cells there is no place for anything but text.
            (None, Display::Text { text, .. }) => lock(&self.shared.background).push(text.as_bytes()),
            (None, _) => return Err("a display that belongs to no run".into()),
        }
        Ok(())
    }

    fn call(&self, call: Call) -> Result<(), String> {
        let Call { id, run, scope, name, args, .. } = call;
        let observer = {
            let mut phase = lock(&self.shared.phase);
            match phase.current_is(run) {
                Some(current) if scope == Scope::Tool => {
                    if current.pending.insert(id, name.clone()).is_some() {
                        return Err("a second call with the same id".into());
                    }
                    Some(Arc::clone(&current.observer))
                }
                // A helper needs no run: threads and tasks of earlier cells may read a file.
                _ if scope == Scope::Helper => None,
                _ => {
                    drop(phase);
                    let answer = Err("Tools can be called only while a cell runs.".to_owned());
                    self.shared.sender.send(frames::reply_line(id, &answer));
                    return Err("a call that belongs to no run".into());
                }
            }
        };
        let shared = Arc::clone(&self.shared);
        match observer {
            Some(observer) => {
                let reply = Box::new(move |answer: ToolAnswer| {
                    let is_wanted = lock(&shared.phase)
                        .current_is(run)
                        .is_some_and(|current| current.pending.remove(&id).is_some());
                    if is_wanted {
                        shared.sender.send(frames::reply_line(id, &answer.map_err(|failure| failure.message)));
                    }
                });
                observer.tool_call(ToolCall { id, name, args: String::from(Box::<str>::from(args)), reply });
            }
            None => super::helpers::answer(name, &args, self.shared.session_file.clone(), move |answer| {
                shared.sender.send(frames::reply_line(id, &answer));
            }),
        }
        Ok(())
    }
}
