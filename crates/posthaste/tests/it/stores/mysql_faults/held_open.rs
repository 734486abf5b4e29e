//! One transaction that is held open while everybody else goes on.

use mysql_async::TxOpts;
use mysql_async::prelude::Queryable;
use posthaste::Message;
use posthaste::stores::mysql::Outbox;

use super::application;
use super::database::Database;
use crate::stores::ledger::Ledger;
use crate::stores::worker::Worker;

const LATER: usize = 100_000;
const PER_TRANSACTION: usize = 1_000;

fn message(order: usize) -> Message {
    Message::builder("order.changed", "order", order.to_string()).payload("0", "text/plain").build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_is_held_open_delays_only_its_own_messages() {
    let database = Database::new("posthaste_held_open").await;
    application::open(&database).await;
    let ledger = Ledger::default();
    let worker = Worker::start("one", database.store(), &ledger);
    let mut slow = database.connect().await.unwrap();
    let mut held = slow.start_transaction(TxOpts::default()).await.unwrap();
    let early = application::write(&mut held, "7").await.unwrap();

    let mut quick = database.connect().await.unwrap();
    for begin in (0..LATER).step_by(PER_TRANSACTION) {
        let messages: Vec<Message> = (begin..begin + PER_TRANSACTION).map(|n| message(1_000 + n)).collect();
        let mut transaction = quick.start_transaction(TxOpts::default()).await.unwrap();
        Outbox::new().enqueue(&mut transaction, &messages).await.unwrap();
        transaction.commit().await.unwrap();
    }
    ledger.until_count(LATER).await;
    assert!(!ledger.has(early), "it is not committed");

    let late = application::write(&mut held, "8").await.unwrap();
    held.commit().await.unwrap();
    ledger.until_count(LATER + 2).await;
    assert!(ledger.has(early) && ledger.has(late));
    worker.stop().await;
    assert_eq!(ledger.repeats(), 0, "nothing went wrong, so nothing is repeated");
    assert_few_ranges(&database).await;
}

/// A thousand neighbours are one row, also while somebody holds a transaction open.
async fn assert_few_ranges(database: &Database) {
    let mut connection = database.connect().await.unwrap();
    let ranges: Option<usize> = connection.query_first("SELECT COUNT(*) FROM outbox_ranges").await.unwrap();
    assert!(ranges.unwrap() < LATER / 100, "{ranges:?} ranges");
    let gaps: Option<usize> = connection.query_first("SELECT COUNT(*) FROM outbox_gaps").await.unwrap();
    assert_eq!(gaps, Some(0), "what was held open is placed, and leaves no gap");
}
