//! A database of its own for each case, and messages in it.

use std::time::Instant;

use mongodb::Client;
use mongodb::options::WriteConcern;
use posthaste::Message;
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options};

use super::{MESSAGES, rate};

const KEYS: usize = 5_000;
const PAYLOAD_BYTES: usize = 500;

pub(super) struct Database {
    pub(super) store: MongoDb,
    pub(super) client: Client,
    pub(super) name: String,
}

impl Database {
    pub(super) async fn fresh(options: Options) -> Self {
        let server = std::env::var("POSTHASTE_BENCH_SERVER").expect("run it by `cargo xtask bench mongodb`");
        let name = format!("bench_{}", uuid::Uuid::now_v7().simple());
        let url = format!("mongodb://{server}/{name}?replicaSet=rs0");
        let store = MongoDb::open(&url, options).await.expect("an address");
        store.migrate().await.expect("a journal");
        let client = Client::with_uri_str(&url).await.expect("an address");
        Self { store, client, name }
    }

    /// Writes messages, so many in each of the application's transactions.
    pub(super) async fn write(&self, messages: &[Message], batch: usize) {
        let mut session = self.client.start_session().await.expect("a session");
        for some in messages.chunks(batch) {
            session.start_transaction().write_concern(WriteConcern::majority()).await.expect("a transaction");
            self.store.outbox().enqueue(&mut session, some).await.expect("messages are stored");
            session.commit_transaction().await.expect("a commit");
        }
    }

    pub(super) async fn end(self) {
        self.client.database(&self.name).drop().await.expect("it can be dropped");
    }
}

pub(super) fn message(n: usize) -> Message {
    Message::builder("order.placed", "order", (n * 7919 % KEYS).to_string())
        .payload("x".repeat(PAYLOAD_BYTES), "text/plain")
        .correlation_id("0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1")
        .build()
        .expect("a valid message")
}

/// Messages per second, so many in each of the application's transactions.
pub(super) async fn enqueue_rate(batch: usize) -> f64 {
    let database = Database::fresh(Options::default()).await;
    let messages: Vec<Message> = (0..if batch == 1 { MESSAGES / 40 } else { MESSAGES }).map(message).collect();
    let started = Instant::now();
    database.write(&messages, batch).await;
    let rate = rate(messages.len(), started);
    database.end().await;
    rate
}
