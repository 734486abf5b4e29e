//! SQLite: enqueue and drain, each beside bare SQL that does the same. Called by `cargo xtask bench sqlite`, a case at a time.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures, and stops when it cannot")]

use std::collections::HashMap;
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
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::Notify;

use self::runtime::runtime;

#[path = "common/runtime.rs"]
mod runtime;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MESSAGES: usize = 200_000;
const STUCK: usize = 100_000;
const BACKLOG: usize = 1_000_000;
const KEYS: usize = 1_000;
const BATCH: usize = 1_000;
const PAYLOAD_BYTES: usize = 500;

fn main() {
    let case = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    let figure = match case.as_str() {
        "enqueue" => enqueue_rate(),
        "enqueue-bare" => enqueue_bare_rate(),
        "drain" => drain_rate(&prepare(&case, MESSAGES, 0, KEYS), MESSAGES),
        "drain-each" => drain_rate(&prepare(&case, MESSAGES, 0, MESSAGES), MESSAGES),
        "drain-bare" => drain_bare_rate(&prepare(&case, MESSAGES, 0, KEYS)),
        // The same journal twice: once the hot key's messages are delivered like all others, once its first one is dead.
        "others-free" => drain_rate(&prepare(&case, MESSAGES, STUCK, KEYS), MESSAGES + STUCK),
        "others-stuck" => drain_rate(&prepare(&case, MESSAGES, STUCK, KEYS), MESSAGES),
        "backlog-rss-mb" => backlog_rss_mb(),
        // `cargo test --benches` and `cargo bench` without a case have nothing to measure.
        _ => return,
    };
    println!("{figure}");
}

/// An empty journal of its own for this case, under the build's directory for temporary things.
fn fresh(case: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{case}.db"));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let store = Sqlite::open(&path, Options::default()).expect("a database");
    runtime().block_on(store.migrate()).expect("a journal");
    path
}

/// A journal with `others` messages of many keys and, among them, `hot` of one. Written once for each build of this program,
/// then copied.
fn prepare(case: &str, others: usize, hot: usize, keys: usize) -> PathBuf {
    let template = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{others}-{hot}-{keys}.db"));
    let written = |path: &PathBuf| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let program = std::env::current_exe().expect("this program");
    if written(&template).is_none_or(|at| written(&program).is_some_and(|built| built > at)) {
        let path = write(&format!("{others}-{hot}-{keys}-new"), others, hot, keys);
        std::fs::rename(path, &template).expect("a template");
    }
    let path = fresh(case);
    std::fs::copy(template, &path).expect("a copy");
    path
}

fn message(n: usize, keys: usize) -> Message {
    Message::builder("order.placed", "order", (n * 7919 % keys).to_string())
        .payload(vec![b'x'; PAYLOAD_BYTES], "application/octet-stream")
        .correlation_id("0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1")
        .build()
        .expect("a valid message")
}

fn write(name: &str, others: usize, hot: usize, keys: usize) -> PathBuf {
    let path = fresh(name);
    let mut connection = connect(&path, &Options::default()).expect("a connection");
    let mut left = hot;
    let mut n = 0;
    while n < others {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        let mut batch = Vec::with_capacity(BATCH + BATCH / 2);
        while batch.len() < BATCH && n < others {
            if left > 0 && n % 2 == 0 {
                left -= 1;
                batch.push(hot_message());
            }
            batch.push(message(n, keys));
            n += 1;
        }
        if n == others {
            batch.extend((0..left).map(|_| hot_message()));
        }
        Outbox::new().enqueue(&transaction, &batch).expect("messages are stored");
        transaction.commit().expect("a commit");
    }
    connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").expect("everything in one file");
    path
}

fn hot_message() -> Message {
    let payload = vec![b'x'; PAYLOAD_BYTES];
    Message::builder("order.hot", "order", "hot").payload(payload, "text/plain").build().expect("a valid message")
}

/// Counts and forgets.
#[derive(Debug, Default)]
struct Null {
    reject_hot: bool,
    left: AtomicUsize,
    done: Notify,
}

impl Null {
    fn forget(&self, run: &Run) -> Outcome {
        if self.reject_hot && run.deliveries[0].message.event_type == "order.hot" {
            return Outcome::stopped(0, sink::Error::reject("stuck"));
        }
        if self.left.fetch_sub(run.deliveries.len(), Ordering::Relaxed) == run.deliveries.len() {
            self.done.notify_one();
        }
        Outcome::delivered(run)
    }
}

#[async_trait]
impl Sink for Null {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.forget(run)
    }

    fn runs_at_once(&self) -> usize {
        1_000
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        for (nth, run) in runs.iter().enumerate() {
            outcomes.answer(nth, self.forget(run));
        }
    }

    async fn check(&self) -> Result<(), sink::Error> {
        Ok(())
    }
}

/// Messages per second from the start of a relay to its clean end, with everything delivered and recorded.
fn drain_rate(path: &PathBuf, expected: usize) -> f64 {
    let reject_hot = expected == MESSAGES && path.to_string_lossy().contains("stuck");
    let started = Instant::now();
    drain(path, expected, reject_hot);
    MESSAGES as f64 / started.elapsed().as_secs_f64()
}

