//! Where the lanes of a destination stand.

use std::collections::HashMap;

use super::pool::Client;
use super::session::Statements;
use super::{Postgres, codec, register};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, HeldKey, LaneState, Lease, Partition};
use crate::stores::values::order_key;

/// Opening stamps the lanes with the epoch, so that an earlier holder cannot change what is returned here.
pub(super) async fn open(store: &Postgres, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let client = store.client().await?;
    register::check_known(&client, destination).await?;
    let mut cursors = cursors(&client, destination, leases).await?;
    let mut held = held(&client, destination).await?;
    let state = |lease: &Lease| {
        let partition = lease.partition;
        let cursor = cursors.remove(&partition)?;
        Some(LaneState { partition, cursor, held: held.remove(&partition).unwrap_or_default() })
    };
    Ok(leases.iter().filter_map(state).collect())
}

async fn cursors(client: &Client, destination: &Name, leases: &[Lease]) -> Result<HashMap<Partition, Cursor>> {
    let (partitions, epochs) = codec::leases(leases);
    let rows = client.query(include_str!("sql/open/lane.sql"), &[&destination.as_str(), &partitions, &epochs]).await?;
    let mut cursors = HashMap::new();
    for row in rows {
        let done: (Option<Vec<i64>>, Option<Vec<i64>>) = (row.try_get("done_tick")?, row.try_get("done_seq")?);
        let done = done.0.unwrap_or_default().into_iter().zip(done.1.unwrap_or_default());
        let low = codec::position(row.try_get("low_tick")?, row.try_get("low_seq")?);
        let done = done.map(|(tick, seq)| codec::position(tick, seq)).collect();
        cursors.insert(codec::partition(row.try_get("partition")?)?, Cursor { low, done });
    }
    Ok(cursors)
}

async fn held(client: &Client, destination: &Name) -> Result<HashMap<Partition, Vec<(HeldKey, bool)>>> {
    let mut held: HashMap<_, Vec<_>> = HashMap::new();
    for row in client.query(include_str!("sql/open/held.sql"), &[&destination.as_str()]).await? {
        let key = order_key(row.try_get::<_, &str>("tenant")?, row.try_get::<_, &str>("key")?);
        let after = codec::position(row.try_get("after_tick")?, row.try_get("after_seq")?);
        let until = codec::position(row.try_get("until_tick")?, row.try_get("until_seq")?);
        let of_lane = held.entry(codec::partition(row.try_get("partition")?)?).or_default();
        of_lane.push((HeldKey { key, after, until }, row.try_get("has_head")?));
    }
    Ok(held)
}
