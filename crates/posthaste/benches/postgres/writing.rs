//! An application that writes messages in transactions of its own: by the library, and by a prepared INSERT of the same rows.

use std::time::Instant;

use deadpool_postgres::Transaction;
use jiff::Timestamp;
use posthaste::Message;
use posthaste::stores::postgres::enqueue;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::database::{Database, message};
use crate::rate;

/// Few transactions when each waits for the disk on its own.
fn messages(per_transaction: usize) -> Vec<Message> {
    (0..if per_transaction == 1 { 5_000 } else { 50_000 }).map(message).collect()
}

pub(crate) async fn by_the_library(per_transaction: usize) -> f64 {
    let messages = messages(per_transaction);
    let pool = Database::empty("writing").await.pool();
    let mut client = pool.get().await.expect("a connection");
    let begun = Instant::now();
    for batch in messages.chunks(per_transaction) {
        let transaction = client.transaction().await.expect("a transaction");
        enqueue(&transaction, batch).await.expect("messages are stored");
        transaction.commit().await.expect("a commit");
    }
    rate(messages.len(), begun)
}

pub(crate) async fn by_hand(per_transaction: usize) -> f64 {
    let messages = messages(per_transaction);
    let pool = Database::empty("writing-bare").await.pool();
    let mut client = pool.get().await.expect("a connection");
    let insert = insert(per_transaction);
    let begun = Instant::now();
    for batch in messages.chunks(per_transaction) {
        let transaction = client.transaction().await.expect("a transaction");
        write(&transaction, &insert, batch).await;
        transaction.commit().await.expect("a commit");
    }
    rate(messages.len(), begun)
}

/// So many rows in one statement.
fn insert(rows: usize) -> String {
    let places =
        |row: usize| format!("({})", (1..=8).map(|n| format!("${}", row * 8 + n)).collect::<Vec<_>>().join(","));
    let rows: Vec<String> = (0..rows).map(places).collect();
    let columns = "id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, occurred_at, payload";
    format!("INSERT INTO posthaste.outbox ({columns}) VALUES {}", rows.join(","))
}

async fn write(transaction: &Transaction<'_>, insert: &str, batch: &[Message]) {
    let statement = transaction.prepare_cached(insert).await.expect("a statement");
    let rows: Vec<Row> = batch.iter().map(row).collect();
    let values: Vec<&(dyn ToSql + Sync)> = rows.iter().flat_map(values).collect();
    transaction.execute(&statement, &values).await.expect("rows");
}

/// The columns as the client takes them.
type Row<'a> = (Uuid, [&'a str; 3], Option<&'a str>, &'a str, Timestamp, &'a [u8]);

fn row(m: &Message) -> Row<'_> {
    let about = [m.event_type.as_str(), &m.aggregate_type, &m.aggregate_id];
    (m.id.0, about, m.correlation_id.as_deref(), &m.content_type, m.occurred_at, &m.payload)
}

fn values<'a>((id, about, correlation, kind, at, payload): &'a Row<'_>) -> [&'a (dyn ToSql + Sync); 8] {
    [id, &about[0], &about[1], &about[2], correlation, kind, at, payload]
}
