//! The port of the operator; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::MongoDb;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    AuditEntry, Change, Filter, Inspect, Listed, Mode, Operation, OperationReport, Overview, Page, Report,
};
use crate::message::MessageId;

#[async_trait]
impl Inspect for MongoDb {
    async fn overview(&self) -> Result<Overview> {
        self.look_over().await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        self.list_page(filter, page).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        self.report_on(id).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        self.operate_on(operation, filter, mode).await
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
        self.record_change(change).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        self.audit_before(before, limit).await
    }
}
