//! Every store says of every write what became of it.

use posthaste::journal::Enqueued;
use posthaste::message::Builder;
use posthaste::{Message, Result};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::Log;
use crate::stores;

/// Nothing of this may be told.
const CANARY: &str = "canary-6f0b";
/// Each store is told to refuse messages of this type.
const REFUSED: &str = "order.refused";

fn about(event_type: &str) -> Builder {
    let payload = format!("{{\"card\":\"{CANARY}\"}}").into_bytes();
    Message::builder(event_type, "order", "1").payload(payload, "application/json").header("x-session", CANARY)
}

fn one(event_type: &str) -> Message {
    about(event_type).correlation_id("c-1").tenant("acme").origin("orders", event_type).build().unwrap()
}

/// The phase of each line, with its level and the number of messages it is about.
fn phases(lines: &[Value]) -> Vec<String> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    lines.iter().map(|line| format!("{} {} {}", text(line, "level"), text(line, "phase"), line["messages"])).collect()
}

/// Writes what is new, what is not, and some of both. Says everything there is to say at `trace`, and nothing of it at `warn`.
async fn are_told(mut write: impl AsyncFnMut(&[Message]) -> Result<Enqueued>) {
    let log = Log::at(LevelFilter::TRACE);
    let first = one("order.paid");
    write(std::slice::from_ref(&first)).await.unwrap();
    let lines = log.take("OUTBOX_ENQUEUE");
    assert_eq!(phases(&lines), ["TRACE START 1", "DEBUG SUCCESS 1"]);
    for line in &lines {
        assert_eq!(line["message_id"], json!(first.id.to_string()));
        assert_eq!((&line["correlation_id"], &line["tenant"]), (&json!("c-1"), &json!("acme")));
    }

    write(&[one("order.paid")]).await.unwrap();
    let lines = log.take("OUTBOX_ENQUEUE");
    assert_eq!(phases(&lines), ["TRACE START 1", "DEBUG DUPLICATE 1"]);
    assert_eq!(lines[1]["correlation_id"], "c-1");

    let mixed = [about("order.paid").build().unwrap(), one("order.paid"), about("order.paid").build().unwrap()];
    write(&mixed).await.unwrap();
    write(&[]).await.unwrap();
    let lines = log.take("OUTBOX_ENQUEUE");
    assert_eq!(phases(&lines), ["TRACE START 3", "DEBUG SUCCESS 2", "DEBUG DUPLICATE 1"]);
    assert!(lines.iter().all(|line| line.get("message_id").is_none()), "{lines:?}");

    drop(log);
    let quiet = Log::at(LevelFilter::WARN);
    write(&[about("order.paid").build().unwrap()]).await.unwrap();
    assert_eq!(quiet.text(), "");
}

/// A write that fails is told at any level, with the reason and without what the message carries.
async fn failures_are_told(mut write: impl AsyncFnMut(&[Message]) -> Result<Enqueued>) {
    let log = Log::at(LevelFilter::WARN);
    let error = write(&[one(REFUSED)]).await.unwrap_err();
    assert!(!log.text().contains(CANARY), "{}", log.text());
    let lines = log.take("OUTBOX_ENQUEUE");
    assert_eq!(phases(&lines), ["WARN ERROR 1"]);
    assert_eq!((&lines[0]["error"], &lines[0]["tenant"]), (&json!(error.to_string()), &json!("acme")));
}

#[tokio::test]
async fn writes_to_memory_are_told() {
    let memory = posthaste::stores::memory::Memory::new();
    are_told(async |messages| {
        let mut transaction = memory.begin();
        transaction.enqueue(messages);
        Ok(transaction.commit())
    })
    .await;
}

const SQLITE_REFUSES: &str = "CREATE TRIGGER refuse BEFORE INSERT ON outbox WHEN NEW.event_type = 'order.refused'
                              BEGIN SELECT RAISE(ABORT, 'not this one'); END";

#[tokio::test]
async fn writes_to_sqlite_are_told() {
    use posthaste::stores::sqlite::{Options, Outbox, connect};
    let t = stores::sqlite::fresh().await;
    let mut connection = connect(t.file(), &Options::default()).unwrap();
    connection.execute_batch(SQLITE_REFUSES).unwrap();
    let mut write = async |messages: &[Message]| {
        let transaction = connection.transaction()?;
        let enqueued = Outbox::new().enqueue(&transaction, messages)?;
        transaction.commit()?;
        Ok(enqueued)
    };
    are_told(&mut write).await;
    failures_are_told(&mut write).await;
}

#[cfg(feature = "sqlx-sqlite")]
#[tokio::test]
async fn writes_to_sqlite_by_sqlx_are_told() {
    use posthaste::stores::sqlite::Outbox;
    use sqlx::Connection;
    let t = stores::sqlite::fresh().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(t.file());
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(SQLITE_REFUSES).execute(&mut connection).await.unwrap();
    are_told(async |messages| Outbox::new().enqueue_sqlx(&mut connection, messages).await).await;
    failures_are_told(async |messages| Outbox::new().enqueue_sqlx(&mut connection, messages).await).await;
}

/// PostgreSQL quotes the whole row in the details of such an error.
#[cfg(feature = "postgres")]
async fn refusing() -> stores::postgres::InSchema {
    let t = stores::postgres::fresh().await;
    let refuse = format!("ALTER TABLE {} ADD CHECK (event_type <> '{REFUSED}')", t.name("outbox"));
    t.application().await.batch_execute(&refuse).await.unwrap();
    t
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn writes_to_postgres_are_told() {
    let t = refusing().await;
    let (outbox, client) = (t.outbox(), t.application().await);
    are_told(async |messages| outbox.enqueue(&client, messages).await).await;
    failures_are_told(async |messages| outbox.enqueue(&client, messages).await).await;
}

#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
#[tokio::test]
async fn writes_to_postgres_by_sqlx_are_told() {
    use sqlx::Connection;
    let t = refusing().await;
    let outbox = t.outbox();
    let mut connection = sqlx::PgConnection::connect(&t.url).await.unwrap();
    are_told(async |messages| outbox.enqueue_sqlx(&mut connection, messages).await).await;
    failures_are_told(async |messages| outbox.enqueue_sqlx(&mut connection, messages).await).await;
}

#[cfg(feature = "mongodb")]
#[tokio::test(flavor = "multi_thread")]
async fn writes_to_mongodb_are_told() {
    use mongodb::bson::doc;
    let t = stores::mongodb::Database::fresh("mongodb").await;
    let mut write = async |messages: &[Message]| {
        let mut transaction = t.store.begin().await?;
        let enqueued = transaction.enqueue(messages).await?;
        transaction.commit().await?;
        Ok(enqueued)
    };
    are_told(&mut write).await;
    let refuse = doc! { "collMod": t.store.collection(), "validator": { "eventType": { "$ne": REFUSED } } };
    t.database().run_command(refuse).await.unwrap();
    failures_are_told(&mut write).await;
}
