//! Journals in MongoDB. There is one version so far: `migrate` adds collections and indexes that are missing, takes indexes away that
//! nobody needs any more, and nothing else ever changes.

use mongodb::IndexModel;
use mongodb::bson::doc;
use posthaste::Result;
use posthaste::error::Kind;
use posthaste::inspect::Inspect;
use posthaste::journal::Journal;
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options};

use super::super::ledger::Ledger;
use super::super::mongodb::Database;
use super::super::worker::Worker;

fn order(n: u32) -> posthaste::Message {
    let message = posthaste::Message::builder("order.changed", "order", "a").payload(n.to_string(), "text/plain");
    message.build().expect("a valid message")
}

/// Collections that the first release did not have.
const ADDED: [&str; 2] = ["outbox_sources", "outbox_jobs"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_without_what_was_added_later_gets_it_while_a_relay_runs() -> Result<()> {
    let t = Database::fresh("mongodb").await;
    for name in ADDED {
        t.documents(name).drop().await?;
    }
    let ledger = Ledger::default();
    let worker = Worker::start("one", t.store.clone(), &ledger);
    t.store.write(&[order(0)]).await?;
    ledger.until_count(1).await;
    let newer = MongoDb::open(&t.url, Options::default()).await?;
    newer.migrate().await?;
    let names = t.database().list_collection_names().await?;
    assert!(ADDED.iter().all(|added| names.iter().any(|name| name == added)), "{names:?}");
    t.store.write(&[order(1), order(2)]).await?;
    ledger.until_count(3).await;
    worker.stop().await;
    assert!(ledger.positions_grow());
    assert_eq!(newer.overview().await?.messages, 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexes_of_the_first_release_make_place_for_those_of_this_one() -> Result<()> {
    let t = Database::fresh("mongodb").await;
    let parked = t.documents("outbox_parked");
    let of_this = parked.list_index_names().await?;
    for name in ["outbox_parked_lane", "outbox_parked_scope"] {
        parked.drop_index(name).await?;
    }
    for (name, keys) in [
        ("outbox_parked_due", doc! { "destination": 1, "dueAt": 1, "seq": 1 }),
        ("outbox_parked_head", doc! { "scope": 1 }),
    ] {
        let options = mongodb::options::IndexOptions::builder().name(name.to_owned()).build();
        parked.create_index(IndexModel::builder().keys(keys).options(options).build()).await?;
    }
    let problems = t.store.check().await?;
    assert!(problems.iter().any(|problem| problem.text.contains("outbox_parked_lane")), "{problems:?}");
    for _ in 0..2 {
        t.store.migrate().await?;
        let mut names = [of_this.clone(), parked.list_index_names().await?];
        names.iter_mut().for_each(|names| names.sort());
        assert_eq!(names[0], names[1]);
    }
    Ok(())
}

/// Migrate first, then replace the relays one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relays_that_run_go_on_after_a_migration_and_an_older_program_does_not_start() -> Result<()> {
    let t = Database::fresh("mongodb").await;
    let ledger = Ledger::default();
    let worker = Worker::start("one", t.store.clone(), &ledger);
    t.store.write(&[order(0)]).await?;
    ledger.until_count(1).await;
    // What the next version may bring.
    let state = t.documents("outbox_state");
    state.update_one(doc! { "_id": "journal" }, doc! { "$inc": { "version": 1 }, "$set": { "later": 1 } }).await?;
    t.store.write(&[order(1), order(2)]).await?;
    ledger.until_count(3).await;
    let older = MongoDb::open(&t.url, Options::default()).await?;
    for refused in [older.partitions().await.map(drop), older.migrate().await] {
        let refused = refused.expect_err("it is newer");
        assert!(refused.kind() == Kind::Schema && refused.to_string().contains("update it"), "{refused}");
    }
    worker.stop().await;
    Ok(())
}
