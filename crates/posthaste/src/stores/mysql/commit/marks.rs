//! When lanes passed a message, without a write for it.
//!
//! What is marked is where the cursor stood rather than where it goes: whatever is overwritten was the newest for less than the interval,
//! so the first mark at or beyond a message is at most that much later than its delivery.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Transaction, params};

use super::super::{MySql, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::Partition;

/// Between two marks of a lane: how exactly the time of a delivery is known.
const INTERVAL: Duration = Duration::from_secs(10);

/// When the lanes of this process were last looked at for a mark.
#[derive(Debug, Default)]
pub(in crate::stores::mysql) struct Marks(Mutex<HashMap<(Name, Partition), Instant>>);

impl Marks {
    /// Those of these lanes that may have to be marked; they count as looked at.
    fn due(&self, destination: &Name, partitions: impl Iterator<Item = Partition>) -> Vec<Partition> {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_due = |partition: &Partition| {
            let last = looked.entry((destination.clone(), *partition)).or_insert(now - INTERVAL);
            let due = now.saturating_duration_since(*last) >= INTERVAL;
            if due {
                *last = now;
            }
            due
        };
        partitions.filter(is_due).collect()
    }
}

/// Marks those of these lanes for which it is time.
pub(super) async fn mark(
    store: &MySql,
    transaction: &mut Transaction<'_>,
    destination: &Name,
    partitions: impl Iterator<Item = Partition>,
) -> Result<()> {
    let due = store.shared.marks.due(destination, partitions);
    if due.is_empty() {
        return Ok(());
    }
    let list = codec::partitions(due);
    for sql in [include_str!("../sql/commit/mark.sql"), include_str!("../sql/commit/marked.sql")] {
        let lanes = params! { "destination" => destination.as_str(), "interval" => codec::micros(INTERVAL) };
        transaction.exec_drop(sql.replace("{partitions}", &list), lanes).await?;
    }
    Ok(())
}
