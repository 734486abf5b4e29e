//! Parked deliveries whose time has come.

use mysql_async::{Row, params};

use super::codec::{self, MESSAGE_COLUMNS};
use super::read_key::placed;
use super::register::known;
use super::{MySql, connection};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Due, DueBatch, Partition};
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn due(store: &MySql, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
    let list = codec::partitions(partitions.iter().copied());
    let mut connection = store.connection().await?;
    // One snapshot and one time, or what becomes due between the two statements is in neither answer.
    let mut snapshot = connection::snapshot(&mut connection).await?;
    known(&mut snapshot, destination).await?;
    let now = codec::now(&mut snapshot).await?;
    let sql = with_columns!(MESSAGE_COLUMNS, "sql/due/due.sql").replace("{partitions}", &list);
    let due = params! { "destination" => destination.as_str(), "now" => &now, "limit" => values::signed(limit) };
    let rows = codec::cached(&mut snapshot, sql, due).await?;
    let deliveries = rows.into_iter().map(delivery).collect::<Result<_>>()?;
    let sql = include_str!("sql/due/next.sql").replace("{partitions}", &list);
    let next = params! { "destination" => destination.as_str(), "now" => &now };
    let next = codec::cached(&mut snapshot, sql, next).await?;
    snapshot.rollback().await?;
    let next_in = next.first().map(|row| codec::get(row, "due_in").map(codec::until)).transpose()?;
    Ok(DueBatch { deliveries, next_in })
}

fn delivery(row: Row) -> Result<Due> {
    let state: String = codec::get(&row, "state")?;
    Ok(Due {
        state: values::state(&state)?,
        holds: codec::get(&row, "holds")?,
        attempts: codec::get(&row, "attempts")?,
        suspicion: codec::get(&row, "kills")?,
        progress: codec::get(&row, "progress")?,
        entry: placed(row)?,
    })
}