fn drain(path: &PathBuf, expected: usize, reject_hot: bool) {
    let sink = Arc::new(Null { reject_hot, left: AtomicUsize::new(expected), done: Notify::new() });
    let store = Sqlite::open(path, Options::default()).expect("a database");
    let relay = Relay::builder(Arc::new(store))
        .settings(Settings { retention: None, ..Settings::default() })
        .destination(Destination::new("null"), sink.clone())
        .build();
    let finished = async move { sink.done.notified().await };
    runtime().block_on(relay.run(finished)).expect("a clean end");
}

/// The same reads, into the same kind of values, and the same cursor commits, one after another.
fn drain_bare_rate(path: &PathBuf) -> f64 {
    let started = Instant::now();
    let mut connection = connect(path, &Options::default()).expect("a connection");
    connection.pragma_update(None, "synchronous", "NORMAL").expect("a setting");
    connection
        .execute_batch("CREATE TABLE bare_cursors (partition INTEGER PRIMARY KEY, low INTEGER NOT NULL) WITHOUT ROWID")
        .expect("a table");
    for partition in 0..64 {
        connection.execute("INSERT INTO bare_cursors VALUES (?, 0)", [partition]).expect("a row");
    }
    let (mut after, mut total) = (0_i64, 0);
    loop {
        let (batch, last) = read_bare(&connection, after);
        if batch == 0 {
            break;
        }
        (after, total) = (last, total + batch);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        {
            let sql = "UPDATE bare_cursors SET low = ?2 WHERE partition = ?1";
            let mut update = transaction.prepare_cached(sql).expect("a statement");
            for partition in 0..64 {
                update.execute((partition, after)).expect("an update");
            }
        }
        transaction.commit().expect("a commit");
    }
    assert_eq!(total, MESSAGES);
    MESSAGES as f64 / started.elapsed().as_secs_f64()
}

/// All columns, as they come.
struct BareMessage {
    _texts: [Option<String>; 12],
    _numbers: [Option<i64>; 4],
    _payload: Vec<u8>,
}

fn read_bare(connection: &Connection, after: i64) -> (usize, i64) {
    let sql = concat!(
        "SELECT seq, partition, id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, ",
        "content_type, occurred_at, due_at, destination, max_attempts, source_stream, source_event, headers, payload ",
        "FROM outbox WHERE seq > ?1 ORDER BY seq LIMIT 1000"
    );
    let mut statement = connection.prepare_cached(sql).expect("a statement");
    let mut rows = statement.query([after]).expect("rows");
    let mut keys: HashMap<String, Vec<BareMessage>> = HashMap::new();
    let (mut count, mut last) = (0, after);
    while let Some(row) = rows.next().expect("a row") {
        last = row.get(0).expect("a number");
        let texts = [2, 3, 4, 6, 7, 8, 9, 10, 13, 15, 16, 17].map(|column| row.get(column).expect("a text"));
        let numbers = [1, 11, 12, 14].map(|column| row.get(column).expect("a number"));
        let message = BareMessage { _texts: texts, _numbers: numbers, _payload: row.get(18).expect("bytes") };
        keys.entry(row.get(5).expect("a text")).or_default().push(message);
        count += 1;
    }
    std::hint::black_box(keys);
    (count, last)
}

/// Messages per second, 100 in each of the application's transactions.
fn enqueue_rate() -> f64 {
    let path = fresh("enqueue");
    let mut connection = connect(&path, &Options::default()).expect("a connection");
    let messages: Vec<Message> = (0..MESSAGES / 4).map(|n| message(n, KEYS)).collect();
    let started = Instant::now();
    for batch in messages.chunks(100) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        Outbox::new().enqueue(&transaction, batch).expect("messages are stored");
        transaction.commit().expect("a commit");
    }
    messages.len() as f64 / started.elapsed().as_secs_f64()
}

/// The same rows into the same table by a prepared INSERT.
fn enqueue_bare_rate() -> f64 {
    let path = fresh("enqueue-bare");
    let mut connection = connect(&path, &Options::default()).expect("a connection");
    let messages: Vec<Message> = (0..MESSAGES / 4).map(|n| message(n, KEYS)).collect();
    let started = Instant::now();
    for batch in messages.chunks(100) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        {
            let sql = concat!(
                "INSERT INTO outbox (id, event_type, aggregate_type, aggregate_id, key, correlation_id, content_type, ",
                "occurred_at, partition, headers, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, '[]', ?)"
            );
            let mut insert = transaction.prepare_cached(sql).expect("a statement");
            for m in batch {
                let id = m.id.to_string();
                insert
                    .execute((
                        &id,
                        m.event_type.as_str(),
                        m.aggregate_type.as_str(),
                        m.aggregate_id.as_str(),
                        m.key.as_deref(),
                        m.correlation_id.as_deref(),
                        m.content_type.as_str(),
                        m.occurred_at.as_millisecond(),
                        &m.payload[..],
                    ))
                    .expect("a row");
            }
        }
        transaction.commit().expect("a commit");
    }
    messages.len() as f64 / started.elapsed().as_secs_f64()
}

/// The most memory the process ever had while it drained a million messages.
fn backlog_rss_mb() -> f64 {
    let path = prepare("backlog-rss-mb", BACKLOG, 0, KEYS);
    // What it took to write them does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    drain(&path, BACKLOG, false);
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: f64 = peak.trim().trim_end_matches("kB").trim().parse().expect("a number");
    (kilobytes / 1024.0).round()
}
