//! Everything about one message.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;

use super::codec::{self, AFTER_MESSAGE};
use super::list;
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status};
use crate::journal::{Epoch, Partition, WorkerReport};
use crate::message::{Message, MessageId};

pub(super) async fn get(snapshot: &Transaction<'_>, id: MessageId) -> Result<Option<Report>> {
    let statement = snapshot.prepare_cached(include_str!("get.sql")).await?;
    let Some(row) = snapshot.query(&statement, &[&id.0]).await?.into_iter().next() else { return Ok(None) };
    let (seq, partition, message) = (codec::seq_of(&row)?, codec::partition_of(&row)?, codec::message(&row)?);
    let position = codec::position(row.try_get(AFTER_MESSAGE)?, seq);
    let subject = Subject { snapshot, seq, partition, message: &message };
    let (deliveries, lease) = (subject.deliveries().await?, subject.lease().await?);
    Ok(Some(Report { position, partition, message, deliveries, lease }))
}

/// The message that is asked about.
struct Subject<'a> {
    snapshot: &'a Transaction<'a>,
    seq: i64,
    partition: Partition,
    message: &'a Message,
}

impl Subject<'_> {
    async fn deliveries(&self) -> Result<Vec<DeliveryReport>> {
        let statement = self.snapshot.prepare_cached(include_str!("get_deliveries.sql")).await?;
        let mut deliveries = Vec::new();
        for row in self.snapshot.query(&statement, &[&self.seq]).await? {
            deliveries.push(self.delivery(&row).await?);
        }
        Ok(deliveries)
    }

    async fn delivery(&self, row: &Row) -> Result<DeliveryReport> {
        let destination: String = row.try_get(0)?;
        let status = list::status(row.try_get(1)?)?;
        let (attempts, kills): (i32, i32) = (row.try_get(2)?, row.try_get(3)?);
        Ok(DeliveryReport {
            status,
            attempts: u32::try_from(attempts).unwrap_or(0),
            kills: u32::try_from(kills).unwrap_or(0),
            error: row.try_get(4)?,
            due_at: codec::timestamp(row, 5)?,
            paused: row.try_get(6)?,
            behind: if status == Status::Waiting { Some(self.behind(&destination).await?) } else { None },
            ahead: if status == Status::Pending { Some(self.ahead(&destination).await?) } else { None },
            timeline: self.timeline(&destination).await?,
            destination,
        })
    }

    async fn behind(&self, destination: &str) -> Result<Behind> {
        let statement = self.snapshot.prepare_cached(include_str!("get_behind.sql")).await?;
        let tenant = self.message.tenant.as_deref().unwrap_or_default();
        let Some(row) =
            self.snapshot.query_opt(&statement, &[&destination, &self.message.key.as_deref(), &tenant]).await?
        else {
            return Ok(Behind { id: None, status: None, error: None, due_at: None });
        };
        Ok(Behind {
            id: Some(MessageId(row.try_get(0)?)),
            status: Some(list::status(row.try_get(1)?)?),
            error: row.try_get(2)?,
            due_at: codec::timestamp(&row, 3)?,
        })
    }

    async fn ahead(&self, destination: &str) -> Result<u64> {
        let statement = self.snapshot.prepare_cached(include_str!("get_ahead.sql")).await?;
        let lane: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&destination, &i32::from(self.partition.number()), &self.seq];
        Ok(codec::unsigned(self.snapshot.query_one(&statement, &lane).await?.try_get(0)?))
    }

    async fn timeline(&self, destination: &str) -> Result<Vec<AttemptReport>> {
        let statement = self.snapshot.prepare_cached(include_str!("get_timeline.sql")).await?;
        let rows = self.snapshot.query(&statement, &[&self.seq, &destination]).await?;
        let attempt = |row: &Row| {
            let number: i32 = row.try_get(0)?;
            Ok(AttemptReport {
                number: u32::try_from(number).unwrap_or(0),
                at: codec::timestamp(row, 1)?.unwrap_or_default(),
                took_ms: codec::unsigned(row.try_get(2)?),
                error: row.try_get(3)?,
                worker: row.try_get(4)?,
            })
        };
        rows.iter().map(attempt).collect()
    }

    async fn lease(&self) -> Result<Option<LeaseReport>> {
        let statement = self.snapshot.prepare_cached(include_str!("get_lease.sql")).await?;
        let Some(row) = self.snapshot.query_opt(&statement, &[&i32::from(self.partition.number())]).await? else {
            return Ok(None);
        };
        Ok(Some(LeaseReport {
            partition: self.partition,
            worker: row.try_get(0)?,
            epoch: Epoch::new(codec::unsigned(row.try_get(1)?)),
            expired: row.try_get(2)?,
            report: worker_report(row.try_get(3)?),
        }))
    }
}

/// What a worker said. One of another version may say it in another way; better nothing than an error.
pub(super) fn worker_report(json: Option<String>) -> Option<WorkerReport> {
    json.and_then(|json| serde_json::from_str(&json).ok())
}
