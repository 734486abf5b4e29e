//! The port of the operator; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    Postgres, audit, change_source, change_tenant, get, jobs, leases, list, operate, overview, pause, purge, settle,
    sources,
};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    Answer, AuditEntry, Change, Filter, Inspect, Job, Listing, Mode, NewJob, Operation, OperationReport, Overview,
    Page, PartitionStatus, Report, Settled, SourceChange, SourceStatus, TenantChange,
};
use crate::journal::WorkerId;
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

    async fn settle(&self, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
        settle::settle(self, id, destination, answer).await
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        pause::pause(self, destination).await
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        pause::resume(self, destination).await
    }

    async fn change_tenant(&self, destination: &Name, change: &TenantChange) -> Result<bool> {
        change_tenant::change_tenant(self, destination, change).await
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        purge::purgeable(self, older_than).await
    }

    async fn leases(&self) -> Result<Vec<PartitionStatus>> {
        leases::leases(self).await
    }

    async fn create_job(&self, new: &NewJob) -> Result<Job> {
        jobs::create_job(self, new).await
    }

    async fn jobs(&self, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
        jobs::jobs(self, before, limit).await
    }

    async fn work(&self, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
        jobs::work(self, worker, ttl, only).await
    }

    async fn stop_job(&self, number: u64, who: &str) -> Result<Option<Job>> {
        jobs::stop_job(self, number, who).await
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
