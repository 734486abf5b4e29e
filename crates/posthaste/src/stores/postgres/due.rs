//! Parked deliveries whose time has come.

use tokio_postgres::Row;

use super::codec::{self, AFTER_MESSAGE};
use super::{Postgres, error};
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Due, DueBatch, ParkedState, Partition};

impl Postgres {
    pub(super) async fn find_due(
        &self,
        destination: &Name,
        partitions: &[Partition],
        limit: usize,
    ) -> Result<DueBatch> {
        let client = self.client().await?;
        let statement = client.prepare_cached(include_str!("due.sql")).await?;
        let (partitions, limit) = (codec::partitions(partitions), codec::limit(limit));
        let rows = client.query(&statement, &[&destination.as_str(), &partitions, &limit]).await?;
        // One row at least, unless the destination is not known.
        let first = rows.first().ok_or_else(|| error::unknown(destination))?;
        let next_in: Option<i64> = first.try_get(AFTER_MESSAGE + 6)?;
        let is_delivery = |row: &&Row| !matches!(row.try_get::<_, Option<i64>>(0), Ok(None));
        let deliveries = rows.iter().filter(is_delivery).map(delivery).collect::<Result<_>>()?;
        Ok(DueBatch { deliveries, next_in: next_in.map(codec::until) })
    }
}

fn delivery(row: &Row) -> Result<Due> {
    let (attempts, kills): (i32, i32) = (row.try_get(AFTER_MESSAGE + 3)?, row.try_get(AFTER_MESSAGE + 4)?);
    Ok(Due {
        entry: codec::entry(row, codec::unsigned(row.try_get(AFTER_MESSAGE)?))?,
        state: state(row.try_get(AFTER_MESSAGE + 1)?)?,
        holds: row.try_get(AFTER_MESSAGE + 2)?,
        attempts: u32::try_from(attempts).unwrap_or(0),
        kills: u32::try_from(kills).unwrap_or(0),
        progress: row.try_get(AFTER_MESSAGE + 5)?,
    })
}

fn state(text: &str) -> Result<ParkedState> {
    ParkedState::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery is parked as `{text}`")))
}
