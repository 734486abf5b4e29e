//! The relay, with a sink that forgets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use mysql_async::prelude::Queryable;
use posthaste::relay::Settings;
use posthaste::sink::{self, Outcome, Run, Sink};
use posthaste::{Destination, Relay};
use tokio::sync::Notify;

use crate::database::Database;
use crate::{BACKLOG, MESSAGES, rate};

/// Counts and forgets.
#[derive(Debug)]
struct Null {
    left: AtomicUsize,
    done: Notify,
}

#[async_trait]
impl Sink for Null {
    async fn deliver(&self, run: &Run) -> Outcome {
        if self.left.fetch_sub(run.deliveries.len(), Ordering::Relaxed) == run.deliveries.len() {
            self.done.notify_one();
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), sink::Error> {
        Ok(())
    }
}

/// From the start of a relay to its clean end, with everything delivered and recorded.
async fn drain(database: &Database, messages: usize, settings: Settings) {
    let sink = Arc::new(Null { left: AtomicUsize::new(messages), done: Notify::new() });
    let relay = Relay::builder(Arc::new(database.store()))
        .settings(Settings { retention: None, ..settings })
        .destination(Destination::new("null"), sink.clone())
        .build();
    relay.run(async move { sink.done.notified().await }).await.expect("a clean end");
}

/// Messages per second; while somebody else looks at the database as it was before, or not.
pub(crate) async fn drain_rate(under_a_snapshot: bool) -> f64 {
    let database = Database::filled("drain", MESSAGES).await;
    let mut other = database.connect().await;
    if under_a_snapshot {
        other.query_drop("START TRANSACTION WITH CONSISTENT SNAPSHOT").await.expect("a snapshot");
        other.query_drop("UPDATE claims SET attempts = attempts LIMIT 1").await.expect("a write in it");
    }
    let begun = Instant::now();
    drain(&database, MESSAGES, Settings::default()).await;
    rate(MESSAGES, begun)
}

/// The most memory the process ever had while it drained a million messages.
pub(crate) async fn rss_mb_at_1m() -> f64 {
    let database = Database::filled("rss", BACKLOG).await;
    // What it took to write them does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    drain(&database, BACKLOG, Settings::default()).await;
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: f64 = peak.trim().trim_end_matches("kB").trim().parse().expect("a number");
    (kilobytes / 1024.0).round()
}
