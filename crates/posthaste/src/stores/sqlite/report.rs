//! Everything about one message.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::{codec, list};
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status};
use crate::journal::{Partition, WorkerReport};
use crate::message::{Message, MessageId};

pub(super) fn get(connection: &Connection, id: MessageId) -> Result<Option<Report>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut statement = snapshot.prepare_cached(include_str!("get.sql"))?;
    let mut rows = statement.query(named_params! { ":id": id.to_string() })?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (seq, partition, message) = (codec::seq_of(row)?, codec::partition_of(row)?, codec::message(row)?);
    let subject = Subject { connection: &snapshot, seq, partition, message: &message };
    let (deliveries, lease) = (subject.deliveries()?, subject.lease()?);
    Ok(Some(Report { position: codec::position(seq), partition, message, deliveries, lease }))
}

/// The message that is asked about.
struct Subject<'a> {
    connection: &'a Connection,
    seq: i64,
    partition: Partition,
    message: &'a Message,
}

impl Subject<'_> {
    fn deliveries(&self) -> Result<Vec<DeliveryReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("get_deliveries.sql"))?;
        let rows = statement.query(named_params! { ":seq": self.seq })?;
        rows.and_then(|row| self.delivery(row)).collect()
    }

    fn delivery(&self, row: &Row<'_>) -> Result<DeliveryReport> {
        let destination: String = row.get(0)?;
        let status = list::status(&row.get::<_, String>(1)?)?;
        let behind = if status == Status::Waiting { Some(self.behind(&destination)?) } else { None };
        let ahead = if status == Status::Pending { Some(self.ahead(&destination)?) } else { None };
        Ok(DeliveryReport {
            status,
            attempts: row.get(2)?,
            kills: row.get(3)?,
            error: codec::text(row, 4)?,
            due_at: row.get::<_, Option<i64>>(5)?.map(codec::timestamp),
            paused: row.get(6)?,
            behind,
            ahead,
            timeline: self.timeline(&destination)?,
            destination,
        })
    }

    fn behind(&self, destination: &str) -> Result<Behind> {
        let mut statement = self.connection.prepare_cached(include_str!("get_behind.sql"))?;
        let mut rows = statement.query(named_params! {
            ":destination": destination,
            ":key": self.message.key.as_deref(),
            ":tenant": self.message.tenant.as_deref().unwrap_or_default(),
        })?;
        let Some(row) = rows.next()? else {
            return Ok(Behind { id: None, status: None, error: None, due_at: None });
        };
        Ok(Behind {
            id: Some(codec::id(row, 0)?),
            status: Some(list::status(&row.get::<_, String>(1)?)?),
            error: codec::text(row, 2)?,
            due_at: row.get::<_, Option<i64>>(3)?.map(codec::timestamp),
        })
    }

    fn ahead(&self, destination: &str) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(include_str!("get_ahead.sql"))?;
        let lane = named_params! { ":seq": self.seq, ":destination": destination, ":partition": self.partition };
        Ok(statement.query_row(lane, |row| row.get(0))?)
    }

    fn timeline(&self, destination: &str) -> Result<Vec<AttemptReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("get_timeline.sql"))?;
        let rows = statement.query(named_params! { ":seq": self.seq, ":destination": destination })?;
        let attempt = |row: &Row<'_>| {
            Ok(AttemptReport {
                number: row.get(0)?,
                at: codec::timestamp(row.get(1)?),
                took_ms: row.get(2)?,
                error: codec::text(row, 3)?,
                worker: row.get(4)?,
            })
        };
        rows.and_then(attempt).collect()
    }

    fn lease(&self) -> Result<Option<LeaseReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("get_lease.sql"))?;
        let held = named_params! { ":partition": self.partition, ":now": codec::now() };
        let lease = statement.query_row(held, |row| {
            Ok(LeaseReport {
                partition: self.partition,
                worker: row.get(0)?,
                epoch: row.get(1)?,
                expired: row.get(2)?,
                report: worker_report(row.get(3)?),
            })
        });
        Ok(lease.optional()?)
    }
}

/// What a worker said. One of another version may say it in another way; better nothing than an error.
pub(super) fn worker_report(json: Option<String>) -> Option<WorkerReport> {
    json.and_then(|json| serde_json::from_str(&json).ok())
}
