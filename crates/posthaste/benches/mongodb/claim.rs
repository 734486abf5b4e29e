//! The outbox that most projects write: a worker claims a batch of new events by their status, then publishes each and marks it as
//! published, in a transaction of its own.

use std::time::Instant;

use mongodb::bson::{DateTime, Document, doc};
use mongodb::options::{IndexOptions, WriteConcern};
use mongodb::{Collection, IndexModel};
use posthaste::stores::mongodb::Options;

use super::database::Database;
use super::{BATCH, rate};

/// One at a time is slow.
const EVENTS: usize = 2_000;

pub(super) async fn drain_rate() -> f64 {
    let database = Database::fresh(Options::default()).await;
    let events = database.client.database(&database.name).collection::<Document>("events");
    fill(&events).await;
    let started = Instant::now();
    let mut published = 0;
    loop {
        let claimed = claim(&events).await;
        if claimed.is_empty() {
            break;
        }
        for event in &claimed {
            publish(&database, &events, event).await;
            published += 1;
        }
    }
    assert_eq!(published, EVENTS);
    let rate = rate(EVENTS, started);
    database.end().await;
    rate
}

async fn fill(events: &Collection<Document>) {
    let by_status = IndexModel::builder().keys(doc! { "status": 1, "occurredAt": 1 }).options(IndexOptions::default());
    events.create_index(by_status.build()).await.expect("an index");
    let event = |n: usize| {
        doc! {
            "eventType": "order.placed", "aggregateId": n.to_string(), "payload": "x".repeat(500),
            "occurredAt": DateTime::from_millis(n as i64), "status": "NEW",
        }
    };
    events.insert_many((0..EVENTS).map(event)).await.expect("events");
}

async fn claim(events: &Collection<Document>) -> Vec<Document> {
    let find = events.find(doc! { "status": "NEW" }).sort(doc! { "occurredAt": 1 }).limit(BATCH as i64);
    let mut cursor = find.await.expect("events");
    let mut claimed = Vec::new();
    while cursor.advance().await.expect("events") {
        claimed.push(Document::try_from(cursor.current()).expect("a document"));
    }
    let ids: Vec<_> = claimed.iter().filter_map(|event| event.get("_id").cloned()).collect();
    let claim =
        doc! { "$set": { "status": "PROCESSING", "workerId": "host-1", "processingAt": DateTime::from_millis(0) } };
    events.update_many(doc! { "_id": { "$in": ids }, "status": "NEW" }, claim).await.expect("a claim");
    claimed
}

/// What is published costs nothing here, as in the other cases.
async fn publish(database: &Database, events: &Collection<Document>, event: &Document) {
    let mut session = database.client.start_session().await.expect("a session");
    session.start_transaction().write_concern(WriteConcern::majority()).await.expect("a transaction");
    std::hint::black_box(event.get_str("payload").expect("a payload").len());
    let ours = doc! { "_id": event.get("_id").expect("an id"), "workerId": "host-1" };
    let mark = doc! { "$set": { "status": "PUBLISHED", "publishedAt": DateTime::from_millis(0) } };
    events.update_one(ours, mark).session(&mut session).await.expect("a mark");
    session.commit_transaction().await.expect("a commit");
}
