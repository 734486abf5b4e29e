//! The port of the operator.

use std::time::Duration;

use async_trait::async_trait;

use super::{Sqlite, audit, list, operate, overview, report};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    AuditEntry, Change, Figure, Filter, Inspect, Listed, Mode, Operation, OperationReport, Overview, Page, Report,
};
use crate::message::MessageId;

#[async_trait]
impl Inspect for Sqlite {
    async fn overview(&self) -> Result<Overview> {
        let mut overview = self.looking_up(overview::overview).await?;
        overview.figures = self.figures();
        Ok(overview)
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        let filter = filter.clone();
        self.looking_up(move |connection| list::list(connection, &filter, page)).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        self.looking_up(move |connection| report::get(connection, id)).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        let filter = filter.clone();
        match mode {
            Mode::DryRun => {
                self.looking_up(move |connection| {
                    let snapshot = connection.unchecked_transaction()?;
                    operate::operate(&snapshot, operation, &filter, mode)
                })
                .await
            }
            Mode::Apply => {
                let report =
                    self.writing(move |transaction| operate::operate(transaction, operation, &filter, mode)).await?;
                self.wake();
                Ok(report)
            }
        }
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        self.set_paused(destination, true).await
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        self.set_paused(destination, false).await
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        self.count_purgeable(older_than).await
    }

    async fn record(&self, change: &Change) -> Result<()> {
        let change = change.clone();
        self.writing(move |transaction| audit::record(transaction, &change)).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        self.looking_up(move |connection| audit::audit(connection, before, limit)).await
    }
}

impl Sqlite {
    /// The write-ahead log shrinks only when nobody reads an old state of the database; one who hangs makes it grow.
    fn figures(&self) -> Vec<Figure> {
        vec![Figure { name: "wal_bytes", value: self.log_bytes() as f64 }]
    }

    async fn set_paused(&self, destination: &Name, paused: bool) -> Result<bool> {
        let destination = destination.clone();
        self.writing(move |transaction| operate::set_paused(transaction, &destination, paused)).await
    }
}
