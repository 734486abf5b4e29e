//! From the application's commit to the delivery, at a thousand messages per second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use posthaste::relay::Settings;
use posthaste::sink::{self, Outcome, Run, Sink};
use posthaste::stores::postgres::enqueue;
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

/// When each message was about to be committed, and when it was delivered.
#[derive(Debug, Default)]
struct Times {
    committed: Mutex<HashMap<Uuid, Instant>>,
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

    fn percentiles(&self) -> serde_json::Value {
        let committed = self.committed.lock().expect("no panic");
        let delivered = self.delivered.lock().expect("no panic");
        let mut waits: Vec<Duration> = delivered.iter().map(|(id, at)| *at - committed[id]).collect();
        waits.sort_unstable();
        let at = |share: f64| (waits[(waits.len() as f64 * share) as usize].as_secs_f64() * 10_000.0).round() / 10.0;
        json!({ "p50": at(0.5), "p99": at(0.99) })
    }
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

async fn write(database: Arc<Database>, times: Arc<Times>, into: Into, first: usize) {
    let mut client = database.connect().await;
    let mut beat = tokio::time::interval(BEAT);
    for n in first..first + EACH {
        beat.tick().await;
        let message = message(n);
        let transaction = client.transaction().await.expect("a transaction");
        match into {
            Into::Outbox => drop(enqueue(&transaction, std::slice::from_ref(&message)).await.expect("it is stored")),
            Into::Claims => claim::insert(&transaction, &message).await,
        }
        times.committed.lock().expect("no panic").insert(message.id.0, Instant::now());
        transaction.commit().await.expect("a commit");
    }
}

fn start(database: &Arc<Database>, times: &Arc<Times>, into: Into) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        writers.spawn(write(Arc::clone(database), Arc::clone(times), into, writer * EACH));
    }
    writers
}

/// With default settings.
pub(crate) async fn of_the_relay() -> serde_json::Value {
    let database = Arc::new(Database::filled("latency", 0).await);
    let times = Arc::new(Times::default());
    let relay = Relay::builder(Arc::new(database.store()))
        .settings(Settings::default())
        .destination(Destination::new("times"), times.clone())
        .build();
    let writers = start(&database, &times, Into::Outbox);
    relay.run(times.until_complete()).await.expect("a clean end");
    writers.join_all().await;
    times.percentiles()
}

/// Which looks again at once after it found something, and five milliseconds later if not.
pub(crate) async fn of_claims() -> serde_json::Value {
    let database = Arc::new(Database::filled("latency-claim", 0).await);
    let times = Arc::new(Times::default());
    let claims = Claims::open(&database).await;
    let writers = start(&database, &times, Into::Claims);
    while !times.are_complete() {
        if claims.batch(|id| times.delivered(std::iter::once(id))).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    writers.join_all().await;
    times.percentiles()
}
