//! Carries the requests of a source to the store, and brings the answers back.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::super::store_calls::PATIENCE_LEASES;
use super::super::telemetry::{self, StoreOutage};
use crate::crash_point::crash_point;
use crate::destination::Name;
use crate::engine::StoreFailure;
use crate::engine::source::{IngestFailure, SourceInput};
use crate::error::{Kind, Result};
use crate::journal::{Epoch, Ingest, SourceReport, WorkerId};
use crate::store::Store;

/// The store as one source uses it. Cheap to clone.
#[derive(Clone)]
pub(super) struct SourceStore {
    store: Arc<dyn Store>,
    source: Name,
    worker: WorkerId,
    lease_ttl: Duration,
    outage: Arc<StoreOutage>,
}

impl SourceStore {
    pub(super) fn new(store: Arc<dyn Store>, source: Name, worker: WorkerId, lease_ttl: Duration) -> Self {
        let outage = Arc::new(StoreOutage::of_source(source.clone()));
        Self { store, source, worker, lease_ttl, outage }
    }

    pub(super) async fn lease(self, held: Option<Epoch>, report: SourceReport) -> SourceInput {
        let asked = self.store.lease_source(&self.worker, &self.source, self.lease_ttl, held, &report);
        let answer = self.in_time("lease_source", asked).await;
        SourceInput::Leased(answer.map_err(|(failure, _)| failure))
    }

    pub(super) async fn release(self, held: Epoch) -> SourceInput {
        // Whoever wants it next waits for its end, if this does not get through.
        let asked = self.store.release_source(&self.worker, &self.source, held);
        drop(self.in_time("release_source", asked).await);
        SourceInput::Released
    }

    pub(super) async fn ingest(self, id: u64, ingest: Ingest) -> SourceInput {
        telemetry::log_ingest(&ingest);
        crash_point("before_ingest");
        let answer = self.in_time("ingest", self.store.ingest(&ingest)).await;
        crash_point("after_ingest");
        let result = answer.map_err(|(failure, invalid)| match invalid {
            Some(reason) => IngestFailure::Invalid(reason),
            None => IngestFailure::Store(failure),
        });
        SourceInput::Ingested { id, result }
    }

    /// The answer, or why there is none, and what is wrong with the request if that is the reason.
    async fn in_time<T>(
        &self,
        verb: &'static str,
        asked: impl Future<Output = Result<T>>,
    ) -> Result<T, (StoreFailure, Option<String>)> {
        let patience = self.lease_ttl.saturating_mul(PATIENCE_LEASES);
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(answer)) => {
                self.outage.answered();
                Ok(answer)
            }
            Ok(Err(error)) => {
                self.outage.failed(verb, &error);
                let invalid = (error.kind() == Kind::Invalid).then(|| error.to_string());
                Err((StoreFailure::Failed, invalid))
            }
            Err(_) => {
                let error = crate::Error::new(Kind::Unavailable, format!("no answer within {patience:?}"));
                self.outage.failed(verb, &error);
                Err((StoreFailure::TimedOut, None))
            }
        }
    }
}
