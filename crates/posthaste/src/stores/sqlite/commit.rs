//! What lanes record: one transaction for all of them, and the only write of the hot path.

use std::time::Duration;

use rusqlite::{CachedStatement, OptionalExtension, Transaction, named_params};

use super::{codec, error};
use crate::error::Result;
use crate::journal::{Cursor, LaneCommit, Park, ParkedState, Partition, Position};

/// Between two marks of a lane: how exactly the time of a delivery is known.
const MARK_INTERVAL: Duration = Duration::from_secs(10);

pub(super) fn commit(transaction: &Transaction<'_>, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    let now = codec::now();
    let mut fence = transaction.prepare_cached(include_str!("commit_fence.sql"))?;
    let mut cursor = transaction.prepare_cached(include_str!("commit_cursor.sql"))?;
    let mut refused = Vec::new();
    for commit in commits {
        let Some(holder) = holder(&mut fence, commit)? else {
            refused.push(commit.partition);
            continue;
        };
        let lane = Recording { transaction, commit, worker: &holder.worker, now };
        if let Some(to) = &commit.cursor {
            lane.mark_and_move(&mut cursor, &holder, to)?;
        }
        lane.exceptions()?;
    }
    refused.sort_unstable();
    refused.dedup();
    Ok(refused)
}

/// Whoever may write to a lane, and its times.
struct Holder {
    worker: String,
    marked_at: i64,
    updated_at: i64,
}

fn holder(fence: &mut CachedStatement<'_>, commit: &LaneCommit) -> Result<Option<Holder>> {
    let lane = named_params! {
        ":destination": commit.destination.as_str(), ":partition": commit.partition, ":epoch": commit.epoch,
    };
    let found = fence.query_row(lane, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((worker, marked_at, updated_at)): Option<(_, Option<_>, Option<_>)> = found else { return Ok(None) };
    let times = marked_at.zip(updated_at);
    let (marked_at, updated_at) = times.ok_or_else(|| error::unknown(&commit.destination))?;
    Ok(Some(Holder { worker, marked_at, updated_at }))
}

/// One lane's commit on its way into the tables. Sets after it removes, so that a repeated commit changes nothing.
struct Recording<'a> {
    transaction: &'a Transaction<'a>,
    commit: &'a LaneCommit,
    worker: &'a str,
    now: i64,
}

impl Recording<'_> {
    /// Marks where the cursor stood rather than where it goes: whatever is overwritten was the newest for less than the
    /// interval, so the first mark at or beyond a message is at most that much later than its delivery.
    fn mark_and_move(&self, statement: &mut CachedStatement<'_>, holder: &Holder, to: &Cursor) -> Result<()> {
        let (destination, partition) = (self.commit.destination.as_str(), self.commit.partition);
        let mut marked_at = holder.marked_at;
        if self.now.saturating_sub(marked_at) >= codec::millis(MARK_INTERVAL) {
            let lane = named_params! { ":destination": destination, ":partition": partition };
            self.transaction.prepare_cached(include_str!("commit_mark.sql"))?.execute(lane)?;
            marked_at = holder.updated_at;
        }
        statement.execute(named_params! {
            ":destination": destination,
            ":partition": partition,
            ":low": codec::seq(to.low),
            ":done": codec::encode_done(to),
            ":now": self.now,
            ":worker": self.worker,
            ":marked_at": marked_at,
        })?;
        Ok(())
    }

    /// Everything that does not happen in a batch in which nothing failed.
    fn exceptions(&self) -> Result<()> {
        self.each(&self.commit.unpark, include_str!("commit_unpark.sql"))?;
        self.each(&self.commit.let_go, include_str!("commit_let_go.sql"))?;
        self.commit.park.iter().try_for_each(|park| self.park(park))?;
        self.free()?;
        self.hold()?;
        self.attempts()
    }

    /// Does the same to each of these parked deliveries.
    fn each(&self, positions: &[Position], sql: &'static str) -> Result<()> {
        for position in positions {
            let parked =
                named_params! { ":seq": codec::seq(*position), ":destination": self.commit.destination.as_str() };
            self.transaction.prepare_cached(sql)?.execute(parked)?;
        }
        Ok(())
    }

    fn park(&self, park: &Park) -> Result<()> {
        let due_at = match park.state {
            ParkedState::Dead | ParkedState::Discarded => None,
            ParkedState::Discarding => Some(self.now),
            _ => park.due_in.map(|due_in| self.now.saturating_add(codec::millis(due_in))),
        };
        self.transaction.prepare_cached(include_str!("commit_park.sql"))?.execute(named_params! {
            ":seq": codec::seq(park.position),
            ":destination": self.commit.destination.as_str(),
            ":partition": self.commit.partition,
            ":tenant": park.key.as_ref().map_or("", codec::tenant),
            ":key": park.key.as_ref().map(|key| key.key.as_str()),
            ":state": park.state.as_str(),
            ":holds": park.holds,
            ":attempts": park.attempts,
            ":kills": park.kills,
            ":due_at": due_at,
            ":worker": self.worker,
            ":error": park.error,
            ":progress": park.progress,
        })?;
        Ok(())
    }

    fn free(&self) -> Result<()> {
        for key in &self.commit.free {
            self.transaction.prepare_cached(include_str!("commit_free.sql"))?.execute(named_params! {
                ":destination": self.commit.destination.as_str(), ":key": key.key.as_str(), ":tenant": codec::tenant(key),
            })?;
        }
        Ok(())
    }

    fn hold(&self) -> Result<()> {
        for held in &self.commit.hold {
            self.transaction.prepare_cached(include_str!("commit_hold.sql"))?.execute(named_params! {
                ":destination": self.commit.destination.as_str(),
                ":partition": self.commit.partition,
                ":key": held.key.key.as_str(),
                ":tenant": codec::tenant(&held.key),
                ":after": codec::seq(held.after),
                ":until": codec::seq(held.until),
            })?;
        }
        Ok(())
    }

    fn attempts(&self) -> Result<()> {
        for attempt in &self.commit.attempts {
            self.transaction.prepare_cached(include_str!("commit_attempt.sql"))?.execute(named_params! {
                ":seq": codec::seq(attempt.position),
                ":destination": self.commit.destination.as_str(),
                ":number": attempt.number,
                ":now": self.now,
                ":took_ms": codec::millis(attempt.took),
                ":worker": self.worker,
                ":error": attempt.error,
            })?;
        }
        Ok(())
    }
}
