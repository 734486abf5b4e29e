//! What lanes record: one transaction for all of them, and the only write of the hot path.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{CachedStatement, Transaction, named_params};

use self::exceptions::Exceptions;
use super::{Outbox, Sqlite, codec};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::journal::{Cursor, LaneCommit, Partition};
use crate::stores::{done, values};

mod exceptions;

/// Between two marks of a lane: how exactly the time of a delivery is known.
const MARK_INTERVAL: Duration = Duration::from_secs(10);

pub(super) async fn commit(store: &Sqlite, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let commits = commits.to_vec();
    let writes = commits.iter().any(|commit| !commit.letters.is_empty());
    let refused = store.writing(move |transaction| commit_all(transaction, &commits)).await?;
    if writes {
        store.wake();
    }
    Ok(refused)
}

fn commit_all(transaction: &Transaction<'_>, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    let now = codec::now();
    let mut fence = Fence::new(transaction)?;
    let mut cursor = transaction.prepare_cached(include_str!("sql/commit/cursor.sql"))?;
    let mut refused = Vec::new();
    let mut recalled: BTreeMap<&Name, Vec<Partition>> = BTreeMap::new();
    for commit in commits {
        let Some(holder) = fence.holder(commit)? else {
            refused.push(commit.partition);
            continue;
        };
        if let Some(to) = &commit.cursor {
            mark_and_move(transaction, &mut cursor, commit, &holder, to, now)?;
        }
        if !commit.is_cursor_only() {
            Exceptions { transaction, commit, worker: &holder.worker, now }.write()?;
        }
        if !commit.letters.is_empty() {
            Outbox::new().enqueue(transaction, &commit.letters)?;
        }
        if commit.recall {
            recalled.entry(&commit.destination).or_default().push(commit.partition);
        }
    }
    recalled.iter().try_for_each(|(destination, partitions)| recall(transaction, destination, partitions, now))?;
    refused.sort_unstable();
    refused.dedup();
    Ok(refused)
}

/// What waits in these lanes for a paused tenant is due now.
fn recall(transaction: &Transaction<'_>, destination: &Name, partitions: &[Partition], now: i64) -> Result<()> {
    let partitions = codec::json(partitions)?;
    let lanes = named_params! { ":destination": destination.as_str(), ":partitions": partitions, ":now": now };
    transaction.prepare_cached(include_str!("sql/commit/recall.sql"))?.execute(lanes)?;
    Ok(())
}

/// The one who may write to a lane, and the lane's times.
struct Holder {
    worker: String,
    marked_at: i64,
    updated_at: i64,
}

/// The statement that lets a commit through or refuses it, with the columns of its rows.
struct Fence<'a> {
    statement: CachedStatement<'a>,
    worker: usize,
    marked_at: usize,
    updated_at: usize,
}

impl<'a> Fence<'a> {
    fn new(transaction: &'a Transaction<'_>) -> Result<Self> {
        let statement = transaction.prepare_cached(include_str!("sql/commit/fence.sql"))?;
        let [worker, marked_at, updated_at] = codec::columns(&statement, ["worker", "marked_at", "updated_at"])?;
        Ok(Self { statement, worker, marked_at, updated_at })
    }

    /// `None` if the lease is gone.
    fn holder(&mut self, commit: &LaneCommit) -> Result<Option<Holder>> {
        let mut rows = self.statement.query(named_params! {
            ":destination": commit.destination.as_str(), ":partition": commit.partition, ":epoch": commit.epoch,
        })?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let times = row.get::<_, Option<i64>>(self.marked_at)?.zip(row.get(self.updated_at)?);
        let (marked_at, updated_at) = times.ok_or_else(|| Error::unknown_destination(&commit.destination))?;
        Ok(Some(Holder { worker: row.get(self.worker)?, marked_at, updated_at }))
    }
}

/// Marks where the cursor stood rather than where it goes: whatever is overwritten was the newest for less than the interval, so
/// the first mark at or beyond a message is at most that much later than its delivery.
fn mark_and_move(
    transaction: &Transaction<'_>,
    cursor: &mut CachedStatement<'_>,
    commit: &LaneCommit,
    holder: &Holder,
    to: &Cursor,
    now: i64,
) -> Result<()> {
    let (destination, partition) = (commit.destination.as_str(), commit.partition);
    let mut marked_at = holder.marked_at;
    if now.saturating_sub(marked_at) >= values::millis(MARK_INTERVAL) {
        let lane = named_params! { ":destination": destination, ":partition": partition };
        transaction.prepare_cached(include_str!("sql/commit/mark.sql"))?.execute(lane)?;
        marked_at = holder.updated_at;
    }
    cursor.execute(named_params! {
        ":destination": destination,
        ":partition": partition,
        ":low": values::seq(to.low),
        ":done": done::encode(to),
        ":now": now,
        ":worker": holder.worker,
        ":marked_at": marked_at,
    })?;
    Ok(())
}
