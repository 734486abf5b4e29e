//! The port of the operator; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;
use tokio_postgres::IsolationLevel;

use super::{Postgres, audit, list, operate, overview, report};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    AuditEntry, Change, Filter, Inspect, Listed, Mode, Operation, OperationReport, Overview, Page, Report,
};
use crate::message::MessageId;

#[async_trait]
impl Inspect for Postgres {
    async fn overview(&self) -> Result<Overview> {
        let mut client = self.client().await?;
        let partitions = self.partitions_of(&client).await?;
        let snapshot = client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
        let snapshot = snapshot.start().await?;
        overview::overview(&snapshot, partitions).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        let mut client = self.client().await?;
        let snapshot = client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
        list::list(&snapshot.start().await?, filter, page).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        let mut client = self.client().await?;
        let snapshot = client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
        report::get(&snapshot.start().await?, id).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        let mut client = self.client().await?;
        let transaction = client.build_transaction().read_only(mode == Mode::DryRun).start().await?;
        let report = operate::operate(&transaction, operation, filter, mode).await?;
        transaction.commit().await?;
        if mode == Mode::Apply {
            self.wake();
        }
        Ok(report)
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        operate::set_paused(&self.client().await?, destination, true).await
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        operate::set_paused(&self.client().await?, destination, false).await
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        self.count_purgeable(older_than).await
    }

    async fn record(&self, change: &Change) -> Result<()> {
        audit::record(&self.client().await?, change).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        audit::audit(&self.client().await?, before, limit).await
    }
}
