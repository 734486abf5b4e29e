//! Where the lanes of a destination stand.

use std::collections::HashMap;

use mysql_async::{Row, Transaction, params};

use super::family::with_server;
use super::register::known;
use super::{MySql, codec, connection};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, Epoch, HeldKey, LaneState, Lease, Partition};
use crate::stores::{done, values};

pub(super) async fn open(store: &MySql, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let mut connection = store.connection().await?;
    let lanes = with_server(store, include_str!("sql/open/lane.sql")).await?;
    let list = codec::partitions(leases.iter().map(|lease| lease.partition));
    let mut snapshot = connection::snapshot(&mut connection).await?;
    known(&mut snapshot, destination).await?;
    let mut cursors = cursors(&mut snapshot, destination, lanes.replace("{partitions}", &list)).await?;
    let mut held = held(&mut snapshot, destination, &list).await?;
    snapshot.rollback().await?;
    let lane = |lease: &Lease| {
        Some(LaneState {
            partition: lease.partition,
            cursor: cursors.remove(&(lease.partition, lease.epoch))?,
            held: held.remove(&lease.partition).unwrap_or_default(),
        })
    };
    Ok(leases.iter().filter_map(lane).collect())
}

async fn cursors(
    snapshot: &mut Transaction<'_>,
    destination: &Name,
    sql: String,
) -> Result<HashMap<(Partition, Epoch), Cursor>> {
    let rows = codec::uncached(snapshot, sql, params! { "destination" => destination.as_str() }).await?;
    let cursor = |row: &Row| {
        let cursor = done::decode(codec::get(row, "low")?, &codec::get::<String>(row, "done")?)?;
        Ok(((codec::partition(row)?, Epoch::new(codec::get(row, "epoch")?)), cursor))
    };
    rows.iter().map(cursor).collect()
}

async fn held(
    snapshot: &mut Transaction<'_>,
    destination: &Name,
    list: &str,
) -> Result<HashMap<Partition, Vec<(HeldKey, bool)>>> {
    let sql = include_str!("sql/open/held.sql").replace("{partitions}", list);
    let rows = codec::uncached(snapshot, sql, params! { "destination" => destination.as_str() }).await?;
    let mut held: HashMap<Partition, Vec<(HeldKey, bool)>> = HashMap::new();
    for row in &rows {
        let key = values::order_key(codec::get::<String>(row, "tenant")?, codec::get::<String>(row, "key")?);
        let (after, until) = (codec::position(row, "after")?, codec::position(row, "until")?);
        let one = (HeldKey { key, after, until }, codec::get(row, "has_head")?);
        held.entry(codec::partition(row)?).or_default().push(one);
    }
    Ok(held)
}
