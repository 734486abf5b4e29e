//! The relay, with a sink that forgets.

use std::time::Instant;

use posthaste::relay::Settings;

use crate::database::{Database, wal_bytes};
use crate::memory::peak_rss_mb;
use crate::null::drain;
use crate::{BACKLOG, BATCH, MESSAGES, rate};

/// Messages per second; while somebody else looks at the database as it was before, or not.
pub(crate) async fn drain_rate(under_a_snapshot: bool) -> f64 {
    let database = Database::filled("drain", MESSAGES).await;
    let other = database.connect().await;
    if under_a_snapshot {
        let hold = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class";
        other.batch_execute(hold).await.expect("a snapshot");
    }
    let begun = Instant::now();
    drain(database.store(), MESSAGES, Settings::default()).await;
    rate(MESSAGES, begun)
}

pub(crate) async fn wal_bytes_per_message() -> f64 {
    let database = Database::filled("wal", MESSAGES).await;
    let client = database.connect().await;
    let before = wal_bytes(&client).await;
    drain(database.store(), MESSAGES, Settings { read_batch: BATCH, commit_batch: BATCH, ..Settings::default() }).await;
    ((wal_bytes(&client).await - before) as f64 / MESSAGES as f64).round()
}

/// The most memory the process ever had while it drained a million messages.
pub(crate) async fn rss_mb_at_1m() -> f64 {
    let database = Database::filled("rss", BACKLOG).await;
    peak_rss_mb(drain(database.store(), BACKLOG, Settings::default())).await
}
