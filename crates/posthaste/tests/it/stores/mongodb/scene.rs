//! An application under load, and relays.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mongodb::bson::{Document, doc};
use mongodb::error::{TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT};
use mongodb::options::WriteConcern;
use mongodb::{Client, ClientSession};
use posthaste::journal::WorkerId;
use posthaste::message::MessageId;
use posthaste::relay::{Monitor, Settings};
use posthaste::sink::Sink;
use posthaste::stores::mongodb::{MongoDb, Options};
use posthaste::{Destination, Message, Relay, Result};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::Database;
use super::receiver::{Committed, Receiver};

/// Longest wait for something that must happen, on a busy machine.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

/// Waits for a condition.
pub(super) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < DEADLINE, "did not happen in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A relay that runs while the test looks.
pub(super) struct Running {
    pub(super) monitor: Monitor,
    stop: oneshot::Sender<()>,
    task: JoinSet<Result<()>>,
}

impl Running {
    /// With a store of its own, as another process has.
    pub(super) async fn start(
        database: &Database,
        name: &str,
        receiver: &Receiver,
        options: Options,
    ) -> (Self, MongoDb) {
        let store = MongoDb::open(&database.url, options).await.expect("the server is there");
        (Self::on(&store, name, receiver), store)
    }

    pub(super) fn on(store: &MongoDb, name: &str, receiver: &Receiver) -> Self {
        Self::with(store, name, Arc::new(receiver.clone()))
    }

    pub(super) fn with(store: &MongoDb, name: &str, sink: Arc<dyn Sink>) -> Self {
        let settings = Settings {
            worker: WorkerId(name.into()),
            lease_ttl: Duration::from_secs(5),
            retention: None,
            ..Settings::default()
        };
        let relay = Relay::builder(Arc::new(store.clone()))
            .settings(settings)
            .destination(Destination::new("app"), sink)
            .build();
        let monitor = relay.monitor();
        let (stop, stopped) = oneshot::channel::<()>();
        let mut task = JoinSet::new();
        task.spawn(relay.run(async move { drop(stopped.await) }));
        Self { monitor, stop, task }
    }

    pub(super) async fn stop(mut self) -> Result<()> {
        drop(self.stop);
        let ended = tokio::time::timeout(DEADLINE, self.task.join_next()).await.expect("the relay stops in time");
        ended.expect("there is a relay").expect("it does not panic")
    }

    /// Ends it without a word.
    pub(super) async fn kill(mut self) {
        self.task.shutdown().await;
    }
}

/// An application that writes without pause: each aggregate in a loop of its own, one transaction after another.
pub(super) struct Application {
    writers: JoinSet<(String, Vec<MessageId>)>,
    stop: Arc<AtomicBool>,
}

impl Application {
    pub(super) async fn start(database: &Database, aggregates: usize) -> Self {
        let (mut writers, stop) = (JoinSet::new(), Arc::new(AtomicBool::new(false)));
        for n in 0..aggregates {
            let writer = Writer::new(database, &format!("order-{n}")).await;
            let stop = Arc::clone(&stop);
            writers.spawn(async move { writer.write_until(&stop).await });
        }
        Self { writers, stop }
    }

    /// Ends it and returns what was committed, by aggregate and in order.
    pub(super) async fn stop(mut self) -> Committed {
        self.stop.store(true, Ordering::Relaxed);
        let mut committed = HashMap::new();
        while let Some(written) = self.writers.join_next().await {
            let (aggregate, ids) = written.expect("a writer does not panic");
            committed.insert(aggregate, ids);
        }
        committed
    }
}

/// Whoever writes to one aggregate.
pub(super) struct Writer {
    store: MongoDb,
    client: Client,
    database: String,
    aggregate: String,
}

impl Writer {
    pub(super) async fn new(database: &Database, aggregate: &str) -> Self {
        let client = Client::with_uri_str(&database.url).await.expect("the server is there");
        Self { store: database.store.clone(), client, database: database.name.clone(), aggregate: aggregate.into() }
    }

    async fn write_until(self, stop: &AtomicBool) -> (String, Vec<MessageId>) {
        let mut written = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            written.push(self.write().await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        (self.aggregate, written)
    }

    /// One transaction, tried until it is known to be committed.
    pub(super) async fn write(&self) -> MessageId {
        loop {
            let message = Message::builder("order.changed", "order", self.aggregate.as_str()).json(&1);
            let message = message.build().expect("a valid message");
            if self.transaction(&message).await.is_ok() {
                return message.id;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The change and the event about it. An error means that nothing was committed.
    async fn transaction(&self, message: &Message) -> Result<()> {
        let mut session = self.client.start_session().await?;
        session.start_transaction().write_concern(WriteConcern::majority()).await?;
        let orders = self.client.database(&self.database).collection::<Document>("orders");
        let change = doc! { "$inc": { "version": 1 } };
        orders.update_one(doc! { "_id": &self.aggregate }, change).upsert(true).session(&mut session).await?;
        self.store.outbox().enqueue(&mut session, std::slice::from_ref(message)).await?;
        commit(&mut session).await
    }
}

/// Asks until the answer is known.
async fn commit(session: &mut ClientSession) -> Result<()> {
    loop {
        match session.commit_transaction().await {
            Err(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => return Err(error.into()),
            Err(error) if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            other => return Ok(other?),
        }
    }
}
