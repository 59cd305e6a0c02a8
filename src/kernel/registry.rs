//! Every session of this process: who shares it, who owns it, and when an idle Python kernel is let go.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::session::{Session, SessionKey};
use crate::language::Language;

/// How long, and how many, Python kernels may be idle.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Retention {
    pub idle_timeout: Duration,
    pub max_kernels: usize,
}

#[derive(Default)]
struct Registry {
    sessions: HashMap<SessionKey, Weak<Session>>,
    /// Sessions with a Python kernel that retention looks at.
    watched: Vec<(Weak<Session>, Retention)>,
    /// When the one retention task looks next; `None` when it does not run.
    next_look: Option<Instant>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// Has the retention task look before its time.
static LOOK_NOW: Notify = Notify::const_new();

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session of this key, made when no tool has it.
pub fn open(key: &SessionKey) -> Arc<Session> {
    let mut registry = registry();
    registry.sessions.retain(|_, session| session.strong_count() > 0);
    if let Some(session) = registry.sessions.get(key).and_then(Weak::upgrade) {
        return session;
    }
    let session = Arc::new(Session::new(key.clone()));
    registry.sessions.insert(key.clone(), Arc::downgrade(&session));
    session
}

fn select(wanted: impl Fn(&Session) -> bool) -> Vec<Arc<Session>> {
    registry().sessions.values().filter_map(Weak::upgrade).filter(|session| wanted(session)).collect()
}

/// Closes every kernel of the sessions that name this owner, and waits until they are gone.
pub async fn close_owner(owner: &str) {
    let closing = select(|session| session.has_owner(owner)).into_iter().map(|session| {
        tokio::spawn(async move {
            for language in [Language::Python, Language::Js] {
                session.close(language, Some("its owner was disposed by the host".to_owned())).await;
            }
        })
    });
    for task in closing.collect::<Vec<_>>() {
        // A panic in one session's shutdown must not keep the others from being waited for.
        let _ = task.await;
    }
}

/// Ends every kernel of an environment that is ending; does not wait.
pub fn environment_ended(environment: u64) {
    for session in select(|session| session.key.environment == environment) {
        session.kill_all();
    }
}

/// Tells retention that a session's Python kernel has become idle.
pub fn became_idle(session: &Arc<Session>, retention: Retention) {
    let mut registry = registry();
    let known = registry.watched.iter_mut().find(|(watched, _)| std::ptr::eq(watched.as_ptr(), Arc::as_ptr(session)));
    match known {
        Some(entry) => entry.1 = retention,
        None => registry.watched.push((Arc::downgrade(session), retention)),
    }
    let now = Instant::now();
    match registry.next_look {
        None => {
            registry.next_look = Some(now);
            tokio::spawn(sweep());
        }
        Some(next) if now + retention.idle_timeout < next || over_limit(&registry.watched, now) => {
            LOOK_NOW.notify_one()
        }
        Some(_) => {}
    }
}

fn idle(watched: &[(Weak<Session>, Retention)], now: Instant) -> Vec<(Arc<Session>, Retention, Duration)> {
    let mut rows: Vec<_> = watched
        .iter()
        .filter_map(|(session, retention)| {
            let session = session.upgrade()?;
            let idle = session.idle_for(Language::Python, now)?;
            Some((session, *retention, idle))
        })
        .collect();
    rows.sort_by_key(|(_, _, idle)| std::cmp::Reverse(*idle));
    rows
}

fn over_limit(watched: &[(Weak<Session>, Retention)], now: Instant) -> bool {
    let rows = idle(watched, now);
    rows.iter().any(|(_, retention, _)| rows.len() > retention.max_kernels)
}

/// One timer for all sessions, only while there is something to check.
async fn sweep() {
    loop {
        let next = close_expired().await;
        let Some(next) = next else { return };
        tokio::select! {
            () = tokio::time::sleep_until(next) => {}
            () = LOOK_NOW.notified() => {}
        }
    }
}

/// Closes what is over its idle time or over the count, longest idle first; says when to look again.
async fn close_expired() -> Option<Instant> {
    let now = Instant::now();
    let rows = idle(&registry().watched, now);
    let mut remaining = rows.len();
    let mut next: Option<Duration> = None;
    for (session, retention, idle_for) in rows {
        let expired = idle_for >= retention.idle_timeout;
        if expired || remaining > retention.max_kernels {
            let reason = if expired {
                format!("its kernel was closed after {} s without use", retention.idle_timeout.as_secs_f64())
            } else {
                format!("its kernel was closed because more than {} were idle", retention.max_kernels)
            };
            // The turn keeps a call that starts just now from losing the kernel under its feet.
            if let Ok(_turn) = session.turn.try_lock() {
                session.close(Language::Python, Some(reason)).await;
                remaining -= 1;
                continue;
            }
        }
        let left = retention.idle_timeout.saturating_sub(idle_for).max(Duration::from_millis(1));
        next = Some(next.map_or(left, |earlier: Duration| earlier.min(left)));
    }
    let mut registry = registry();
    registry.watched.retain(|(session, _)| session.upgrade().is_some_and(|s| s.current(Language::Python).is_some()));
    if registry.watched.is_empty() {
        registry.next_look = None;
        return None;
    }
    // Busy kernels announce themselves when they become idle again; until then their whole idle time lies ahead.
    let longest = registry.watched.iter().map(|(_, retention)| retention.idle_timeout).min();
    registry.next_look = next.or(longest).map(|wait| Instant::now() + wait.max(Duration::from_millis(10)));
    registry.next_look
}
