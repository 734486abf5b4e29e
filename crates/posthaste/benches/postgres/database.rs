//! Databases with a journal, and with a backlog in it.

use posthaste::Message;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls};

const KEYS: usize = 5_000;
const PAYLOAD_BYTES: usize = 500;

/// A database of the server that `cargo xtask bench postgres` started for this run.
pub(crate) struct Database(String);

impl Database {
    fn url(name: &str) -> String {
        let address = std::env::var("POSTHASTE_BENCH_SERVER").expect("a server: cargo xtask bench postgres");
        format!("postgres://postgres@{address}/{name}")
    }

    /// With a journal that is empty.
    pub(crate) async fn empty(name: &str) -> Self {
        server().await.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\"")).await.expect("it goes");
        server().await.batch_execute(&format!("CREATE DATABASE \"{name}\"")).await.expect("a database");
        let database = Self(Self::url(name));
        database.store().migrate().await.expect("a journal");
        database
    }

    /// With so many messages. Written once for each server, then copied; the table of claims has the same ones.
    pub(crate) async fn filled(name: &str, messages: usize) -> Self {
        let template = format!("filled-{messages}");
        let there = "SELECT 1 FROM pg_database WHERE datname = $1";
        if server().await.query_opt(there, &[&template]).await.expect("an answer").is_none() {
            fill(&template, messages).await;
        }
        let copy = format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\" STRATEGY file_copy");
        server().await.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\"")).await.expect("it goes");
        server().await.batch_execute(&copy).await.expect("a copy");
        server().await.batch_execute("CHECKPOINT").await.expect("a quiet disk");
        Self(Self::url(name))
    }

    pub(crate) fn store(&self) -> Postgres {
        Postgres::open(Options::new(&self.0)).expect("a store")
    }

    pub(crate) async fn connect(&self) -> Client {
        connect(&self.0).await
    }

    pub(crate) fn pool(&self) -> deadpool_postgres::Pool {
        let manager = deadpool_postgres::Manager::new(self.0.parse().expect("a URL"), NoTls);
        deadpool_postgres::Pool::builder(manager).max_size(4).build().expect("a pool")
    }
}

async fn server() -> Client {
    connect(&Database::url("postgres")).await
}

#[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
}

/// The same rows as [`message`] makes, written by the server itself: a million of them from here would take minutes.
async fn fill(name: &str, messages: usize) {
    let database = Database::empty(name).await;
    let client = database.connect().await;
    let sql =
        "INSERT INTO posthaste.outbox (event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload)
        SELECT 'order.placed', 'order', (n * 7919 % $1)::text, '0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1',
               'application/octet-stream', convert_to(repeat('x', $2), 'UTF8')
        FROM generate_series($3::bigint, $4) AS n";
    let all: Vec<i64> = (0..messages as i64).collect();
    for batch in all.chunks(1_000) {
        let (first, last) = (batch[0], batch[batch.len() - 1]);
        let values: [&(dyn ToSql + Sync); 4] = [&(KEYS as i64), &(PAYLOAD_BYTES as i32), &first, &last];
        client.execute(sql, &values).await.expect("messages are stored");
    }
    client.batch_execute(include_str!("claim.sql")).await.expect("the table of claims");
    client.batch_execute("VACUUM ANALYZE").await.expect("a tidy database");
}

pub(crate) fn message(n: usize) -> Message {
    Message::builder("order.placed", "order", (n * 7919 % KEYS).to_string())
        .payload(vec![b'x'; PAYLOAD_BYTES], "application/octet-stream")
        .correlation_id("0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1")
        .build()
        .expect("a valid message")
}

/// How much the server has written to its log.
pub(crate) async fn wal_bytes(client: &Client) -> i64 {
    let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
    client.query_one(sql, &[]).await.expect("a place in the log").get(0)
}
