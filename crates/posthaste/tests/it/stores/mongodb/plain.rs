//! The plain-document contract: whatever other languages and older outboxes write.

use mongodb::bson::{Bson, DateTime, doc, oid::ObjectId};
use posthaste::Result;
use posthaste::inspect::{Filter, Inspect, Page};
use posthaste::journal::{Entry, Journal, Partition, Position, ReadRequest};
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options, StatusNames};

use super::Database;
use crate::servers;

pub(super) async fn entries(store: &MongoDb) -> Result<Vec<Entry>> {
    let until = store.advance().await?;
    let partitions = Partition::all(store.partitions().await?).collect();
    let request = ReadRequest { partitions, after: Position::START, until, limit: 1_000, max_bytes: usize::MAX };
    Ok(store.read(&request).await?.entries)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_type_an_aggregate_id_and_a_payload_are_enough() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let id = ObjectId::new();
    let payload = doc! { "total": 12.5, "n": 3i64, "when": DateTime::from_millis(0), "list": ["a", Bson::Null] };
    let bare = doc! { "_id": id, "eventType": "PromptCreatedEvent", "aggregateId": "42", "payload": payload };
    database.documents("outbox_events").insert_one(bare).await?;
    let entry = entries(&database.store).await?.remove(0);
    let message = &entry.message;
    assert_eq!(message.event_type, "PromptCreatedEvent");
    assert_eq!(message.key.as_deref(), Some("aggregate/42"), "ordered by its aggregate");
    assert_eq!(message.content_type, "application/json");
    let json = r#"{"total":12.5,"n":3,"when":{"$date":"1970-01-01T00:00:00Z"},"list":["a",null]}"#;
    assert_eq!(&message.payload[..], json.as_bytes(), "in its own order");
    assert_eq!(message.occurred_at.as_millisecond(), id.timestamp().timestamp_millis(), "when its id was made");
    let report = database.store.get(message.id).await?.expect("it is found by its id");
    assert_eq!(report.position, entry.position);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_a_message_is_set_aside_and_holds_nobody() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let events = database.documents("outbox_events");
    events.insert_one(doc! { "hello": "world" }).await?;
    events.insert_one(doc! { "eventType": 7, "aggregateId": {}, "payload": [] }).await?;
    events.insert_one(doc! { "eventType": "a b", "aggregateId": "1" }).await?;
    events.insert_one(doc! { "eventType": "fine", "aggregateId": 1 }).await?;
    let entries = entries(&database.store).await?;
    assert_eq!(entries.iter().map(|entry| entry.message.event_type.as_str()).collect::<Vec<_>>(), ["fine"]);
    let refused = events.find_one(doc! { "hello": "world" }).await?.expect("it is still there");
    assert_eq!(refused.get_str("status").ok(), Some("failed"));
    assert!(refused.get_str("lastError").is_ok_and(|why| why.contains("event_type is empty")));
    let problems = database.store.check().await?;
    assert!(problems.iter().any(|problem| problem.text.starts_with("3 documents")), "{problems:?}");
    events
        .update_one(doc! { "eventType": "a b" }, doc! { "$set": { "eventType": "ab" }, "$unset": { "posthaste": "" } })
        .await?;
    assert_eq!(self::entries(&database.store).await?.len(), 2, "corrected, it is taken");
    Ok(())
}

/// Somebody else's outbox, with names of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collection_in_snake_case_is_adopted_by_a_mapping() -> Result<()> {
    let mut options = Options::default();
    options.collection = "outbox".into();
    let names = &mut options.fields;
    (names.id, names.event_type) = ("event_id".into(), "event_type".into());
    (names.aggregate_id, names.aggregate_type) = ("aggregate_id".into(), "aggregate_type".into());
    (names.occurred_at, names.processed_at) = ("created_at".into(), "processed_at".into());
    (names.retry_count, names.last_error) = ("retry_count".into(), "last_error".into());
    let database = Database::with(&servers::address("mongodb"), options).await;
    let given = uuid::Uuid::now_v7();
    let entry = |done: Bson| {
        doc! {
            "event_id": given.to_string(), "event_type": "chat.created", "aggregate_id": "c-1", "aggregate_type": "chat",
            "payload": { "title": "hello" }, "created_at": DateTime::from_millis(1_700_000_000_000), "processed_at": done,
            "retry_count": 0,
        }
    };
    let outbox = database.documents("outbox");
    outbox.insert_one(entry(DateTime::from_millis(1_700_000_001_000).into())).await?;
    outbox.insert_one(entry(Bson::Null)).await?;
    let entries = entries(&database.store).await?;
    assert_eq!(entries.len(), 1, "what was processed before is left alone");
    assert_eq!(entries[0].message.id.0, given);
    assert_eq!(entries[0].message.key.as_deref(), Some("chat/c-1"));
    assert_eq!(entries[0].message.occurred_at.as_millisecond(), 1_700_000_000_000);
    let filter = Filter { ids: vec![entries[0].message.id], ..Filter::default() };
    let page = Page::after(Position::START, 10);
    assert_eq!(database.store.list(&filter, page).await?.rows.len(), 1);
    Ok(())
}

/// Somebody else's outbox: S2's statuses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statuses_of_another_outbox_are_understood_and_used() -> Result<()> {
    let mut options = Options::default();
    options.status = StatusNames::new("NEW", "PUBLISHED", "FAILED");
    let database = Database::with(&servers::address("mongodb"), options).await;
    let events = database.documents("outbox_events");
    for status in ["PUBLISHED", "NEW", "PROCESSING"] {
        events.insert_one(doc! { "eventType": "x", "aggregateId": status, "payload": {}, "status": status }).await?;
    }
    let taken = entries(&database.store).await?;
    let taken: Vec<_> = taken.iter().map(|entry| entry.message.aggregate_id.as_str()).collect();
    assert_eq!(taken, ["NEW", "PROCESSING"], "published before Posthaste came");
    Ok(())
}

/// Not the warnings: the servers of the tests are small.
async fn refusals(database: &Database) -> Result<Vec<String>> {
    let refusals = database.store.check().await?.into_iter().filter(|problem| problem.refuses);
    Ok(refusals.map(|problem| problem.text).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_index_is_found_by_a_check() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    assert!(refusals(&database).await?.is_empty());
    database.documents("outbox_events").drop_index("outbox_journal").await?;
    let missing = refusals(&database).await?;
    assert!(missing.len() == 1 && missing[0].contains("outbox_journal"), "{missing:?}");
    database.store.migrate().await?;
    assert!(refusals(&database).await?.is_empty());
    Ok(())
}
