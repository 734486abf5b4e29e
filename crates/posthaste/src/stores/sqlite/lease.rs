//! Announcing a worker, and taking partitions that nobody holds.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{Connection, Transaction, named_params};

use super::{Sqlite, codec};
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Grant, Lease, Partition, WorkerId};
use crate::stores::values;

/// A worker that ended without a word is shown for this long.
const SHOWN_AFTER_END: Duration = Duration::from_secs(24 * 3_600);

/// Writes only if there is something to write.
pub(super) async fn lease(store: &Sqlite, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let now = codec::now();
    let worker = worker.clone();
    let asking = worker.clone();
    let glance = store.reading(move |connection| glance(connection, &asking, now)).await?;
    if glance.suffices(ttl, want, now) {
        return Ok(glance.grant(Vec::new()));
    }
    store.writing(move |transaction| announce_and_take(transaction, &worker, ttl, want)).await
}

/// What a worker sees before it writes anything.
struct Glance {
    announced_until: Option<i64>,
    others: usize,
    any_free: bool,
    paused: Vec<Name>,
    paused_tenants: Vec<(Name, Vec<String>)>,
}

fn glance(connection: &Connection, worker: &WorkerId, now: i64) -> Result<Glance> {
    let mut statement = connection.prepare_cached(include_str!("sql/lease/glance.sql"))?;
    let mut rows = statement.query(named_params! { ":worker": worker.0, ":now": now })?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let unreadable = |error| Error::new(Kind::Corrupt, "the paused destinations are no list").caused_by(error);
    let paused: Vec<String> = serde_json::from_str(&codec::name(row, "paused")?).map_err(unreadable)?;
    let tenants: BTreeMap<String, String> =
        serde_json::from_str(&codec::name(row, "paused_tenants")?).map_err(unreadable)?;
    let paused_tenants = tenants.into_iter().map(|(name, json)| values::paused_at(name, Some(&json)));
    Ok(Glance {
        announced_until: row.get("announced_until")?,
        others: row.get("others")?,
        any_free: row.get("any_free")?,
        paused: paused.into_iter().map(Name::from).collect(),
        paused_tenants: paused_tenants.collect::<Result<_>>()?,
    })
}

impl Glance {
    /// Whether there is nothing to write: the announcement is fresh, and there is nothing to get. This is what an idle worker
    /// asks twice a second, and a write each time would wake all the others.
    fn suffices(&self, ttl: Duration, want: usize, now: i64) -> bool {
        let fresh = self.announced_until.is_some_and(|until| until.saturating_sub(now) > values::millis(ttl * 2 / 3));
        fresh && !(self.any_free && want > 0)
    }

    fn grant(self, leases: Vec<Lease>) -> Grant {
        Grant { leases, workers: self.others + 1, paused: self.paused, paused_tenants: self.paused_tenants }
    }
}

fn announce_and_take(transaction: &Transaction<'_>, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let now = codec::now();
    let expires_at = now.saturating_add(values::millis(ttl));
    let announce = named_params! { ":worker": worker.0, ":expires_at": expires_at };
    transaction.prepare_cached(include_str!("sql/lease/announce.sql"))?.execute(announce)?;
    let before = now - values::millis(SHOWN_AFTER_END);
    transaction.prepare_cached(include_str!("sql/lease/forget.sql"))?.execute(named_params! { ":before": before })?;
    let mut take = transaction.prepare_cached(include_str!("sql/lease/take.sql"))?;
    let mut leases = Vec::new();
    for (partition, expired_before) in free(transaction, now, want)? {
        let taken = named_params! { ":partition": partition, ":worker": worker.0, ":expires_at": expires_at };
        let epoch = take.query_row(taken, |row| row.get("epoch"))?;
        leases.push(Lease { partition, epoch, expired_before });
    }
    Ok(glance(transaction, worker, now)?.grant(leases))
}

/// Partitions that can be taken, and whether their holder let them expire.
fn free(transaction: &Transaction<'_>, now: i64, want: usize) -> Result<Vec<(Partition, bool)>> {
    let mut statement = transaction.prepare_cached(include_str!("sql/lease/free.sql"))?;
    let free = statement.query_map(named_params! { ":now": now, ":want": values::signed(want) }, |row| {
        Ok((row.get("partition")?, row.get("expired")?))
    })?;
    Ok(free.collect::<Result<_, _>>()?)
}
