//! Why a call must stop. The first cause wins, and everything that waits hears of it at once.

use std::sync::Arc;

use tokio::sync::watch;

use crate::output::StopCause;

/// One call's stop, shared by everybody who can ask for it and everybody who must obey.
#[derive(Clone, Debug)]
pub struct StopSignal {
    cause: Arc<watch::Sender<Option<StopCause>>>,
}

impl Default for StopSignal {
    fn default() -> Self {
        Self { cause: Arc::new(watch::Sender::new(None)) }
    }
}

impl StopSignal {
    /// Asks for a stop; false when an earlier cause already did.
    pub fn stop(&self, cause: StopCause) -> bool {
        self.cause.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(cause);
            }
            first
        })
    }

    pub fn cause(&self) -> Option<StopCause> {
        *self.cause.borrow()
    }

    /// Resolves with the cause once there is one.
    pub async fn stopped(&self) -> StopCause {
        let mut receiver = self.cause.subscribe();
        let cause = receiver.wait_for(Option::is_some).await.ok().and_then(|cause| *cause);
        match cause {
            Some(cause) => cause,
            // This signal holds the sender, so the channel cannot close while we wait.
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_cause_wins() {
        let signal = StopSignal::default();
        let waiter = tokio::spawn({
            let signal = signal.clone();
            async move { signal.stopped().await }
        });
        assert!(signal.stop(StopCause::Abort));
        assert!(!signal.stop(StopCause::Disposed));
        assert_eq!(waiter.await.unwrap(), StopCause::Abort);
        assert_eq!(signal.stopped().await, StopCause::Abort);
    }
}
