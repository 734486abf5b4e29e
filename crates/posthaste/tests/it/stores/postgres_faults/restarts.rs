//! Servers that end in the middle of everything, and come back.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::JoinSet;

use super::application::{self, persist};
use super::database::Database;
use crate::servers::Private;
use crate::stores::ledger::Ledger;
use crate::stores::worker::Worker;

/// Two relays and four writers, while the server ends three times: an immediate shutdown, a crash, a fast shutdown.
async fn all_arrives_on(name: &'static str) {
    let mut server = Private::start(name).await;
    let database = Database::on(&server.address(), "orders").await;
    application::open(&database).await;
    let ledger = Ledger::default();
    let workers = ["one", "two"].map(|name| Worker::start(name, database.store(), &ledger));
    let enough = Arc::new(AtomicBool::new(false));
    let mut writers = JoinSet::new();
    for _ in 0..4 {
        let told = Arc::clone(&enough);
        writers.spawn(persist(database.clone(), move || told.load(Ordering::Relaxed)));
    }
    for end in ["QUIT", "KILL", "INT"] {
        ledger.until_count(ledger.count() + 300).await;
        server.end(end);
        server.restart().await;
    }
    ledger.until_count(ledger.count() + 300).await;
    enough.store(true, Ordering::Relaxed);
    let confirmed = writers.join_all().await.concat();
    let committed = database.committed().await;
    let ids: HashSet<_> = committed.iter().map(|event| event.id).collect();
    assert!(confirmed.iter().all(|id| ids.contains(id)), "what was confirmed to a writer is there");
    ledger.until_count(committed.len()).await;
    for worker in workers {
        worker.stop().await;
    }
    ledger.assert_has_exactly(&committed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_may_end_at_any_moment_and_come_back() {
    all_arrives_on("postgres").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_the_newest_version_may_end_at_any_moment_and_come_back() {
    all_arrives_on("postgres18").await;
}
