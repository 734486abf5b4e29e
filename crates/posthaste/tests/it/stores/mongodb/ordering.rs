//! The order of commits, whoever wrote and however the sequencer learned of it.

use std::sync::Arc;

use mongodb::bson::{Document, doc, oid::ObjectId};
use mongodb::options::WriteConcern;
use posthaste::Result;
use posthaste::journal::{Journal, Partition, Position, ReadRequest};
use posthaste::stores::mongodb::{MongoDb, Options};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Database;
use super::receiver::Receiver;
use super::scene::Running;
use super::tokens::kept_token;
use crate::servers::Private;

async fn read_all(store: &MongoDb) -> Result<Vec<(u64, String)>> {
    let newest = store.advance().await?;
    let partitions = Partition::all(store.partitions().await?).collect();
    let request =
        ReadRequest { partitions, after: Position::START, until: newest, limit: 100_000, max_bytes: usize::MAX };
    let batch = store.read(&request).await?;
    Ok(batch.entries.iter().map(|entry| (entry.position.seq, entry.message.aggregate_id.to_string())).collect())
}

/// A plain document whose `_id` says that it is older than it is: clocks of writers mean nothing.
fn plain(n: u32, clock: u32) -> Document {
    let mut id = [0; 12];
    id[..4].copy_from_slice(&clock.to_be_bytes());
    id[8..].copy_from_slice(&n.to_be_bytes());
    doc! { "_id": ObjectId::from_bytes(id), "eventType": "order.changed", "aggregateId": n.to_string(), "payload": {} }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_documents_are_numbered_in_the_order_of_writing_whatever_their_ids_say() -> Result<()> {
    let database = Database::with(&crate::servers::address("mongodb"), Options::default()).await;
    let events = database.documents("outbox_events");
    for n in 0..50 {
        events.insert_one(plain(n, 2_000_000_000 - n)).await?;
    }
    let read = read_all(&database.store).await?;
    assert_eq!(
        read.iter().map(|(_, id)| id.clone()).collect::<Vec<_>>(),
        (0..50).map(|n| n.to_string()).collect::<Vec<_>>()
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sequencers_at_once_give_each_position_once() -> Result<()> {
    const DOCUMENTS: usize = 3_000;
    let database = Database::fresh("mongodb3").await;
    let documents = (0..DOCUMENTS as u32).map(|n| plain(n, n));
    database.documents("outbox_events").insert_many(documents).await?;
    let (start, mut sequencers) = (Arc::new(Barrier::new(4)), JoinSet::new());
    for _ in 0..4 {
        let store = MongoDb::open(&database.url, Options::default()).await?;
        let start = Arc::clone(&start);
        sequencers.spawn(async move {
            start.wait().await;
            loop {
                let newest = store.advance().await?;
                if newest == Position::seq(DOCUMENTS as u64) {
                    return Ok::<_, posthaste::Error>(());
                }
            }
        });
    }
    while let Some(ended) = sequencers.join_next().await {
        ended.expect("a sequencer does not panic")?;
    }
    let read = read_all(&database.store).await?;
    let places: Vec<u64> = read.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(places, (1..=DOCUMENTS as u64).collect::<Vec<_>>(), "consecutive, none twice");
    Ok(())
}

/// Pairs of plain documents of one key, of which the one that was stored first was committed last; in the order of their commits.
/// An application that serialises its writes does not do this. It makes both orders visible.
async fn write_crosswise(database: &Database, pairs: usize) -> Result<Vec<String>> {
    let events = database.documents("outbox_events");
    let mut committed = Vec::new();
    for pair in 0..pairs {
        let names = [format!("{pair}.early"), format!("{pair}.late")];
        let [early, late] = names
            .clone()
            .map(|name| doc! { "eventType": name, "aggregateType": "order", "aggregateId": "1", "payload": {} });
        let mut held = database.client.start_session().await?;
        held.start_transaction().write_concern(WriteConcern::majority()).await?;
        events.insert_one(late).session(&mut held).await?;
        events.insert_one(early).write_concern(WriteConcern::majority()).await?;
        held.commit_transaction().await?;
        committed.extend(names);
    }
    Ok(committed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_documents_written_while_no_relay_ran_are_delivered_in_the_order_of_their_commits() -> Result<()> {
    let server = Private::start("mongodb").await;
    let database = Database::with(&server.address(), Options::default()).await;
    let receiver = Receiver::default();
    let (relay, _) = Running::start(&database, "before", &receiver, Options::default()).await;
    kept_token(&database).await;
    relay.stop().await?;
    let written = write_crosswise(&database, 20).await?;
    let (relay, _) = Running::start(&database, "after", &receiver, Options::default()).await;
    super::scene::until("all of it arrives", || receiver.got().len() >= written.len()).await;
    relay.stop().await?;
    let delivered: Vec<String> = receiver.got().iter().map(|message| message.event_type.to_string()).collect();
    assert_eq!(delivered, written, "once each, as the stream tells from the kept token on");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_transactions_that_lock_a_key_one_is_to_be_run_again() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let messages = [posthaste::Message::builder("order.changed", "order", "1").build().expect("valid")];
    let (mut first, mut second) = (database.client.start_session().await?, database.client.start_session().await?);
    first.start_transaction().write_concern(WriteConcern::majority()).await?;
    second.start_transaction().write_concern(WriteConcern::majority()).await?;
    database.store.outbox().lock_keys(&mut first, &messages).await?;
    let error = database.store.outbox().lock_keys(&mut second, &messages).await.expect_err("another one holds the key");
    assert!(error.is_temporary(), "{error}");
    second.abort_transaction().await?;
    first.commit_transaction().await?;
    second.start_transaction().write_concern(WriteConcern::majority()).await?;
    database.store.outbox().lock_keys(&mut second, &messages).await?;
    Ok(second.commit_transaction().await?)
}
