//! Waiting for a condition, with a deadline: the way a test waits for anything.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::error::Result;

/// Whatever takes longer does not happen. Generous, because a busy machine is no failure.
pub const DEADLINE: Duration = Duration::from_secs(120);

const PAUSE: Duration = Duration::from_millis(5);

/// Asks again and again until the answer is yes; fails the test at the deadline.
pub async fn eventually<F, Answer>(what: &str, mut condition: F) -> Result<()>
where
    F: FnMut() -> Answer,
    Answer: Future<Output = Result<bool>>,
{
    let started = Instant::now();
    while !condition().await? {
        assert!(started.elapsed() < DEADLINE, "did not happen in time: {what}");
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// As [`eventually`], for what can be seen at once.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < DEADLINE, "did not happen in time: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
