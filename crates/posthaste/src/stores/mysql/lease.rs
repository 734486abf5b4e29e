//! Announcing a worker, and taking partitions that nobody holds.
//!
//! Partitions are taken by one update that names those that seemed free and takes those that still are. It locks a row only for as long as
//! it looks at it, and nothing depends on `SKIP LOCKED`, which some servers of the family ignore.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, params};
use uuid::Uuid;

use super::family::with_server;
use super::retry::again;
use super::seam::{cross, no_journal};
use super::{MySql, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, Grant, Lease, Partition, WorkerId};
use crate::stores::values;

/// A worker that ended without a word is shown for this long.
const SHOWN_AFTER_END: Duration = Duration::from_secs(24 * 3_600);

/// Writes only if there is something to write.
pub(super) async fn lease(store: &MySql, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let mut connection = store.connection().await?;
    let mut glance = Glance::now(store, &mut connection, worker).await?;
    if !glance.is_same_server {
        cross(store).await?;
        glance = Glance::now(store, &mut connection, worker).await?;
    }
    if glance.suffices(ttl, want) {
        return glance.grant(&mut connection, Vec::new()).await;
    }
    drop(connection);
    again!(announce_and_take(store, worker, ttl, want))
}

/// What a worker sees before it writes anything.
struct Glance {
    /// In microseconds.
    announced_for: Option<i64>,
    others: usize,
    any_free: bool,
    is_same_server: bool,
}

impl Glance {
    async fn now(store: &MySql, connection: &mut Conn, worker: &WorkerId) -> Result<Self> {
        let sql = with_server(store, include_str!("sql/lease/glance.sql")).await?;
        let row: Option<Row> = connection.exec_first(sql, params! { "worker" => &worker.0 }).await?;
        let row = row.ok_or_else(no_journal)?;
        Ok(Self {
            announced_for: codec::get(&row, "announced_for")?,
            others: codec::get(&row, "others")?,
            any_free: codec::get(&row, "any_free")?,
            is_same_server: codec::get(&row, "is_same_server")?,
        })
    }

    /// Whether there is nothing to write: the announcement is fresh, and there is nothing to get.
    fn suffices(&self, ttl: Duration, want: usize) -> bool {
        let fresh = self.announced_for.is_some_and(|rest| rest > codec::micros(ttl * 2 / 3));
        fresh && !(self.any_free && want > 0)
    }

    async fn grant(self, connection: &mut Conn, leases: Vec<Lease>) -> Result<Grant> {
        let rows: Vec<Row> = connection.exec(include_str!("sql/lease/paused.sql"), ()).await?;
        let mut grant = Grant { leases, workers: self.others + 1, ..Grant::default() };
        for row in &rows {
            let (name, tenants): (String, Option<String>) =
                (codec::get(row, "name")?, codec::get(row, "paused_tenants")?);
            if tenants.is_some() {
                grant.paused_tenants.push(values::paused_at(&*name, tenants.as_deref())?);
            }
            grant.paused.extend(codec::get::<bool>(row, "paused")?.then(|| Name::from(name)));
        }
        Ok(grant)
    }
}

async fn announce_and_take(store: &MySql, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let mut connection = store.connection().await?;
    let announce = params! { "worker" => &worker.0, "ttl" => codec::micros(ttl) };
    connection.exec_drop(include_str!("sql/lease/announce.sql"), announce).await?;
    let shown = params! { "shown" => codec::micros(SHOWN_AFTER_END) };
    connection.exec_drop(include_str!("sql/lease/forget.sql"), shown).await?;
    let mut leases: Vec<Lease> = Vec::new();
    while leases.len() < want {
        let free = free(&mut connection, worker, want - leases.len()).await?;
        if free.is_empty() {
            break;
        }
        leases.extend(take(&mut connection, worker, ttl, &free).await?);
    }
    leases.sort_unstable_by_key(|lease| lease.partition);
    Glance::now(store, &mut connection, worker).await?.grant(&mut connection, leases).await
}

/// Some of those that nobody seems to hold. Not everyone from the same end: those who ask at once would all want the same.
async fn free(connection: &mut Conn, worker: &WorkerId, most: usize) -> Result<Vec<Partition>> {
    let mut free: Vec<u16> = connection.exec(include_str!("sql/lease/free.sql"), ()).await?;
    let start = worker.0.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    if !free.is_empty() {
        let start = start % free.len();
        free.rotate_left(start);
    }
    Ok(free.into_iter().take(most).map(Partition::new).collect())
}

/// Takes what is still free under a new epoch, higher than all before.
async fn take(connection: &mut Conn, worker: &WorkerId, ttl: Duration, wanted: &[Partition]) -> Result<Vec<Lease>> {
    let (list, claim) = (codec::partitions(wanted.iter().copied()), Uuid::now_v7().to_string());
    let take = include_str!("sql/lease/take.sql").replace("{partitions}", &list);
    let claimed = params! { "worker" => &worker.0, "ttl" => codec::micros(ttl), "claim" => &claim };
    codec::uncached(connection, take, claimed).await?;
    let taken = include_str!("sql/lease/taken.sql").replace("{partitions}", &list);
    let rows = codec::uncached(connection, taken, params! { "worker" => &worker.0, "claim" => &claim }).await?;
    rows.iter().map(granted).collect()
}

fn granted(row: &Row) -> Result<Lease> {
    Ok(Lease {
        partition: codec::partition(row)?,
        epoch: Epoch::new(codec::get(row, "epoch")?),
        expired_before: codec::get(row, "expired_before")?,
    })
}
