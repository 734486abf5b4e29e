//! The port of the operator; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::{Postgres, audit, change_source, get, list, operate, overview, pause, purge, sources};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    AuditEntry, Change, Filter, Inspect, Listing, Mode, Operation, OperationReport, Overview, Page, Report,
    SourceChange, SourceStatus,
};
use crate::message::MessageId;

#[async_trait]
impl Inspect for Postgres {
    async fn overview(&self) -> Result<Overview> {
        overview::overview(self).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listing> {
        list::list(self, filter, page).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        get::get(self, id).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        operate::operate(self, operation, filter, mode).await
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        pause::pause(self, destination).await
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        pause::resume(self, destination).await
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        purge::purgeable(self, older_than).await
    }

    async fn record(&self, change: &Change) -> Result<()> {
        audit::record(self, change).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        audit::audit(self, before, limit).await
    }

    async fn sources(&self) -> Result<Vec<SourceStatus>> {
        sources::sources(self).await
    }

    async fn change_source(&self, source: &Name, change: &SourceChange) -> Result<bool> {
        change_source::change_source(self, source, change).await
    }
}
