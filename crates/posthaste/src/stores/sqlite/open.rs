//! Where the lanes of a destination stand.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::codec;
use super::register::known;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, HeldKey, LaneState, Lease, Partition};

pub(super) fn open(connection: &Connection, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let snapshot = connection.unchecked_transaction()?;
    known(&snapshot, destination)?;
    let now = codec::now();
    let first_due = first_due(&snapshot, destination)?;
    let mut lanes = Vec::new();
    for lease in leases {
        if let Some(cursor) = cursor(&snapshot, destination, lease)? {
            lanes.push(LaneState {
                partition: lease.partition,
                cursor,
                held: held(&snapshot, destination, lease.partition)?,
                next_due_in: first_due.get(&lease.partition).map(|&at| codec::until(at, now)),
            });
        }
    }
    Ok(lanes)
}

fn cursor(connection: &Connection, destination: &Name, lease: &Lease) -> Result<Option<Cursor>> {
    let mut statement = connection.prepare_cached(include_str!("open_lane.sql"))?;
    let lane = named_params! {
        ":destination": destination.as_str(), ":partition": lease.partition, ":epoch": lease.epoch,
    };
    let found: Option<(i64, String)> = statement.query_row(lane, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    found.map(|(low, done)| codec::decode_cursor(low, &done)).transpose()
}

fn held(connection: &Connection, destination: &Name, partition: Partition) -> Result<Vec<(HeldKey, bool)>> {
    let mut statement = connection.prepare_cached(include_str!("open_held.sql"))?;
    let lane = named_params! { ":destination": destination.as_str(), ":partition": partition };
    let held = statement.query_map(lane, |row| {
        let key = codec::order_key(row.get(0)?, row.get(1)?);
        let (after, until) = (codec::position(row.get(2)?), codec::position(row.get(3)?));
        Ok((HeldKey { key, after, until }, row.get(4)?))
    })?;
    Ok(held.collect::<Result<_, _>>()?)
}

fn first_due(connection: &Connection, destination: &Name) -> Result<HashMap<Partition, i64>> {
    let mut statement = connection.prepare_cached(include_str!("open_due.sql"))?;
    let of = named_params! { ":destination": destination.as_str() };
    let due = statement.query_map(of, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(due.collect::<Result<_, _>>()?)
}
