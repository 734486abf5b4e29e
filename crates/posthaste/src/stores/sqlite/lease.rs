//! Who is alive and who holds which partition.

use std::time::Duration;

use rusqlite::{Connection, Transaction, named_params};

use super::codec;
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Grant, Lease, Partition, WorkerId, WorkerReport};

/// A worker that ended without a word is shown for this long.
const SHOWN_AFTER_END: Duration = Duration::from_secs(24 * 3_600);

/// What a worker sees before it writes anything.
pub(super) struct Glance {
    announced_until: Option<i64>,
    others: usize,
    any_free: bool,
    paused: Vec<Name>,
}

pub(super) fn glance(connection: &Connection, worker: &WorkerId, now: i64) -> Result<Glance> {
    let mut statement = connection.prepare_cached(include_str!("lease_glance.sql"))?;
    let (announced_until, others, any_free, paused): (_, _, _, String) = statement
        .query_row(named_params! { ":worker": worker.0, ":now": now }, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let paused: Vec<String> = serde_json::from_str(&paused)
        .map_err(|error| Error::new(Kind::Corrupt, "the paused destinations are no list").caused_by(error))?;
    Ok(Glance { announced_until, others, any_free, paused: paused.into_iter().map(Name::from).collect() })
}

impl Glance {
    /// Whether there is nothing to write: the announcement is fresh, and there is nothing to get. This is what an idle worker
    /// asks twice a second, and a write each time would wake all the others.
    pub(super) fn suffices(&self, ttl: Duration, want: usize, now: i64) -> bool {
        let fresh = self.announced_until.is_some_and(|until| until.saturating_sub(now) > codec::millis(ttl * 2 / 3));
        fresh && !(self.any_free && want > 0)
    }

    pub(super) fn grant(self, leases: Vec<Lease>) -> Grant {
        Grant { leases, workers: self.others + 1, paused: self.paused }
    }
}

pub(super) fn lease(transaction: &Transaction<'_>, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let now = codec::now();
    let expires_at = now.saturating_add(codec::millis(ttl));
    let announce = named_params! { ":worker": worker.0, ":expires_at": expires_at };
    transaction.prepare_cached(include_str!("lease_announce.sql"))?.execute(announce)?;
    let before = now - codec::millis(SHOWN_AFTER_END);
    transaction.prepare_cached(include_str!("lease_forget.sql"))?.execute(named_params! { ":before": before })?;
    let mut take = transaction.prepare_cached(include_str!("lease_take.sql"))?;
    let mut leases = Vec::new();
    for (partition, expired_before) in free(transaction, now, want)? {
        let taken = named_params! { ":partition": partition, ":worker": worker.0, ":expires_at": expires_at };
        let epoch = take.query_row(taken, |row| row.get(0))?;
        leases.push(Lease { partition, epoch, expired_before });
    }
    Ok(glance(transaction, worker, now)?.grant(leases))
}

fn free(transaction: &Transaction<'_>, now: i64, want: usize) -> Result<Vec<(Partition, bool)>> {
    let mut statement = transaction.prepare_cached(include_str!("lease_free.sql"))?;
    let want = i64::try_from(want).unwrap_or(i64::MAX);
    let free =
        statement.query_map(named_params! { ":now": now, ":want": want }, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(free.collect::<Result<_, _>>()?)
}

pub(super) fn renew(
    transaction: &Transaction<'_>,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &WorkerReport,
) -> Result<Vec<Partition>> {
    let expires_at = codec::now().saturating_add(codec::millis(ttl));
    let report = named_params! { ":worker": worker.0, ":expires_at": expires_at, ":report": codec::json(report)? };
    transaction.prepare_cached(include_str!("renew_report.sql"))?.execute(report)?;
    let mut statement = transaction.prepare_cached(include_str!("renew.sql"))?;
    let mut kept = Vec::new();
    for Lease { partition, epoch, .. } in held {
        let extended = statement.execute(named_params! {
            ":partition": partition, ":epoch": epoch, ":worker": worker.0, ":expires_at": expires_at,
        })?;
        if extended == 1 {
            kept.push(*partition);
        }
    }
    Ok(kept)
}

pub(super) fn release(transaction: &Transaction<'_>, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    let mut statement = transaction.prepare_cached(include_str!("release.sql"))?;
    for Lease { partition, epoch, .. } in held {
        statement.execute(named_params! { ":partition": partition, ":epoch": epoch, ":worker": worker.0 })?;
    }
    if leaving {
        let gone = named_params! { ":worker": worker.0 };
        transaction.prepare_cached(include_str!("release_leaving.sql"))?.execute(gone)?;
    }
    Ok(())
}
