//! The operator's side of the store. Each verb is in the file of its name.

use std::time::Duration;

use async_trait::async_trait;

use super::Memory;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    Answer, AuditEntry, Change, Filter, Inspect, Job, Listing, Mode, NewJob, Operation, OperationReport, Overview,
    Page, PartitionStatus, Report, Settled, SourceChange, SourceStatus, TenantChange,
};
use crate::journal::WorkerId;
use crate::message::MessageId;

#[async_trait]
impl Inspect for Memory {
    async fn overview(&self) -> Result<Overview> {
        Ok(self.core().overview())
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listing> {
        Ok(self.core().list(filter, page))
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        Ok(self.core().get(id))
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        let report = self.core().operate(operation, filter, mode);
        if mode == Mode::Apply {
            self.announce();
        }
        Ok(report)
    }

    async fn settle(&self, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
        let settled = self.core().settle(id, destination, answer)?;
        if settled == Settled::Taken {
            self.announce();
        }
        Ok(settled)
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        self.core().pause(destination)
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        self.core().resume(destination)
    }

    async fn change_tenant(&self, destination: &Name, change: &TenantChange) -> Result<bool> {
        let changed = self.core().change_tenant(destination, change)?;
        self.announce();
        Ok(changed)
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        Ok(self.core().purgeable(older_than))
    }

    async fn leases(&self) -> Result<Vec<PartitionStatus>> {
        Ok(self.core().leases())
    }

    async fn create_job(&self, new: &NewJob) -> Result<Job> {
        Ok(self.core().create_job(new))
    }

    async fn jobs(&self, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
        Ok(self.core().jobs(before, limit))
    }

    async fn work(&self, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
        let job = self.core().work(worker, ttl, only);
        if job.is_some() {
            self.announce();
        }
        Ok(job)
    }

    async fn stop_job(&self, number: u64, who: &str) -> Result<Option<Job>> {
        Ok(self.core().stop_job(number, who))
    }

    async fn record(&self, change: &Change) -> Result<()> {
        self.core().record(change.clone());
        Ok(())
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        Ok(self.core().audit(before, limit))
    }

    async fn sources(&self) -> Result<Vec<SourceStatus>> {
        Ok(self.core().sources())
    }

    async fn change_source(&self, source: &Name, change: &SourceChange) -> Result<bool> {
        self.core().change_source(source, change)
    }
}
