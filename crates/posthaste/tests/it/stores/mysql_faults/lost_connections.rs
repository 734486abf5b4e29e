//! Connections that end at any moment, also between a commit and its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mysql_async::TxOpts;
use mysql_async::prelude::Queryable;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::stores::mysql::Outbox;
use posthaste::{Message, Result};
use tokio::task::JoinSet;

use super::application::{self, persist, random};
use super::database::Database;
use crate::stores::ledger::Ledger;
use crate::stores::worker::Worker;

/// So much arrives, at least, while connections end.
const ARRIVALS: usize = 2_000;

/// Applications that go on until they are told to stop, and what was confirmed to them.
struct Applications {
    enough: Arc<AtomicBool>,
    tasks: JoinSet<Vec<uuid::Uuid>>,
}

impl Applications {
    fn start(database: &Database) -> Self {
        let enough = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for _ in 0..4 {
            let told = Arc::clone(&enough);
            tasks.spawn(persist(database.clone(), move || told.load(Ordering::Relaxed)));
        }
        Self { enough, tasks }
    }

    /// Whatever was confirmed was committed; whatever was committed arrives.
    async fn finish(self, database: &Database, ledger: &Ledger) {
        self.enough.store(true, Ordering::Relaxed);
        let confirmed: Vec<uuid::Uuid> = self.tasks.join_all().await.concat();
        let committed = database.committed().await;
        let ids: std::collections::HashSet<_> = committed.iter().map(|event| event.id).collect();
        assert!(confirmed.iter().all(|id| ids.contains(id)));
        ledger.until_count(committed.len()).await;
        ledger.assert_has_exactly(&committed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_may_be_terminated_at_any_moment() {
    let database = Database::new("posthaste_terminated").await;
    application::open(&database).await;
    let ledger = Ledger::default();
    let workers = ["one", "two"].map(|name| Worker::start(name, database.store(), &ledger));
    let applications = Applications::start(&database);
    let mut administrator = database.connect().await.unwrap();
    let others = "SELECT id FROM information_schema.PROCESSLIST WHERE db = DATABASE() AND id <> CONNECTION_ID() ORDER BY RAND() LIMIT 1";
    while ledger.count() < ARRIVALS {
        if let Some(other) = administrator.query_first::<u64, _>(others).await.unwrap() {
            // It may be gone by itself meanwhile.
            let _ = administrator.query_drop(format!("KILL {other}")).await;
        }
        tokio::time::sleep(Duration::from_millis(random(40))).await;
    }
    applications.finish(&database, &ledger).await;
    for worker in workers {
        worker.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_may_lose_any_answer_of_its_database() {
    let database = Database::new("posthaste_lost_answers").await;
    application::open(&database).await;
    let proxy = FaultProxy::to(database.address()).await.unwrap();
    let ledger = Ledger::default();
    let worker = Worker::start("one", database.through(proxy.address()).store(), &ledger);
    let applications = Applications::start(&database);
    let mut passed = 0;
    while passed < ARRIVALS {
        // The server does what it was asked, also commits, and the relay never hears of it.
        proxy.set(Fault::DropAnswers).await;
        tokio::time::sleep(Duration::from_millis(random(60))).await;
        proxy.set(if random(2) == 0 { Fault::Reset } else { Fault::CutAfter(random(4_000) as usize) }).await;
        tokio::time::sleep(Duration::from_millis(random(60))).await;
        proxy.set(Fault::Pass).await;
        passed = ledger.count() + random(200) as usize + 50;
        ledger.until_count(passed).await;
    }
    applications.finish(&database, &ledger).await;
    worker.stop().await;
}

/// The machine of the database is gone without a word, and another one has taken its place.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_goes_on_when_the_machine_of_the_database_is_gone() {
    let database = Database::new("posthaste_vanished").await;
    application::open(&database).await;
    let proxy = FaultProxy::to(database.address()).await.unwrap();
    let ledger = Ledger::default();
    let worker = Worker::start("one", database.through(proxy.address()).store(), &ledger);
    let applications = Applications::start(&database);
    ledger.until_count(50).await;
    proxy.set(Fault::Vanish).await;
    let (begun, arrived) = (Instant::now(), ledger.count());
    ledger.until_count(arrived + 50).await;
    println!("delivery goes on {:?} after the machine was gone", begun.elapsed());
    applications.finish(&database, &ledger).await;
    worker.stop().await;
}

fn imported(stream: &str, event: usize) -> Message {
    let builder = Message::builder("order.changed", "order", stream).payload(event.to_string(), "text/plain");
    builder.origin(stream, event.to_string()).build().unwrap()
}

/// Writes through a proxy, and loses the answer to the commit.
async fn write_without_an_answer(database: &Database, message: &Message) -> Result<()> {
    let proxy = FaultProxy::to(database.address()).await.unwrap();
    let mut connection = database.through(proxy.address()).connect().await.unwrap();
    let mut transaction = connection.start_transaction(TxOpts::default()).await.unwrap();
    Outbox::new().enqueue(&mut transaction, std::slice::from_ref(message)).await?;
    proxy.set(Fault::DropAnswers).await;
    let commit = transaction.commit();
    let cut = async {
        tokio::time::sleep(Duration::from_millis(random(100))).await;
        proxy.set(Fault::Reset).await;
    };
    let (committed, ()) = tokio::join!(commit, cut);
    assert!(committed.is_err(), "nobody told it");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_who_lost_the_answer_to_its_commit_writes_again_and_it_arrives_once() {
    let database = Database::new("posthaste_lost_commit").await;
    let ledger = Ledger::default();
    let worker = Worker::start("one", database.store(), &ledger);
    for event in 0..20 {
        write_without_an_answer(&database, &imported("feed", event)).await.unwrap();
        let mut again = database.connect().await.unwrap();
        Outbox::new().enqueue(&mut again, &[imported("feed", event)]).await.unwrap();
    }
    let committed = database.committed().await;
    assert_eq!(committed.len(), 20, "each was stored once");
    ledger.until_count(20).await;
    worker.stop().await;
    ledger.assert_has_exactly(&committed);
    assert_eq!(ledger.repeats(), 0);
}
