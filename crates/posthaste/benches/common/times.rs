//! From the application's commit to the delivery, at a thousand messages per second: from when the commit was acknowledged, which
//! is when others can see the message; and from when it was sent, which adds what the disk takes.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use posthaste::sink::{self, Outcome, Run, Sink};
use serde_json::json;
use uuid::Uuid;

pub(crate) const WRITERS: usize = 4;
/// Messages of each writer: ten seconds of work.
pub(crate) const EACH: usize = 2_500;
/// Between two messages of one writer.
pub(crate) const BEAT: Duration = Duration::from_millis(4);

/// When the commit of each message was sent and acknowledged, and when it was delivered.
#[derive(Debug, Default)]
pub(crate) struct Times {
    pub(crate) committed: Mutex<HashMap<Uuid, (Instant, Instant)>>,
    delivered: Mutex<Vec<(Uuid, Instant)>>,
}

impl Times {
    pub(crate) fn delivered(&self, ids: impl Iterator<Item = Uuid>) {
        let now = Instant::now();
        self.delivered.lock().expect("no panic").extend(ids.map(|id| (id, now)));
    }

    pub(crate) fn are_complete(&self) -> bool {
        self.delivered.lock().expect("no panic").len() >= WRITERS * EACH
    }

    pub(crate) async fn until_complete(&self) {
        while !self.are_complete() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until something was delivered, and forgets it.
    pub(crate) async fn until_warm(&self) {
        while self.delivered.lock().expect("no panic").is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.delivered.lock().expect("no panic").clear();
    }

    pub(crate) fn percentiles(&self) -> serde_json::Value {
        let committed = self.committed.lock().expect("no panic");
        let delivered = self.delivered.lock().expect("no panic");
        let since_sent = delivered.iter().map(|(id, at)| *at - committed[id].0).collect();
        // Now and then a delivery is faster than the acknowledgement.
        let since_acknowledged =
            delivered.iter().map(|(id, at)| at.saturating_duration_since(committed[id].1)).collect();
        let [(p50, p99), (sent_p50, sent_p99)] = [since_acknowledged, since_sent].map(median_and_worst);
        json!({ "p50": p50, "p99": p99, "with_commit_p50": sent_p50, "with_commit_p99": sent_p99 })
    }
}

/// In milliseconds; the worst but for one in a hundred.
fn median_and_worst(mut waits: Vec<Duration>) -> (f64, f64) {
    waits.sort_unstable();
    let at = |share: f64| (waits[(waits.len() as f64 * share) as usize].as_secs_f64() * 10_000.0).round() / 10.0;
    (at(0.5), at(0.99))
}

#[async_trait]
impl Sink for Times {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.delivered(run.deliveries.iter().map(|delivery| delivery.message.id.0));
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), sink::Error> {
        Ok(())
    }
}
