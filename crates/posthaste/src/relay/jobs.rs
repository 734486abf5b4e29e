//! Jobs of operators, carried out beside the deliveries, piece by piece.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::journal::WorkerId;
use crate::store::Store;

/// How long a job is left to a worker of which nothing is heard.
const LEASE: Duration = Duration::from_secs(15);

/// Between two questions whether there is something to do.
const IDLE: Duration = Duration::from_secs(2);

/// After an error. What is wrong with the store is told by those who deliver.
const AFTER_ERROR: Duration = Duration::from_secs(5);

/// A piece is followed by a pause as long as itself, this long at most, so that deliveries get at least half of the store.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Goes on until it is dropped. A piece that is cut off has not happened.
pub(super) async fn carry_out(store: Arc<dyn Store>, worker: WorkerId) -> Infallible {
    loop {
        let began = Instant::now();
        let pause = match store.work(&worker, LEASE, None).await {
            Ok(Some(job)) if job.is_open() => began.elapsed().min(LONGEST_PAUSE),
            Ok(Some(job)) => {
                tracing::info!(job = job.number, affected = job.affected, "a job is done");
                Duration::ZERO
            }
            Ok(None) => IDLE,
            Err(error) => {
                tracing::debug!(%error, "the store does not answer about jobs; trying again");
                AFTER_ERROR
            }
        };
        tokio::time::sleep(pause).await;
    }
}
