//! When an update is due: at most one per interval for output, one at each status change. A pure gate; it has no clock.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// What the one who sends updates does next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NextUpdate {
    /// Send one now. The gate has noted it.
    Send,
    /// Ask again at this time.
    At(Instant),
    /// Nothing to send until something changes.
    Idle,
    /// Nothing to send any more.
    Closed,
}

/// Collects changes from any thread; one pump asks it when to send.
///
/// A pump sleeps until [`UpdateGate::changed`] or [`UpdateGate::status_changed`] returned true to whoever made the change,
/// then asks [`UpdateGate::next`] until it says [`NextUpdate::Idle`] or [`NextUpdate::Closed`].
#[derive(Debug)]
pub struct UpdateGate {
    interval: Duration,
    state: Mutex<GateState>,
}

#[derive(Debug)]
struct GateState {
    open: bool,
    dirty: bool,
    status: bool,
    last: Option<Instant>,
}

impl UpdateGate {
    pub fn new(interval: Duration) -> Self {
        Self { interval, state: Mutex::new(GateState { open: true, dirty: false, status: false, last: None }) }
    }

    /// A gate for a call without a callback: nothing ever becomes due.
    pub fn off() -> Self {
        let gate = Self::new(Duration::ZERO);
        gate.close();
        gate
    }

    /// Output changed. True when the pump may be asleep and must be woken.
    pub fn changed(&self) -> bool {
        self.note(false)
    }

    /// A cell's status changed: due at once. True when the pump must be woken.
    pub fn status_changed(&self) -> bool {
        self.note(true)
    }

    fn note(&self, status: bool) -> bool {
        let mut state = self.lock();
        let news = state.open && (!state.dirty || (status && !state.status));
        state.dirty |= state.open;
        state.status |= state.open && status;
        news
    }

    pub fn next(&self, now: Instant) -> NextUpdate {
        let mut state = self.lock();
        if !state.dirty {
            return if state.open { NextUpdate::Idle } else { NextUpdate::Closed };
        }
        let due = state.last.map_or(now, |last| last + self.interval);
        if !state.status && due > now {
            return NextUpdate::At(due);
        }
        state.dirty = false;
        state.status = false;
        state.last = Some(now);
        NextUpdate::Send
    }

    /// The cells have ended: output is in the result soon, but a change of status that was not sent yet is still due.
    pub fn close(&self) {
        let mut state = self.lock();
        state.open = false;
        state.dirty = state.status;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(50);

    #[test]
    fn output_is_coalesced_to_one_update_per_interval() {
        let gate = UpdateGate::new(INTERVAL);
        let start = Instant::now();
        assert!(gate.changed());
        assert!(!gate.changed(), "the pump is woken once");
        assert_eq!(gate.next(start), NextUpdate::Send);
        assert_eq!(gate.next(start), NextUpdate::Idle);
        assert!(gate.changed());
        assert_eq!(gate.next(start + INTERVAL / 2), NextUpdate::At(start + INTERVAL));
        assert_eq!(gate.next(start + INTERVAL), NextUpdate::Send);
    }

    #[test]
    fn a_status_change_is_due_at_once() {
        let gate = UpdateGate::new(INTERVAL);
        let start = Instant::now();
        gate.changed();
        assert_eq!(gate.next(start), NextUpdate::Send);
        gate.changed();
        assert!(gate.status_changed(), "a sleeping pump is woken for it");
        assert_eq!(gate.next(start), NextUpdate::Send);
    }

    #[test]
    fn nothing_is_due_after_the_cells_ended_or_without_a_callback() {
        let gate = UpdateGate::new(INTERVAL);
        gate.changed();
        gate.close();
        assert!(!gate.status_changed());
        assert_eq!(gate.next(Instant::now()), NextUpdate::Closed);
        let off = UpdateGate::off();
        assert!(!off.changed());
        assert_eq!(off.next(Instant::now()), NextUpdate::Closed);
    }

    #[test]
    fn the_last_change_of_status_is_sent_before_the_gate_is_closed() {
        let gate = UpdateGate::new(INTERVAL);
        let now = Instant::now();
        gate.status_changed();
        gate.close();
        assert_eq!(gate.next(now), NextUpdate::Send);
        assert_eq!(gate.next(now), NextUpdate::Closed);
    }
}
