//! Brokers: confirmed messages per second through a relay on SQLite, beside a loop with nothing but the broker's client.
//! Called by `cargo xtask bench brokers`, a case at a time.
//!
//! A case is the name of a broker, alone (a thousand keys), with `-hot` (one key), with `-each` (a key for each message, as most traffic
//! has it), or with `-bare` (the client alone).

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures, and stops when it cannot")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use posthaste::relay::Settings;
use posthaste::sink::{self, Outcome, Outcomes, Run, Sink};
use posthaste::store::Store;
use posthaste::stores::sqlite::{Options, Outbox, Sqlite, connect};
use posthaste::{Destination, Message, Relay};
use rusqlite::TransactionBehavior;
use tokio::sync::Notify;

use self::runtime::runtime;

mod kafka;
mod nats;
mod rabbitmq;
mod redis;
#[path = "../common/runtime.rs"]
mod runtime;
mod server;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MESSAGES: usize = 150_000;
const KEYS: usize = 1_000;
const BATCH: usize = 1_000;
const PAYLOAD_BYTES: usize = 500;
/// What a bare loop keeps unconfirmed at once: as much as a destination does by default, runs at once times one message.
const IN_FLIGHT: usize = 64;

fn main() {
    let case = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    let (broker, way) = case.split_once('-').unwrap_or((&case, ""));
    let rate = match broker {
        "redis" => redis::rate(way),
        "rabbitmq" => rabbitmq::rate(way),
        "kafka" => kafka::rate(way),
        "nats" => nats::rate(way),
        // `cargo test --benches` and `cargo bench` without a case have nothing to measure.
        _ => return,
    };
    println!("{rate}");
}

fn message(n: usize, keys: usize) -> Message {
    Message::builder("order.placed", "order", (n * 7919 % keys).to_string())
        .payload(vec![b'x'; PAYLOAD_BYTES], "application/octet-stream")
        .correlation_id("0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1")
        .build()
        .expect("a valid message")
}

/// A journal of its own, with all messages.
fn journal(name: &str, keys: usize) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-brokers-{name}.db"));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let store = Sqlite::open(&path, Options::default()).expect("a database");
    runtime().block_on(store.migrate()).expect("a journal");
    let mut connection = connect(&path, &Options::default()).expect("a connection");
    for begin in (0..MESSAGES).step_by(BATCH) {
        let batch: Vec<Message> = (begin..begin + BATCH).map(|n| message(n, keys)).collect();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        Outbox::new().enqueue(&transaction, &batch).expect("messages are stored");
        transaction.commit().expect("a commit");
    }
    // What it took to write them does not count.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a quiet disk");
    path
}

/// Passes on and counts what was confirmed.
#[derive(Debug)]
struct Counting<S> {
    sink: S,
    left: AtomicUsize,
    done: Notify,
}

impl<S> Counting<S> {
    fn count(&self, outcome: &Outcome) {
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        if self.left.fetch_sub(outcome.confirmed, Ordering::Relaxed) == outcome.confirmed {
            self.done.notify_one();
        }
    }
}

#[async_trait]
impl<S: Sink> Sink for Counting<S> {
    async fn deliver(&self, run: &Run) -> Outcome {
        let outcome = self.sink.deliver(run).await;
        self.count(&outcome);
        outcome
    }

    fn runs_at_once(&self) -> usize {
        self.sink.runs_at_once()
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        self.sink.deliver_all(runs, outcomes).await;
        (0..runs.len()).filter_map(|nth| outcomes.of(nth)).for_each(|outcome| self.count(outcome));
    }

    async fn check(&self) -> Result<(), sink::Error> {
        self.sink.check().await
    }
}

/// Messages per second from the start of a relay to its clean end, with everything confirmed and recorded.
fn relay_rate(name: &str, way: &str, sink: impl Sink + 'static) -> f64 {
    let keys = match way {
        "hot" => 1,
        "each" => MESSAGES,
        _ => KEYS,
    };
    let path = journal(&format!("{name}-{way}"), keys);
    let sink = Arc::new(Counting { sink, left: AtomicUsize::new(MESSAGES), done: Notify::new() });
    let store = Sqlite::open(&path, Options::default()).expect("a database");
    let started = Instant::now();
    let relay = Relay::builder(Arc::new(store))
        .settings(Settings { retention: None, ..Settings::default() })
        .destination(Destination::new(name), sink.clone())
        .build();
    let finished = async move { sink.done.notified().await };
    runtime().block_on(relay.run(finished)).expect("a clean end");
    MESSAGES as f64 / started.elapsed().as_secs_f64()
}

/// In the runtime that `#[tokio::main]` makes.
fn by_hand(bare: impl Future<Output = f64>) -> f64 {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(bare)
}

/// Messages per second of a loop that sends by hand, in as many tasks as a relay has runs in flight, each message confirmed
/// before the task sends its next one.
async fn bare_rate<F: Future<Output = ()> + Send + 'static>(
    send: impl Fn(Message) -> F + Clone + Send + 'static,
) -> f64 {
    let messages: Vec<Message> = (0..MESSAGES).map(|n| message(n, KEYS)).collect();
    let shares: Vec<Vec<Message>> = messages.chunks(MESSAGES.div_ceil(IN_FLIGHT)).map(<[Message]>::to_vec).collect();
    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for share in shares {
        let send = send.clone();
        tasks.spawn(async move {
            for message in share {
                send(message).await;
            }
        });
    }
    tasks.join_all().await;
    MESSAGES as f64 / started.elapsed().as_secs_f64()
}
