//! The port of the operator.

use std::time::Duration;

use async_trait::async_trait;

use super::{Sqlite, list, operate, overview, report};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filter, Inspect, Listed, Mode, Operation, OperationReport, Overview, Page, Report};
use crate::message::MessageId;

#[async_trait]
impl Inspect for Sqlite {
    async fn overview(&self) -> Result<Overview> {
        self.reading(overview::overview).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        let filter = filter.clone();
        self.reading(move |connection| list::list(connection, &filter, page)).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        self.reading(move |connection| report::get(connection, id)).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        let filter = filter.clone();
        match mode {
            Mode::DryRun => {
                self.reading(move |connection| {
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
}

impl Sqlite {
    async fn set_paused(&self, destination: &Name, paused: bool) -> Result<bool> {
        let destination = destination.clone();
        self.writing(move |transaction| operate::set_paused(transaction, &destination, paused)).await
    }
}
