//! Posthaste: a whole relay, from its start to its clean end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use posthaste::relay::Settings;
use posthaste::sink::{Error, Outcome, Run, Sink};
use posthaste::stores::mongodb::Options;
use posthaste::{Destination, Message, Relay};
use tokio::sync::Notify;

use super::database::{Database, message};
use super::{MESSAGES, rate};

/// Messages written one by one to an idle relay.
const SINGLE: usize = 300;

/// Counts, and remembers when the last one came.
#[derive(Debug)]
struct Null {
    left: AtomicUsize,
    done: Notify,
    last: Mutex<Option<Instant>>,
    came: Notify,
}

impl Null {
    fn expecting(messages: usize) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(messages),
            done: Notify::new(),
            last: Mutex::default(),
            came: Notify::new(),
        })
    }
}

#[async_trait]
impl Sink for Null {
    async fn deliver(&self, run: &Run) -> Outcome {
        *self.last.lock().expect("nobody panics here") = Some(Instant::now());
        self.came.notify_one();
        if self.left.fetch_sub(run.deliveries.len(), Ordering::Relaxed) == run.deliveries.len() {
            self.done.notify_one();
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn relay(database: &Database, sink: &Arc<Null>) -> Relay {
    Relay::builder(Arc::new(database.store.clone()))
        .settings(Settings { retention: None, ..Settings::default() })
        .destination(Destination::new("null"), sink.clone())
        .build()
}

/// Messages per second with everything numbered, delivered and recorded; with stamps, also those of what was passed meanwhile.
pub(super) async fn drain_rate(stamp_status: bool) -> f64 {
    let mut options = Options::default();
    options.stamp_status = stamp_status;
    let database = Database::fresh(options).await;
    let messages: Vec<Message> = (0..MESSAGES).map(message).collect();
    database.write(&messages, 500).await;
    let sink = Null::expecting(MESSAGES);
    let finished = sink.clone();
    let started = Instant::now();
    let run = relay(&database, &sink).run(async move { finished.done.notified().await });
    run.await.expect("a clean end");
    let rate = rate(MESSAGES, started);
    database.end().await;
    rate
}

/// From the return of the application's commit to the arrival, one message at a time, in milliseconds.
pub(super) async fn latency() -> serde_json::Value {
    let database = Database::fresh(Options::default()).await;
    let sink = Null::expecting(usize::MAX);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(relay(&database, &sink).run(async move { drop(stopped.await) }));
    let mut took = Vec::new();
    for n in 0..SINGLE {
        database.write(&[message(n)], 1).await;
        let committed = Instant::now();
        sink.came.notified().await;
        let came = sink.last.lock().expect("nobody panics here").expect("one came");
        took.push(came.saturating_duration_since(committed).as_secs_f64() * 1_000.0);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(stop);
    running.join_next().await.expect("a relay").expect("no panic").expect("a clean end");
    database.end().await;
    took.sort_by(f64::total_cmp);
    let at = |share: f64| (took[(took.len() as f64 * share) as usize] * 10.0).round() / 10.0;
    serde_json::json!({ "p50": at(0.5), "p99": at(0.99) })
}
