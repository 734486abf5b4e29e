//! Everything about one message.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction, params};
use tokio::time::Instant;

use super::codec::{self, ByName, MESSAGE_COLUMNS};
use super::read_key::placed;
use super::{MySql, connection, sequencer};
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status, TenantPause};
use crate::journal::Entry;
use crate::message::MessageId;
use crate::rules::suspicion::Suspicion;
use crate::rules::tenant::pause_of;
use crate::stores::statement::with_columns;
use crate::stores::values;

/// How long a message that another sequencer is about to place is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) async fn get(store: &MySql, id: MessageId) -> Result<Option<Report>> {
    let deadline = Instant::now() + LONGEST_WAIT;
    loop {
        sequencer::place_new(store).await?;
        let mut connection = store.connection().await?;
        let report = report(connection::snapshot(&mut connection).await?, id).await?;
        let by_id = params! { "id" => id.to_string() };
        let there: Option<i64> = connection.exec_first(include_str!("sql/get/is_there.sql"), by_id).await?;
        // A message that is there without a position has lost its turn to another sequencer, which places it soon.
        if report.is_some() || there.is_none() || Instant::now() >= deadline {
            return Ok(report);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn report(mut snapshot: Transaction<'_>, id: MessageId) -> Result<Option<Report>> {
    let sql = with_columns!(MESSAGE_COLUMNS, "sql/get/message.sql");
    let row: Option<Row> = snapshot.exec_first(sql, params! { "id" => id.to_string() }).await?;
    let report = match row {
        None => None,
        Some(row) => {
            let seq = codec::seq(&row)?;
            Some(Subject { snapshot: &mut snapshot, seq, entry: placed(row)? }.report().await?)
        }
    };
    snapshot.rollback().await?;
    Ok(report)
}

/// The message that is asked about.
struct Subject<'a, 'b> {
    snapshot: &'a mut Transaction<'b>,
    seq: i64,
    entry: Entry,
}

impl Subject<'_, '_> {
    async fn report(mut self) -> Result<Report> {
        let (deliveries, lease) = (self.deliveries().await?, self.lease().await?);
        let Entry { position, partition, message, .. } = self.entry;
        Ok(Report { position, partition, message: (*message).clone(), deliveries, lease })
    }

    async fn deliveries(&mut self) -> Result<Vec<DeliveryReport>> {
        let of = params! { "seq" => self.seq };
        let rows: Vec<Row> = self.snapshot.exec(include_str!("sql/get/deliveries.sql"), of).await?;
        let mut deliveries = Vec::new();
        for row in &rows {
            deliveries.push(self.delivery(row).await?);
        }
        Ok(deliveries)
    }

    async fn delivery(&mut self, row: &Row) -> Result<DeliveryReport> {
        let destination: String = codec::get(row, "destination")?;
        let status = values::status(&codec::get::<String>(row, "status")?)?;
        let behind = if status == Status::Waiting { Some(self.behind(&destination).await?) } else { None };
        let ahead = if status == Status::Pending { Some(self.ahead(&destination).await?) } else { None };
        Ok(DeliveryReport {
            status,
            attempts: codec::get(row, "attempts")?,
            deaths: Suspicion::stored(codec::get(row, "kills")?).deaths_alone(),
            error: codec::get(row, "last_error")?,
            due_at: codec::timestamp(row, "due_at")?,
            paused: codec::get(row, "paused")?,
            paused_tenant: self.pause_of_tenant(row)?,
            behind,
            ahead,
            timeline: self.timeline(&destination).await?,
            destination,
        })
    }

    fn pause_of_tenant(&self, row: &Row) -> Result<Option<TenantPause>> {
        let paused = values::paused_tenants(codec::get::<Option<String>>(row, "paused_tenants")?.as_deref())?;
        Ok(pause_of(&paused, self.entry.message.tenant.as_deref()).cloned())
    }

    async fn behind(&mut self, destination: &str) -> Result<Behind> {
        let message = &self.entry.message;
        let head = params! {
            "destination" => destination,
            "key" => message.key.as_deref(),
            "tenant" => message.tenant.as_deref().unwrap_or_default(),
        };
        let row: Option<Row> = self.snapshot.exec_first(include_str!("sql/get/behind.sql"), head).await?;
        let Some(row) = row else { return Ok(Behind { id: None, status: None, error: None, due_at: None }) };
        Ok(Behind {
            id: row.as_ref_by_name("id").map(codec::id).transpose()?,
            status: Some(values::status(&codec::get::<String>(&row, "state")?)?),
            error: codec::get(&row, "error")?,
            due_at: codec::timestamp(&row, "due_at")?,
        })
    }

    async fn ahead(&mut self, destination: &str) -> Result<u64> {
        let lane = params! {
            "position" => values::seq(self.entry.position),
            "destination" => destination,
            "partition" => self.entry.partition.number(),
        };
        let messages: Option<u64> = self.snapshot.exec_first(include_str!("sql/get/ahead.sql"), lane).await?;
        Ok(messages.unwrap_or_default())
    }

    async fn timeline(&mut self, destination: &str) -> Result<Vec<AttemptReport>> {
        let of = params! { "position" => values::seq(self.entry.position), "destination" => destination };
        let rows: Vec<Row> = self.snapshot.exec(include_str!("sql/get/timeline.sql"), of).await?;
        rows.iter().map(attempt).collect()
    }

    async fn lease(&mut self) -> Result<Option<LeaseReport>> {
        let held = params! { "partition" => self.entry.partition.number() };
        let row: Option<Row> = self.snapshot.exec_first(include_str!("sql/get/lease.sql"), held).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(LeaseReport {
            partition: self.entry.partition,
            worker: codec::get(&row, "worker")?,
            epoch: crate::journal::Epoch::new(codec::get(&row, "epoch")?),
            expired: codec::get(&row, "expired")?,
            report: values::worker_report(codec::get::<Option<String>>(&row, "report")?.as_deref()),
        }))
    }
}

fn attempt(row: &Row) -> Result<AttemptReport> {
    Ok(AttemptReport {
        number: codec::get(row, "number")?,
        at: codec::timestamp(row, "at")?.unwrap_or_default(),
        took_ms: codec::get(row, "took_ms")?,
        error: codec::get(row, "error")?,
        reply: codec::get(row, "reply")?,
        worker: codec::get(row, "worker")?,
    })
}
