//! Parked deliveries whose time has come.

use tokio_postgres::Row;

use super::session::Statements;
use super::{Postgres, codec};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::journal::{Due, DueBatch, Partition};
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn due(
    store: &Postgres,
    destination: &Name,
    partitions: &[Partition],
    limit: usize,
) -> Result<DueBatch> {
    let client = store.client().await?;
    let (partitions, limit) = (codec::partitions(partitions), values::signed(limit));
    let rows = client
        .query(with_columns!(codec::COLUMNS, "sql/due.sql"), &[&destination.as_str(), &partitions, &limit])
        .await?;
    // There is at least one row, unless the destination is not known.
    let first = rows.first().ok_or_else(|| Error::unknown_destination(destination))?;
    let next_in: Option<i64> = first.try_get("next_in")?;
    let is_delivery = |row: &&Row| !matches!(codec::seq_of(row), Ok(None));
    let deliveries = rows.iter().filter(is_delivery).map(delivery).collect::<Result<_>>()?;
    Ok(DueBatch { deliveries, next_in: next_in.map(codec::until) })
}

fn delivery(row: &Row) -> Result<Due> {
    Ok(Due {
        entry: codec::entry(row, values::unsigned(row.try_get("tick")?))?,
        state: values::state(row.try_get("state")?)?,
        holds: row.try_get("holds")?,
        attempts: codec::count(row, "attempts")?,
        suspicion: codec::count(row, "kills")?,
        progress: row.try_get("progress")?,
    })
}
