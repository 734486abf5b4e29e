//! Waiting for a store that cannot be reached yet. An orchestrator starts relays and databases in any order, and a relay that ended
//! because its database is not up would only be started again and again.

use std::future::Future;
use std::time::Duration;

use super::signals::{Signal, Signals};

/// How long to wait before the second try.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Pauses double up to this one.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Sends a request until the store answers; `None` if the relay is told to stop before. Fails for what waiting cannot mend, such as a
/// wrong password.
pub async fn wait_for_store<T, F>(signals: &mut Signals, mut request: impl FnMut() -> F) -> posthaste::Result<Option<T>>
where
    F: Future<Output = posthaste::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        let answer = tokio::select! {
            answer = request() => answer,
            () = stop(signals) => return Ok(None),
        };
        match answer {
            Ok(answer) => return Ok(Some(answer)),
            Err(error) if !error.is_temporary() => return Err(error),
            Err(error) => tracing::warn!(%error, retry_in = ?pause, "the store cannot be reached; waiting for it"),
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stop(signals) => return Ok(None),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn stop(signals: &mut Signals) {
    while signals.next().await == Signal::Reload {
        tracing::warn!("told to read the config again while waiting for the store; restart the program instead");
    }
}
