//! What a lane records beside its cursor: nothing, in a batch in which nothing failed.

use mysql_async::prelude::Queryable;
use mysql_async::{Params, Transaction, params};

use super::super::codec;
use crate::error::Result;
use crate::journal::{LaneCommit, Park, Position};
use crate::rules::due::parked_due_in;
use crate::stores::values;

/// One lane's commit on its way into the tables. Sets after it removes, so that a repeated commit changes nothing.
pub(super) struct Exceptions<'a> {
    pub(super) commit: &'a LaneCommit,
    pub(super) worker: &'a str,
}

impl Exceptions<'_> {
    pub(super) async fn write(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let commit = self.commit;
        let each = |position: &Position| self.of(*position);
        run(transaction, include_str!("../sql/commit/unpark.sql"), commit.unpark.iter().map(each)).await?;
        run(transaction, include_str!("../sql/commit/discard.sql"), commit.discard.iter().map(each)).await?;
        run(transaction, include_str!("../sql/commit/park.sql"), commit.park.iter().map(|park| self.park(park)))
            .await?;
        run(transaction, include_str!("../sql/commit/free.sql"), self.free()).await?;
        run(transaction, include_str!("../sql/commit/hold.sql"), self.hold()).await?;
        run(transaction, include_str!("../sql/commit/attempt.sql"), self.attempts()).await
    }

    fn destination(&self) -> &str {
        self.commit.destination.as_str()
    }

    fn of(&self, position: Position) -> Params {
        params! { "position" => values::seq(position), "destination" => self.destination() }
    }

    fn park(&self, park: &Park) -> Params {
        let due_in = parked_due_in(park.state, park.due_in);
        params! {
            "position" => values::seq(park.position),
            "destination" => self.destination(),
            "partition" => self.commit.partition.number(),
            "tenant" => park.key.as_ref().map_or("", values::tenant),
            "key" => park.key.as_ref().map(|key| key.key.as_str()),
            "state" => park.state.as_str(),
            "holds" => park.holds,
            "attempts" => park.attempts,
            "kills" => park.suspicion,
            "due_in" => due_in.map(codec::micros),
            "worker" => self.worker,
            "error" => &park.error,
            "progress" => &park.progress,
        }
    }

    fn free(&self) -> impl Iterator<Item = Params> {
        self.commit.free.iter().map(|key| {
            params! {
                "destination" => self.destination(), "key" => key.key.as_str(), "tenant" => values::tenant(key),
            }
        })
    }

    fn hold(&self) -> impl Iterator<Item = Params> {
        self.commit.hold.iter().map(|held| {
            params! {
                "destination" => self.destination(),
                "partition" => self.commit.partition.number(),
                "key" => held.key.key.as_str(),
                "tenant" => values::tenant(&held.key),
                "after" => values::seq(held.after),
                "until" => values::seq(held.until),
            }
        })
    }

    fn attempts(&self) -> impl Iterator<Item = Params> {
        self.commit.attempts.iter().map(|attempt| {
            params! {
                "position" => values::seq(attempt.position),
                "destination" => self.destination(),
                "number" => attempt.number,
                "took_ms" => values::millis(attempt.took),
                "worker" => self.worker,
                "error" => &attempt.error,
                "reply" => &attempt.reply,
            }
        })
    }
}

/// Does the same with each of these parameters.
async fn run(
    transaction: &mut Transaction<'_>,
    sql: &'static str,
    all: impl Iterator<Item = Params> + Send,
) -> Result<()> {
    for params in all {
        transaction.exec_drop(sql, params).await?;
    }
    Ok(())
}
