//! Everything about one message.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::outbox::MESSAGE_COLUMNS;
use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status, TenantPause};
use crate::journal::Entry;
use crate::message::MessageId;
use crate::rules::suspicion::Suspicion;
use crate::rules::tenant::pause_of;
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn get(store: &Sqlite, id: MessageId) -> Result<Option<Report>> {
    store.inspecting(move |connection| report(connection, id)).await
}

fn report(connection: &Connection, id: MessageId) -> Result<Option<Report>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut statement = snapshot.prepare_cached(with_columns!(MESSAGE_COLUMNS, "sql/get/message.sql"))?;
    let mut rows = statement.query(named_params! { ":id": id.to_string() })?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let now = codec::now();
    let entry = codec::entry(row, now)?;
    let subject = Subject { connection: &snapshot, entry: &entry, now };
    let (deliveries, lease) = (subject.deliveries()?, subject.lease()?);
    let Entry { position, partition, message, .. } = entry;
    Ok(Some(Report { position, partition, message: (*message).clone(), deliveries, lease }))
}

/// The message that is asked about.
struct Subject<'a> {
    connection: &'a Connection,
    entry: &'a Entry,
    now: i64,
}

impl Subject<'_> {
    fn seq(&self) -> i64 {
        values::seq(self.entry.position)
    }

    fn deliveries(&self) -> Result<Vec<DeliveryReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/get/deliveries.sql"))?;
        let rows = statement.query(named_params! { ":seq": self.seq() })?;
        rows.and_then(|row| self.delivery(row)).collect()
    }

    fn delivery(&self, row: &Row<'_>) -> Result<DeliveryReport> {
        let destination: String = row.get("destination")?;
        let status = values::status(&codec::name(row, "status")?)?;
        let behind = if status == Status::Waiting { Some(self.behind(&destination)?) } else { None };
        let ahead = if status == Status::Pending { Some(self.ahead(&destination)?) } else { None };
        Ok(DeliveryReport {
            status,
            attempts: row.get("attempts")?,
            deaths: Suspicion::stored(row.get("kills")?).deaths_alone(),
            error: codec::text(row, "last_error")?,
            due_at: row.get::<_, Option<i64>>("due_at")?.map(values::timestamp),
            paused: row.get("paused")?,
            paused_tenant: self.pause_of_tenant(row)?,
            behind,
            ahead,
            timeline: self.timeline(&destination)?,
            destination,
        })
    }

    fn pause_of_tenant(&self, row: &Row<'_>) -> Result<Option<TenantPause>> {
        let paused = values::paused_tenants(codec::text(row, "paused_tenants")?.as_deref())?;
        Ok(pause_of(&paused, self.entry.message.tenant.as_deref()).cloned())
    }

    fn behind(&self, destination: &str) -> Result<Behind> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/get/behind.sql"))?;
        let message = &self.entry.message;
        let mut rows = statement.query(named_params! {
            ":destination": destination,
            ":key": message.key.as_deref(),
            ":tenant": message.tenant.as_deref().unwrap_or_default(),
        })?;
        let Some(row) = rows.next()? else {
            return Ok(Behind { id: None, status: None, error: None, due_at: None });
        };
        Ok(Behind {
            id: Some(codec::id(row, "id")?),
            status: Some(values::status(&codec::name(row, "state")?)?),
            error: codec::text(row, "error")?,
            due_at: row.get::<_, Option<i64>>("due_at")?.map(values::timestamp),
        })
    }

    fn ahead(&self, destination: &str) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/get/ahead.sql"))?;
        let (seq, partition) = (self.seq(), self.entry.partition);
        let lane = named_params! { ":seq": seq, ":destination": destination, ":partition": partition };
        Ok(statement.query_row(lane, |row| row.get("messages"))?)
    }

    fn timeline(&self, destination: &str) -> Result<Vec<AttemptReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/get/timeline.sql"))?;
        let rows = statement.query(named_params! { ":seq": self.seq(), ":destination": destination })?;
        let attempt = |row: &Row<'_>| {
            Ok(AttemptReport {
                number: row.get("number")?,
                at: values::timestamp(row.get("at")?),
                took_ms: row.get("took_ms")?,
                error: codec::text(row, "error")?,
                reply: codec::text(row, "reply")?,
                worker: row.get("worker")?,
            })
        };
        rows.and_then(attempt).collect()
    }

    fn lease(&self) -> Result<Option<LeaseReport>> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/get/lease.sql"))?;
        let held = named_params! { ":partition": self.entry.partition, ":now": self.now };
        let lease = statement.query_row(held, |row| {
            Ok(LeaseReport {
                partition: self.entry.partition,
                worker: row.get("worker")?,
                epoch: row.get("epoch")?,
                expired: row.get("expired")?,
                report: values::worker_report(row.get::<_, Option<String>>("report")?.as_deref()),
            })
        });
        Ok(lease.optional()?)
    }
}
