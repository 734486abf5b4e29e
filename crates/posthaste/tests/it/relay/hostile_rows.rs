//! Rows that someone wrote by plain SQL, past all checks of the library: none of them stops a lane.

use std::path::PathBuf;

use posthaste::Result;
use posthaste::sink::Error;
use posthaste::stores::sqlite::{Options, connect};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::making::{destination, ids, interleaved};
use super::outbox::{Outbox, eventually};
use super::receiver::Receiver;
use crate::stores::sqlite;

/// Columns and values of one row; the rest is ordinary.
type Row = Vec<(&'static str, Value)>;

fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

fn number(number: i64) -> Value {
    Value::Integer(number)
}

/// Rows that a relay can deliver.
fn deliverable() -> Vec<Row> {
    vec![
        vec![("payload", Value::Blob(vec![0xff; 5 << 20]))],
        vec![("payload", text("\0\0"))],
        vec![("key", text("a\r\nb\0c\u{1b}[2J"))],
        vec![("key", text("a\r\nb\0c\u{1b}[2J")), ("tenant", text("a\tb"))],
        vec![("key", text("k".repeat(1_000)))],
        vec![("key", text("")), ("partition", number(3))],
        vec![("aggregate_id", text("\n\n\n")), ("user_id", text("\0")), ("correlation_id", text("\r"))],
        vec![("content_type", text("\r\nX-Injected: 1"))],
        vec![("headers", text("17"))],
        vec![("headers", text("[[1,2,3]]"))],
        vec![("headers", text("{\"a\": {\"b\": [null]}}"))],
        vec![("headers", text(format!("{}{}", "[".repeat(900), "]".repeat(900))))],
        vec![("headers", text("[[\"a\\r\\nb\", \"c\\u0000d\"]]"))],
        vec![("occurred_at", number(i64::MAX))],
        vec![("occurred_at", number(i64::MIN))],
        vec![("due_at", number(i64::MIN))],
        vec![("max_attempts", number(i64::MAX))],
        vec![("source_stream", text("")), ("source_event", text("\0"))],
    ]
}

/// Rows that no lane could read.
fn unreadable() -> Vec<Row> {
    vec![
        vec![("id", text("------------------------------------"))],
        vec![("id", text("0191b0c0-0000-7000-8000-0000000000ff\0x"))],
        vec![("event_type", text("order.created\0\r\n"))],
        vec![("partition", number(-1))],
        vec![("partition", number(70_000))],
        vec![("headers", text("[["))],
    ]
}

/// Rows that wait for ever, or that nobody takes.
fn undeliverable() -> Vec<Row> {
    vec![vec![("due_at", number(i64::MAX))], vec![("destination", text("no\r\nbody"))], vec![("destination", text(""))]]
}

/// Text that is not UTF-8 needs a cast, because a parameter of that kind is a blob.
const NOT_UTF8: [&str; 3] = [
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, key)
     VALUES ('order.created', 'order', '1', '', CAST(x'ff00fe' AS TEXT))",
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, tenant)
     VALUES ('order.created', 'order', '1', '', CAST(x'ff00fe' AS TEXT))",
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, user_id, content_type)
     VALUES ('order.created', CAST(x'c0' AS TEXT), CAST(x'ff' AS TEXT), '', CAST(x'fe' AS TEXT), CAST(x'80' AS TEXT))",
];

fn insert(connection: &Connection, row: &Row) -> rusqlite::Result<usize> {
    let ordinary =
        [("event_type", text("order.created")), ("aggregate_type", text("order")), ("aggregate_id", text("1"))];
    let mut all: Row = ordinary.into_iter().chain([("payload", text("{}"))]).collect();
    all.retain(|(column, _)| row.iter().all(|(given, _)| given != column));
    all.extend(row.iter().cloned());
    let columns: Vec<&str> = all.iter().map(|(column, _)| *column).collect();
    let marks = vec!["?"; all.len()].join(", ");
    let statement = format!("INSERT INTO outbox ({}) VALUES ({marks})", columns.join(", "));
    connection.execute(&statement, params_from_iter(all.into_iter().map(|(_, value)| value)))
}

async fn outbox() -> (Outbox, PathBuf) {
    let store = sqlite::fresh().await;
    let file = store.file();
    (Outbox::of(store), file)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_row_written_by_plain_sql_stops_a_lane() -> Result<()> {
    let (outbox, file) = outbox().await;
    let connection = connect(file, &Options::default())?;
    // Each row is also parked and comes back.
    let receiver =
        Receiver::answering(|delivery| if delivery.attempt == 1 { Err(Error::retry("not yet")) } else { Ok(()) });
    let good = interleaved(64, 4);
    outbox.write(&good[..128]).await?;
    let mut hostile = 0;
    for row in deliverable() {
        hostile += insert(&connection, &row)?;
    }
    for statement in NOT_UTF8 {
        hostile += connection.execute(statement, [])?;
    }
    for row in undeliverable() {
        insert(&connection, &row)?;
    }
    for row in unreadable() {
        let error = insert(&connection, &row).expect_err("it is refused");
        assert!(error.to_string().contains("constraint failed"), "{row:?}: {error}");
    }
    outbox.write(&good[128..]).await?;
    let relay = outbox.start(destination("app"), receiver.sink());
    receiver.until_has(&ids(&good)).await;
    receiver.until_count(good.len() + hostile).await;
    eventually("everything is settled", || async {
        let counts = outbox.counts("app").await?;
        Ok((counts.pending, counts.waiting, counts.retrying, counts.dead, counts.scheduled) == (0, 0, 0, 0, 1))
    })
    .await?;
    relay.stop().await?;
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), good.len() + hostile, "nothing arrived twice");
    Ok(())
}
