//! An application that writes messages in transactions of its own: by the library, and by a prepared INSERT of the same rows.

use std::time::Instant;

use deadpool_postgres::Transaction;
use posthaste::Message;
use posthaste::stores::postgres::enqueue;
use tokio_postgres::types::ToSql;

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
    let payloads: Vec<&[u8]> = batch.iter().map(|message| &message.payload[..]).collect();
    let mut values: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(batch.len() * 8);
    for (message, payload) in batch.iter().zip(&payloads) {
        values.extend([&message.id.0 as &(dyn ToSql + Sync), &message.event_type, &message.aggregate_type]);
        values.extend([&message.aggregate_id as &(dyn ToSql + Sync), &message.correlation_id, &message.content_type]);
        values.extend([&message.occurred_at as &(dyn ToSql + Sync), payload]);
    }
    transaction.execute(&statement, &values).await.expect("rows");
}
