//! Databases with a journal and a table of claims, and with a backlog in both.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::Message;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options};

const KEYS: usize = 5_000;
const PAYLOAD_BYTES: usize = 500;

/// A database of the server that `cargo xtask bench` started for this run.
pub(crate) struct Database(String);

impl Database {
    fn server() -> String {
        let address = std::env::var("POSTHASTE_BENCH_SERVER").expect("a server: cargo xtask bench mysql");
        format!("mysql://root@{address}")
    }

    /// With a journal and a table of claims that are empty.
    pub(crate) async fn empty(name: &str) -> Self {
        let mut server = Conn::from_url(Self::server()).await.expect("a connection");
        server.query_drop(format!("DROP DATABASE IF EXISTS `{name}`")).await.expect("it goes");
        server.query_drop(format!("CREATE DATABASE `{name}`")).await.expect("a database");
        let database = Self(format!("{}/{name}", Self::server()));
        database.store().migrate().await.expect("a journal");
        database.connect().await.query_drop(include_str!("claim.sql")).await.expect("the table of claims");
        database
    }

    /// With so many messages in each of the two, written by the server itself: a million of them from here would take minutes.
    pub(crate) async fn filled(name: &str, messages: usize) -> Self {
        let database = Self::empty(name).await;
        let mut connection = database.connect().await;
        let numbers = "WITH RECURSIVE numbers (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)";
        for (table, id) in [("outbox", ""), ("claims", "id, ")] {
            let value = if id.is_empty() { "" } else { "UUID(), " };
            let sql = format!(
                "INSERT INTO {table} ({id}event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload)
                 {numbers} SELECT {value}'order.placed', 'order', CONCAT(n * 7919 % {KEYS}), '0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1',
                 'application/octet-stream', REPEAT('x', {PAYLOAD_BYTES}) FROM numbers"
            );
            for first in (0..messages).step_by(1_000) {
                connection.exec_drop(&sql, (first, first + 1_000)).await.expect("messages are stored");
            }
        }
        database
    }

    pub(crate) fn store(&self) -> MySql {
        MySql::open(Options::new(&self.0)).expect("a store")
    }

    pub(crate) async fn connect(&self) -> Conn {
        Conn::from_url(&self.0).await.expect("a connection")
    }
}

pub(crate) fn message(n: usize) -> Message {
    Message::builder("order.placed", "order", (n * 7919 % KEYS).to_string())
        .payload(vec![b'x'; PAYLOAD_BYTES], "application/octet-stream")
        .correlation_id("0b55c7a2-5f6f-4b7b-9a44-7e0bd6c0f0a1")
        .build()
        .expect("a valid message")
}
