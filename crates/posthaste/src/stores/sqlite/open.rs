//! Where the lanes of a destination stand.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::Sqlite;
use super::register::known;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, HeldKey, LaneState, Lease, Partition};
use crate::stores::{done, values};

pub(super) async fn open(store: &Sqlite, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let (destination, leases) = (destination.clone(), leases.to_vec());
    store.reading(move |connection| lanes(connection, &destination, &leases)).await
}

fn lanes(connection: &Connection, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let snapshot = connection.unchecked_transaction()?;
    known(&snapshot, destination)?;
    let mut lanes = Vec::new();
    for lease in leases {
        if let Some(cursor) = cursor(&snapshot, destination, lease)? {
            lanes.push(LaneState {
                partition: lease.partition,
                cursor,
                held: held(&snapshot, destination, lease.partition)?,
            });
        }
    }
    Ok(lanes)
}

fn cursor(connection: &Connection, destination: &Name, lease: &Lease) -> Result<Option<Cursor>> {
    let mut statement = connection.prepare_cached(include_str!("sql/open/lane.sql"))?;
    let lane = named_params! {
        ":destination": destination.as_str(), ":partition": lease.partition, ":epoch": lease.epoch,
    };
    let found = statement.query_row(lane, |row| Ok((row.get("low")?, row.get::<_, String>("done")?))).optional()?;
    found.map(|(low, done)| done::decode(low, &done)).transpose()
}

fn held(connection: &Connection, destination: &Name, partition: Partition) -> Result<Vec<(HeldKey, bool)>> {
    let mut statement = connection.prepare_cached(include_str!("sql/open/held.sql"))?;
    let lane = named_params! { ":destination": destination.as_str(), ":partition": partition };
    let held = statement.query_map(lane, |row| {
        let key = values::order_key(row.get::<_, String>("tenant")?, row.get::<_, String>("key")?);
        let (after, until) = (values::position(row.get("after")?), values::position(row.get("until")?));
        Ok((HeldKey { key, after, until }, row.get("has_head")?))
    })?;
    Ok(held.collect::<Result<_, _>>()?)
}
