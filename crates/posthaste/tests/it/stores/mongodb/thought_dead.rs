//! A worker that lives, although others think that it does not and end its sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mongodb::bson::{Document, doc};
use posthaste::conformance::store_suite::StoreUnderTest;
use posthaste::destination::StartFrom;
use posthaste::journal::{Journal, WorkerId};
use posthaste::sink::{Error, Outcome, Run, Sink};
use posthaste::store::Store;
use posthaste::stores::mongodb::Options;
use posthaste::testkit::waiting::eventually;
use posthaste::{Destination, Message, Result};

use super::Database;
use super::orders::{patient_server, transactions};
use super::receiver::Receiver;
use super::scene::{Application, Running};

const TTL: Duration = Duration::from_secs(5);

/// Refuses each tenth message once.
#[derive(Debug, Clone, Default)]
struct Moody {
    receiver: Receiver,
    count: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

#[async_trait]
impl Sink for Moody {
    async fn deliver(&self, run: &Run) -> Outcome {
        let is_retried = run.deliveries.iter().any(|delivery| delivery.attempt > 1);
        if !is_retried && self.count.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Outcome::stopped(0, Error::retry("not now"));
        }
        self.receiver.deliver(run).await
    }

    async fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

/// As it happens to one that is thought dead: sequencing, stamping, recording and reading are all cut short.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_living_worker_whose_sessions_are_ended_loses_nothing_and_spends_no_attempt() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let moody = Moody::default();
    let relay = Running::with(&database.store, "w", Arc::new(moody.clone()));
    let application = Application::start(&database, 3).await;
    moody.receiver.until_more(20).await;
    let mut ended = 0;
    for _ in 0..100 {
        ended += end_sessions_on_record(&database).await?;
        // Not so often that no transaction comes to its end.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(ended >= 100 && moody.refused.load(Ordering::Relaxed) > 0, "there was something to end");
    let committed = application.stop().await;
    moody.receiver.until_has_all(&committed).await;
    let tally = relay.monitor.tally();
    relay.stop().await?;
    moody.receiver.assert_got_once(&committed);
    let attempts = database.documents("outbox_attempts").count_documents(doc! {}).await?;
    assert_eq!(attempts, 2 * moody.refused.load(Ordering::Relaxed) as u64, "the refused, and when they were taken");
    assert_eq!((tally.store_errors, tally.lost_leases), (0, 0), "nobody was told");
    Ok(())
}

/// Returns how many there were.
async fn end_sessions_on_record(database: &Database) -> Result<usize> {
    let mut workers = database.documents("outbox_workers").find(doc! {}).await?;
    let mut ended = 0;
    while workers.advance().await? {
        let worker = Document::try_from(workers.current()).expect("a worker");
        let sessions = worker.get_array("sessions").expect("a list").clone();
        // None would mean all.
        assert!(!sessions.is_empty());
        ended += sessions.len();
        database.database().run_command(doc! { "killSessions": sessions }).await?;
    }
    Ok(ended)
}

/// MongoDB understands a list of none as all sessions of the user, the application's included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_worker_without_sessions_on_record_costs_nobody_a_transaction() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let dead = doc! { "_id": "dead", "expiresAt": mongodb::bson::DateTime::from_millis(0), "sessions": [] };
    database.documents("outbox_workers").insert_one(dead).await?;
    let message = Message::builder("order.changed", "order", "1").build().expect("valid");
    let open = database.begin(vec![message]).await?;
    database.store.lease(&WorkerId("w".into()), TTL, 1).await?;
    register_against_a_rival(&database).await?;
    open.commit().await?;
    Ok(())
}

/// A destination that starts now has everything numbered first, and meets a sequencer that does not come to an end in time.
async fn register_against_a_rival(database: &Database) -> Result<()> {
    let mut rival = database.client.start_session().await?;
    rival.start_transaction().await?;
    let state = database.documents("outbox_state");
    state.update_one(doc! {}, doc! { "$inc": { "wakes": 1i64 } }).session(&mut rival).await?;
    let from_now = [Destination::new("now").start_from(StartFrom::Now)];
    let aborted = || transactions(database, "totalAborted");
    let before = aborted().await?;
    let give_way = async {
        eventually("it has met the rival", || async { Ok(aborted().await? > before + 2) }).await?;
        Ok(rival.commit_transaction().await?)
    };
    tokio::try_join!(database.store.register(&from_now), give_way).map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_on_record_before_a_transaction_writes_and_only_once() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let worker = WorkerId("w".into());
    database.store.lease(&worker, TTL, 1).await?;
    for n in 0..10 {
        let message = Message::builder("order.changed", "order", n.to_string()).build().expect("valid");
        database.store.write(&[message]).await?;
        database.store.advance().await?;
    }
    let found = database.documents("outbox_workers").find_one(doc! { "_id": "w" }).await?.expect("it is announced");
    let sessions = found.get_array("sessions").expect("its sessions");
    assert!((1..=3).contains(&sessions.len()), "one after another, so that the same serve again: {sessions:?}");
    Ok(())
}
