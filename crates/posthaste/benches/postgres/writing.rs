//! An application that writes messages in transactions of its own: by the library, beside a prepared INSERT of the same rows.

use std::time::{Duration, Instant};

use deadpool_postgres::Transaction;
use jiff::Timestamp;
use posthaste::Message;
use posthaste::stores::postgres::Outbox;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::database::{Database, message};

/// Transactions of each way.
fn transactions(per_transaction: usize) -> usize {
    if per_transaction == 1 { 4_000 } else { 100 }
}

/// How long transactions by the library take, in those of a bare INSERT. One of each in turn, on the same connection into the same
/// table: the disk has its moods, and both shall see the same.
pub(crate) async fn beside_an_insert(per_transaction: usize) -> f64 {
    let pool = Database::empty("writing").await.pool();
    let mut client = pool.get().await.expect("a connection");
    let insert = insert(per_transaction);
    let outbox = Outbox::new();
    let (mut by_the_library, mut by_hand) = (Duration::ZERO, Duration::ZERO);
    for round in 0..transactions(per_transaction) {
        let first = round * 2 * per_transaction;
        let messages: Vec<Message> = (first..first + 2 * per_transaction).map(message).collect();
        let (ours, bare) = messages.split_at(per_transaction);
        // Whoever comes second finds things warm.
        for ours_is_next in [round % 2 == 0, round % 2 == 1] {
            let begun = Instant::now();
            let transaction = client.transaction().await.expect("a transaction");
            if ours_is_next {
                outbox.enqueue(&transaction, ours).await.expect("messages are stored");
            } else {
                write(&transaction, &insert, bare).await;
            }
            transaction.commit().await.expect("a commit");
            *(if ours_is_next { &mut by_the_library } else { &mut by_hand }) += begun.elapsed();
        }
    }
    (by_the_library.as_secs_f64() / by_hand.as_secs_f64() * 1_000.0).round() / 1_000.0
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
