//! Many writers at once, each holding its transactions open as it likes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use super::application::{self, change};
use super::database::Database;
use crate::servers;
use crate::stores::ledger::Ledger;
use crate::stores::worker::Worker;

const WRITERS: usize = 12;
const COMMITS: usize = 10_000;

async fn nothing_is_lost_and_no_order_is_swapped(server: &str) {
    let database = Database::on(&servers::address(server), "posthaste_many_writers").await;
    application::open(&database).await;
    let ledger = Ledger::default();
    let workers = ["one", "two"].map(|name| Worker::start(name, database.store(), &ledger));
    let commits = Arc::new(AtomicUsize::new(0));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (database, commits) = (database.clone(), Arc::clone(&commits));
        writers.spawn(async move {
            let mut connection = database.connect().await.unwrap();
            while commits.load(Ordering::Relaxed) < COMMITS {
                let committed = change(&mut connection).await.unwrap().is_some();
                commits.fetch_add(usize::from(committed), Ordering::Relaxed);
            }
        });
    }
    writers.join_all().await;
    let committed = database.committed().await;
    assert_eq!(committed.len(), commits.load(Ordering::Relaxed), "what was rolled back is not there");
    ledger.until_count(committed.len()).await;
    for worker in workers {
        worker.stop().await;
    }
    ledger.assert_has_exactly(&committed);
    assert_eq!(ledger.repeats(), 0, "nothing went wrong, so nothing is repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_no_order_is_swapped_whoever_commits_late_on_mariadb() {
    nothing_is_lost_and_no_order_is_swapped("mariadb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_no_order_is_swapped_whoever_commits_late_on_mysql() {
    nothing_is_lost_and_no_order_is_swapped("mysql").await;
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_no_order_is_swapped_whoever_commits_late_on_tidb() {
    nothing_is_lost_and_no_order_is_swapped("tidb").await;
}
