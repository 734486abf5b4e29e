//! Trying again what the server gave up in favour of somebody else. Each attempt is a transaction of its own, of which nothing is left.

use std::time::Duration;

use super::error::is_conflict;
use crate::error::Error;

const ATTEMPTS: u32 = 8;

/// Before the second attempt; later ones wait longer.
const PAUSE: Duration = Duration::from_millis(2);

/// Does the work, an expression that is a future, until it succeeds or fails for another reason than a deadlock or a wait for a lock, so
/// many times at most. (As a function it would need a closure whose future can be sent to another thread, which cannot be said yet.)
macro_rules! again {
    ($work:expr) => {{
        let mut attempt = 0;
        loop {
            attempt += 1;
            match $work.await {
                Err(error) if $crate::stores::mysql::retry::is_worth_another(attempt, &error) => {
                    $crate::stores::mysql::retry::pause(attempt).await;
                }
                done => break done,
            }
        }
    }};
}
pub(super) use again;

/// Whether the next attempt may succeed.
pub(super) fn is_worth_another(attempt: u32, error: &Error) -> bool {
    attempt < ATTEMPTS && is_conflict(error)
}

/// Before the next attempt.
pub(super) async fn pause(attempt: u32) {
    tokio::time::sleep(PAUSE * attempt).await;
}
