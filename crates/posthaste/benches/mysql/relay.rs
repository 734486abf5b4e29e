//! The relay, with a sink that forgets.

use std::time::Instant;

use mysql_async::prelude::Queryable;
use posthaste::relay::Settings;

use crate::database::Database;
use crate::memory::peak_rss_mb;
use crate::null::drain;
use crate::{BACKLOG, MESSAGES, rate};

/// Messages per second; while somebody else looks at the database as it was before, or not.
pub(crate) async fn drain_rate(under_a_snapshot: bool) -> f64 {
    let database = Database::filled("drain", MESSAGES).await;
    let mut other = database.connect().await;
    if under_a_snapshot {
        other.query_drop("START TRANSACTION WITH CONSISTENT SNAPSHOT").await.expect("a snapshot");
        other.query_drop("UPDATE claims SET attempts = attempts LIMIT 1").await.expect("a write in it");
    }
    let begun = Instant::now();
    drain(database.store(), MESSAGES, Settings::default()).await;
    rate(MESSAGES, begun)
}

/// The most memory the process ever had while it drained a million messages.
pub(crate) async fn rss_mb_at_1m() -> f64 {
    let database = Database::filled("rss", BACKLOG).await;
    peak_rss_mb(drain(database.store(), BACKLOG, Settings::default())).await
}
