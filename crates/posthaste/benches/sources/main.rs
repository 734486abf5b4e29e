//! KurrentDB into PostgreSQL: how many events a relay takes into the journal in a second, beside the same messages written without a
//! source. Called by `cargo xtask bench sources`, a case at a time, which also starts the server.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures, and stops when it cannot")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::conformance::kurrentdb::StandIn;
use posthaste::inspect::Inspect;
use posthaste::source::rules::{Rule, Rules};
use posthaste::source::{Feed, Made, Mapper, OnError, Source, made};
use posthaste::sources::kurrentdb::{Filter, KurrentDb, Settings};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Outbox, Postgres};
use posthaste::{Message, Relay};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

#[path = "../common/memory.rs"]
mod memory;
#[path = "../common/runtime.rs"]
mod runtime;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EVENTS: usize = 100_000;
const STREAMS: usize = 5_000;
/// Of four events one is of no interest.
const FOREIGN: usize = 4;
/// What a transaction of the relay stores.
const BATCH: usize = 1_000;
const METADATA: &str = r#"{"correlationId":"0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1","tenantId":"acme","userId":"ann"}"#;

fn main() {
    let case = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    if let Some(figure) = runtime::runtime().block_on(measure(&case)) {
        println!("{figure}");
    }
}

/// `cargo test --benches` and `cargo bench` without a case have nothing to measure.
async fn measure(case: &str) -> Option<f64> {
    Some(match case {
        "ingest" => ingest_rate().await,
        "read" => read_rate().await,
        "enqueue" => enqueue_rate().await,
        "rss-mb" => memory::peak_rss_mb(async { assert!(ingest_rate().await > 0.0) }).await,
        _ => return None,
    })
}

/// From the start of a relay to the last event in the journal.
async fn ingest_rate() -> f64 {
    let (store, server) = (Database::empty("ingest").await.store(), log().await);
    let relay =
        Relay::builder(Arc::new(store.clone())).source(Feed::new("payments"), Arc::new(source(&server)), mapper());
    let begun = Instant::now();
    let all_is_stored = async {
        while store.sources().await.expect("an answer").first().is_none_or(|source| source.stored < EVENTS as u64) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    relay.build().run(all_is_stored).await.expect("a clean end");
    rate(begun)
}

/// What the log gives out and the mapper makes of it, with no journal behind it.
async fn read_rate() -> f64 {
    let (server, mapper) = (log().await, mapper());
    let begun = Instant::now();
    let mut reading = source(&server).read_after(None).await.expect("the log is there");
    let mut made = 0;
    while made < EVENTS {
        for event in reading.next(BATCH).await.expect("events").events {
            made += mapper.map(&event).expect("a message").len();
        }
    }
    rate(begun)
}

/// The same messages, from memory, in transactions of the same size.
async fn enqueue_rate() -> f64 {
    let (database, mapper, server) = (Database::empty("enqueue").await, mapper(), log().await);
    let mut reading = source(&server).read_after(None).await.expect("the log is there");
    let mut messages: Vec<Message> = Vec::new();
    while messages.len() < EVENTS {
        for event in reading.next(BATCH).await.expect("events").events {
            match made(&event, mapper.map(&event), OnError::Stop) {
                Made::Messages(made) => messages.extend(made),
                other => panic!("a message, and not {other:?}"),
            }
        }
    }
    drop((reading, server));
    let (mut client, outbox) = (database.connect().await, Outbox::new());
    let begun = Instant::now();
    for batch in messages.chunks(BATCH) {
        let transaction = client.transaction().await.expect("a transaction");
        outbox.enqueue(&transaction, batch).await.expect("messages are stored");
        transaction.commit().await.expect("a commit");
    }
    rate(begun)
}

fn rate(since: Instant) -> f64 {
    EVENTS as f64 / since.elapsed().as_secs_f64()
}

fn mapper() -> Arc<dyn Mapper> {
    Arc::new(Rules::new([Rule::new("payment.*")]))
}

fn source(server: &StandIn) -> KurrentDb {
    let mut settings = Settings::new(server.connection_string());
    settings.filter = Filter { event_type_prefix: vec!["payment.".into()], ..Filter::default() };
    KurrentDb::new(settings).expect("the settings are right")
}

async fn log() -> StandIn {
    let server = StandIn::single().await;
    let data = format!("{{\"text\":\"{}\"}}", "x".repeat(480));
    let all = (EVENTS * FOREIGN).div_ceil(FOREIGN - 1);
    server.append_all((0..all).map(|n| {
        let event_type = if n % FOREIGN == 0 { "order.placed.v1" } else { "payment.completed.v1" };
        let stream = format!("payment-{}", n * 7919 % STREAMS);
        (stream, event_type.to_owned(), Uuid::now_v7(), data.clone().into(), METADATA.into())
    }));
    server
}

/// A database of the server that `cargo xtask bench sources` started for this run.
struct Database(String);

impl Database {
    fn url(name: &str) -> String {
        let address = std::env::var("POSTHASTE_BENCH_SERVER").expect("a server: cargo xtask bench sources");
        format!("postgres://postgres@{address}/{name}")
    }

    /// With a journal that is empty.
    async fn empty(name: &str) -> Self {
        let server = Self(Self::url("postgres")).connect().await;
        server.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)")).await.expect("it goes");
        server.batch_execute(&format!("CREATE DATABASE \"{name}\"")).await.expect("a database");
        let database = Self(Self::url(name));
        database.store().migrate().await.expect("a journal");
        database
    }

    fn store(&self) -> Postgres {
        Postgres::open(Options::new(&self.0)).expect("a store")
    }

    #[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
    async fn connect(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.0, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client
    }
}
