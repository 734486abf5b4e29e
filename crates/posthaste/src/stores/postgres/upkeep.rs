//! What has to be done now and then, whether or not anything is purged: segments for the days to come, and few old ticks.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::pool::Client;
use super::segments;
use super::session::Statements;
use crate::error::Result;

const INTERVAL: Duration = Duration::from_secs(600);

/// When this process did it last.
#[derive(Debug, Default)]
pub(super) struct Upkeep(Mutex<Option<Instant>>);

impl Upkeep {
    /// Does it, if it was not done lately. The caller wanted something else and is not to fail for this: there is time until the
    /// next round.
    pub(super) async fn if_due(&self, client: &Client) {
        if self.is_due() {
            let _ = run(client).await;
        }
    }

    /// Whether it is due; if so, the caller does it.
    fn is_due(&self) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= INTERVAL);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

pub(super) async fn run(client: &Client) -> Result<()> {
    segments::add(client).await?;
    for sql in [include_str!("sql/upkeep/marks.sql"), include_str!("sql/upkeep/ticks.sql")] {
        client.execute(sql, &[]).await?;
    }
    Ok(())
}
