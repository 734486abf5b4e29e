//! Everything about one message.

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::session::{Statements, Transaction};
use super::{Postgres, codec};
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status, TenantPause};
use crate::journal::{Epoch, Partition};
use crate::message::{Message, MessageId};
use crate::rules::suspicion::Suspicion;
use crate::rules::tenant::pause_of;
use crate::stores::statement::with_columns;
use crate::stores::values::{self, unsigned};

pub(super) async fn get(store: &Postgres, id: MessageId) -> Result<Option<Report>> {
    let mut client = store.client().await?;
    let snapshot = client.snapshot().await?;
    let Some(row) = snapshot.query_opt(with_columns!(codec::COLUMNS, "sql/get/message.sql"), &[&id.0]).await? else {
        return Ok(None);
    };
    let (seq, partition, message) = (row.try_get("seq")?, codec::partition_of(&row)?, codec::message(&row)?);
    let position = codec::position(row.try_get("tick")?, seq);
    let subject = Subject { snapshot: &snapshot, seq, partition, message: &message };
    let (deliveries, lease) = (subject.deliveries().await?, subject.lease().await?);
    Ok(Some(Report { position, partition, message, deliveries, lease }))
}

/// The message of the report.
struct Subject<'a> {
    snapshot: &'a Transaction<'a>,
    seq: i64,
    partition: Partition,
    message: &'a Message,
}

impl Subject<'_> {
    async fn deliveries(&self) -> Result<Vec<DeliveryReport>> {
        let mut deliveries = Vec::new();
        for row in self.snapshot.query(include_str!("sql/get/deliveries.sql"), &[&self.seq]).await? {
            deliveries.push(self.delivery(&row).await?);
        }
        Ok(deliveries)
    }

    async fn delivery(&self, row: &Row) -> Result<DeliveryReport> {
        let destination: String = row.try_get("destination")?;
        let status = values::status(row.try_get("status")?)?;
        Ok(DeliveryReport {
            status,
            attempts: codec::count(row, "attempts")?,
            deaths: Suspicion::stored(codec::count(row, "kills")?).deaths_alone(),
            error: row.try_get("last_error")?,
            due_at: codec::timestamp(row, "due_at")?,
            paused: row.try_get("paused")?,
            paused_tenant: self.pause_of_tenant(row)?,
            behind: if status == Status::Waiting { Some(self.behind(&destination).await?) } else { None },
            ahead: if status == Status::Pending { Some(self.ahead(&destination).await?) } else { None },
            timeline: self.timeline(&destination).await?,
            destination,
        })
    }

    fn pause_of_tenant(&self, row: &Row) -> Result<Option<TenantPause>> {
        let paused = values::paused_tenants(row.try_get("paused_tenants")?)?;
        Ok(pause_of(&paused, self.message.tenant.as_deref()).cloned())
    }

    async fn behind(&self, destination: &str) -> Result<Behind> {
        let tenant = self.message.tenant.as_deref().unwrap_or_default();
        let Some(row) = self
            .snapshot
            .query_opt(include_str!("sql/get/behind.sql"), &[&destination, &self.message.key.as_deref(), &tenant])
            .await?
        else {
            return Ok(Behind { id: None, status: None, error: None, due_at: None });
        };
        Ok(Behind {
            id: Some(MessageId(row.try_get("id")?)),
            status: Some(values::status(row.try_get("state")?)?),
            error: row.try_get("error")?,
            due_at: codec::timestamp(&row, "due_at")?,
        })
    }

    async fn ahead(&self, destination: &str) -> Result<u64> {
        let lane: [&(dyn ToSql + Sync); 3] = [&destination, &i32::from(self.partition.number()), &self.seq];
        Ok(unsigned(self.snapshot.query_one(include_str!("sql/get/ahead.sql"), &lane).await?.try_get("messages")?))
    }

    async fn timeline(&self, destination: &str) -> Result<Vec<AttemptReport>> {
        let rows = self.snapshot.query(include_str!("sql/get/timeline.sql"), &[&self.seq, &destination]).await?;
        let attempt = |row: &Row| {
            Ok(AttemptReport {
                number: codec::count(row, "number")?,
                at: codec::timestamp(row, "at")?.unwrap_or_default(),
                took_ms: unsigned(row.try_get("took_ms")?),
                error: row.try_get("error")?,
                reply: row.try_get("reply")?,
                worker: row.try_get("worker")?,
            })
        };
        rows.iter().map(attempt).collect()
    }

    async fn lease(&self) -> Result<Option<LeaseReport>> {
        let Some(row) =
            self.snapshot.query_opt(include_str!("sql/get/lease.sql"), &[&i32::from(self.partition.number())]).await?
        else {
            return Ok(None);
        };
        Ok(Some(LeaseReport {
            partition: self.partition,
            worker: row.try_get("worker")?,
            epoch: Epoch::new(unsigned(row.try_get("epoch")?)),
            expired: row.try_get("expired")?,
            report: values::worker_report(row.try_get("report")?),
        }))
    }
}
