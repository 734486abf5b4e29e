//! What a lane records beside its cursor: nothing, in a batch in which nothing failed.

use rusqlite::{Transaction, named_params};

use crate::error::Result;
use crate::journal::{LaneCommit, Park, Position};
use crate::rules::due::parked_due_in;
use crate::stores::values;

/// One lane's commit on its way into the tables. Sets after it removes, so that a repeated commit changes nothing.
pub(super) struct Exceptions<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) commit: &'a LaneCommit,
    pub(super) worker: &'a str,
    pub(super) now: i64,
}

impl Exceptions<'_> {
    pub(super) fn write(&self) -> Result<()> {
        self.each(&self.commit.unpark, include_str!("../sql/commit/unpark.sql"))?;
        self.each(&self.commit.discard, include_str!("../sql/commit/discard.sql"))?;
        self.commit.park.iter().try_for_each(|park| self.park(park))?;
        self.free()?;
        self.hold()?;
        self.attempts()
    }

    /// Does the same to each of these parked deliveries.
    fn each(&self, positions: &[Position], sql: &'static str) -> Result<()> {
        for position in positions {
            let parked =
                named_params! { ":seq": values::seq(*position), ":destination": self.commit.destination.as_str() };
            self.transaction.prepare_cached(sql)?.execute(parked)?;
        }
        Ok(())
    }

    fn park(&self, park: &Park) -> Result<()> {
        let due_in = parked_due_in(park.state, park.due_in);
        self.transaction.prepare_cached(include_str!("../sql/commit/park.sql"))?.execute(named_params! {
            ":seq": values::seq(park.position),
            ":destination": self.commit.destination.as_str(),
            ":partition": self.commit.partition,
            ":tenant": park.key.as_ref().map_or("", values::tenant),
            ":key": park.key.as_ref().map(|key| key.key.as_str()),
            ":state": park.state.as_str(),
            ":holds": park.holds,
            ":attempts": park.attempts,
            ":kills": park.suspicion,
            ":due_at": due_in.map(|due_in| self.now.saturating_add(values::millis(due_in))),
            ":worker": self.worker,
            ":error": park.error,
            ":progress": park.progress,
        })?;
        Ok(())
    }

    fn free(&self) -> Result<()> {
        for key in &self.commit.free {
            self.transaction.prepare_cached(include_str!("../sql/commit/free.sql"))?.execute(named_params! {
                ":destination": self.commit.destination.as_str(),
                ":key": key.key.as_str(),
                ":tenant": values::tenant(key),
            })?;
        }
        Ok(())
    }

    fn hold(&self) -> Result<()> {
        for held in &self.commit.hold {
            self.transaction.prepare_cached(include_str!("../sql/commit/hold.sql"))?.execute(named_params! {
                ":destination": self.commit.destination.as_str(),
                ":partition": self.commit.partition,
                ":key": held.key.key.as_str(),
                ":tenant": values::tenant(&held.key),
                ":after": values::seq(held.after),
                ":until": values::seq(held.until),
            })?;
        }
        Ok(())
    }

    fn attempts(&self) -> Result<()> {
        for attempt in &self.commit.attempts {
            self.transaction.prepare_cached(include_str!("../sql/commit/attempt.sql"))?.execute(named_params! {
                ":seq": values::seq(attempt.position),
                ":destination": self.commit.destination.as_str(),
                ":number": attempt.number,
                ":now": self.now,
                ":took_ms": values::millis(attempt.took),
                ":worker": self.worker,
                ":error": attempt.error,
                ":reply": attempt.reply,
            })?;
        }
        Ok(())
    }
}
