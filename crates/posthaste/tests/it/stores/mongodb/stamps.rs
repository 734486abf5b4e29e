//! The stamps that people see in the collection.

use std::time::{Duration, Instant};

use mongodb::bson::{Bson, Document, doc};
use posthaste::conformance::store_suite::StoreUnderTest;
use posthaste::inspect::{Filter, Inspect, Mode, Operation};
use posthaste::journal::{Attempt, Cursor, Journal, LaneCommit, Lease, Park, ParkedState, WorkerId};
use posthaste::stores::mongodb::Options;
use posthaste::{Destination, Message, Result};

use super::Database;
use super::receiver::Receiver;
use super::scene::{DEADLINE, Running};
use crate::servers;

/// The document of a message once it has this status.
async fn stamped(database: &Database, message: &Message, status: &str) -> Document {
    let started = Instant::now();
    loop {
        // What a relay does all the time; without one, the test does.
        database.store.advance().await.expect("the journal is there");
        let of = doc! { "aggregateId": message.aggregate_id.as_str() };
        let found = database.documents("outbox_events").find_one(of).await.expect("it can be read");
        let found = found.expect("the document is there");
        if found.get_str("status").ok() == Some(status) {
            return found;
        }
        assert!(started.elapsed() < DEADLINE, "not stamped as {status}: {found}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).json(&1).build().expect("a valid message")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivered_message_is_stamped_as_published() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let message = order("1");
    database.write(vec![message.clone()]).await?;
    let written = stamped(&database, &message, "pending").await;
    assert_eq!(written.get("publishedAt"), Some(&Bson::Null));
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let published = stamped(&database, &message, "published").await;
    assert!(published.get_datetime("publishedAt").is_ok() && published.get_datetime("processedAt").is_ok());
    relay.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_stamped_with_its_count_and_error_and_taken_back_when_it_is_over() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let message = order("1");
    database.write(vec![message.clone()]).await?;
    let journal = &database.store;
    journal.register(&[Destination::new("app")]).await?;
    let newest = journal.advance().await?;
    let leases = journal.lease(&WorkerId("w".into()), Duration::from_secs(600), 64).await?.leases;
    let report = journal.get(message.id).await?.expect("it is there");
    let lease = leases.iter().find(|lease| lease.partition == report.partition).expect("all are held");
    let park = Park {
        position: newest,
        message: message.id,
        key: message.order_key(),
        state: ParkedState::Dead,
        holds: false,
        attempts: 3,
        suspicion: 0,
        due_in: None,
        error: Some("refused".into()),
        progress: None,
    };
    let attempt =
        Attempt { position: newest, number: 3, error: Some("refused".into()), took: Duration::ZERO, reply: None };
    let cursor = Some(Cursor { low: newest, done: Vec::new() });
    let commit = LaneCommit { cursor, park: vec![park], attempts: vec![attempt], ..lane(lease) };
    assert!(journal.commit(&[commit]).await?.is_empty());
    let failed = stamped(&database, &message, "failed").await;
    assert_eq!((failed.get_i64("retryCount").ok(), failed.get_str("lastError").ok()), (Some(3), Some("refused")));
    operate(&database, Operation::Discard, &message).await?;
    assert!(journal.commit(&[LaneCommit { discard: vec![newest], ..lane(lease) }]).await?.is_empty());
    let discarded = stamped(&database, &message, "failed").await;
    assert_eq!(discarded.get_str("lastError").ok(), Some("refused"), "what was let go was not published");
    operate(&database, Operation::Replay, &message).await?;
    assert!(journal.commit(&[LaneCommit { unpark: vec![newest], ..lane(lease) }]).await?.is_empty());
    let published = stamped(&database, &message, "published").await;
    assert_eq!(published.get("lastError"), Some(&Bson::Null));
    Ok(())
}

async fn operate(database: &Database, operation: Operation, message: &Message) -> Result<()> {
    let only = Filter { ids: vec![message.id], ..Filter::default() };
    assert_eq!(database.store.operate(operation, &only, Mode::Apply).await?.affected, 1);
    Ok(())
}

fn lane(lease: &Lease) -> LaneCommit {
    LaneCommit::nothing("app".into(), lease.partition, lease.epoch)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_stamps_a_document_is_written_once_and_numbered() -> Result<()> {
    let mut options = Options::default();
    options.stamp_status = false;
    let database = Database::with(&servers::address("mongodb"), options).await;
    let message = order("1");
    database.write(vec![message.clone()]).await?;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    receiver.until_has(&[message.id]).await;
    relay.stop().await?;
    let found = database.documents("outbox_events").find_one(doc! {}).await?.expect("it is there");
    assert!(found.get("status").is_none() && found.get("publishedAt").is_none());
    Ok(())
}
