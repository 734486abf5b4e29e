//! From the application's commit to the delivery, at a thousand messages per second: from when the commit was acknowledged, which
//! is when others can see the message; and from when it was sent, which adds what the disk takes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mysql_async::TxOpts;
use posthaste::relay::Settings;
use posthaste::sink::{self, Outcome, Run, Sink};
use posthaste::stores::mysql::Outbox;
use posthaste::{Destination, Relay};
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::claim::{self, Claims};
use crate::database::{Database, message};

const WRITERS: usize = 4;
/// Messages of each writer: ten seconds of work.
const EACH: usize = 2_500;
/// Between two messages of one writer.
const BEAT: Duration = Duration::from_millis(4);

/// When the commit of each message was sent and acknowledged, and when it was delivered.
#[derive(Debug, Default)]
struct Times {
    committed: Mutex<HashMap<Uuid, (Instant, Instant)>>,
    delivered: Mutex<Vec<(Uuid, Instant)>>,
}

impl Times {
    fn delivered(&self, ids: impl Iterator<Item = Uuid>) {
        let now = Instant::now();
        self.delivered.lock().expect("no panic").extend(ids.map(|id| (id, now)));
    }

    fn are_complete(&self) -> bool {
        self.delivered.lock().expect("no panic").len() >= WRITERS * EACH
    }

    async fn until_complete(&self) {
        while !self.are_complete() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until something was delivered, and forgets it.
    async fn until_warm(&self) {
        while self.delivered.lock().expect("no panic").is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.delivered.lock().expect("no panic").clear();
    }

    fn percentiles(&self) -> serde_json::Value {
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

/// What an application does with one message.
#[derive(Debug, Clone, Copy)]
enum Into {
    Outbox,
    Claims,
}

async fn write(database: &Database, times: &Times, into: Into, numbers: Range<usize>) {
    let mut connection = database.connect().await;
    let mut beat = tokio::time::interval(BEAT);
    for n in numbers {
        beat.tick().await;
        let message = message(n);
        let mut transaction = connection.start_transaction(TxOpts::default()).await.expect("a transaction");
        match into {
            Into::Outbox => {
                Outbox::new().enqueue(&mut transaction, std::slice::from_ref(&message)).await.expect("it is stored");
            }
            Into::Claims => claim::insert(&mut transaction, &message).await,
        }
        let sent = Instant::now();
        transaction.commit().await.expect("a commit");
        times.committed.lock().expect("no panic").insert(message.id.0, (sent, Instant::now()));
    }
}

fn start(database: &Arc<Database>, times: &Arc<Times>, into: Into) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (database, times) = (Arc::clone(database), Arc::clone(times));
        writers.spawn(async move { write(&database, &times, into, writer * EACH..(writer + 1) * EACH).await });
    }
    writers
}

/// With default settings.
pub(crate) async fn of_the_relay() -> serde_json::Value {
    let database = Arc::new(Database::empty("latency").await);
    let times = Arc::new(Times::default());
    let relay = Relay::builder(Arc::new(database.store()))
        .settings(Settings::default())
        .destination(Destination::new("times"), times.clone())
        .build();
    write(&database, &Times::default(), Into::Outbox, 0..1).await;
    let writing = async {
        times.until_warm().await;
        start(&database, &times, Into::Outbox).join_all().await;
        times.until_complete().await;
    };
    relay.run(writing).await.expect("a clean end");
    times.percentiles()
}

/// Which looks again at once after it found something, and five milliseconds later if not.
pub(crate) async fn of_claims() -> serde_json::Value {
    let database = Arc::new(Database::empty("latency-claim").await);
    let times = Arc::new(Times::default());
    let mut claims = Claims::open(&database).await;
    let writers = start(&database, &times, Into::Claims);
    while !times.are_complete() {
        if claims.batch(|id| times.delivered(std::iter::once(id))).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    writers.join_all().await;
    times.percentiles()
}
