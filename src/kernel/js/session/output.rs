//! What a run shows: text, displays, status events; and what nobody's run shows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::value::RawValue;

use super::super::output_pipe::OutputPipe;
use super::{Session, locked};
use crate::kernel::{Background, Display, RunId};

impl Session {
    /// Output of `run`, behind what already stands in its pipe.
    pub fn print(&self, run: RunId, bytes: &[u8]) {
        if self.has_pipe.load(Ordering::Relaxed) {
            self.drain_output(run);
        }
        self.text(run, bytes);
    }

    /// Output of `run`; of nobody when that run is not current (any more).
    pub fn text(&self, run: RunId, bytes: &[u8]) {
        match self.observer(run) {
            Some(observer) => observer.text(bytes),
            None if self.is_dead() => {}
            None => self.background.text(bytes),
        }
    }

    /// False when `run` is not current: the caller turns the display into background text.
    pub fn display(&self, run: RunId, display: Display) -> bool {
        if self.has_pipe.load(Ordering::Relaxed) {
            self.drain_output(run);
        }
        self.observer(run).map(|observer| observer.display(display)).is_some()
    }

    pub fn status(&self, run: RunId, event: Box<RawValue>) {
        if let Some(observer) = self.observer(run) {
            observer.status(event);
        }
    }

    /// The write end of `run`'s own pipe; -1 when there is none to be had.
    pub fn output_descriptor(self: &Arc<Self>, run: RunId) -> i32 {
        let mut pipe = locked(&self.pipe);
        if pipe.as_ref().is_none_or(|pipe| pipe.run != run) {
            *pipe = OutputPipe::open(run, Arc::downgrade(self));
            self.has_pipe.store(true, Ordering::Relaxed);
        }
        pipe.as_ref().map_or(-1, OutputPipe::descriptor)
    }

    /// Passes on what stands in `run`'s own pipe.
    pub fn drain_output(&self, run: RunId) {
        if let Some(pipe) = locked(&self.pipe).as_ref().filter(|pipe| pipe.run == run) {
            pipe.drain();
        }
    }

    /// An error that surfaced after its cell, as a sentence that names the cell.
    pub fn stray_error(&self, sentence: String) {
        if !self.is_dead() {
            self.background.error(sentence);
        }
    }

    pub(in crate::kernel::js) fn take_background(&self) -> Background {
        self.background.take()
    }
}
