//! A store that is not there yet is waited for: an orchestrator starts relays and databases in any order, and a relay that ends
//! because of that is only started again and again.

use std::future::Future;
use std::time::Duration;

use super::signals::{Signal, Signals};

/// Between two looks: at first, and at most.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(5);

/// What the store answers as soon as it does; nothing if the relay is told to stop before. Fails for what waiting cannot mend,
/// such as a password.
pub async fn patiently<T, F>(signals: &mut Signals, mut ask: impl FnMut() -> F) -> posthaste::Result<Option<T>>
where
    F: Future<Output = posthaste::Result<T>>,
{
    let mut pause = FIRST;
    loop {
        let answer = tokio::select! {
            answer = ask() => answer,
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
        pause = (pause * 2).min(LONGEST);
    }
}

async fn stop(signals: &mut Signals) {
    while signals.next().await == Signal::Reload {
        tracing::warn!("told to read the config again while waiting for the store; start anew instead");
    }
}
