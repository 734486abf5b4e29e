//! A transaction that a worker has left open. To MongoDB it does not end with its connection; the others end it when the worker's
//! time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mongodb::bson::{Document, doc};
use posthaste::destination::StartFrom;
use posthaste::journal::{Journal, WorkerId};
use posthaste::sink::{Error, Outcome, Run, Sink};
use posthaste::stores::mongodb::{MongoDb, Options};
use posthaste::testkit::store_suite::StoreUnderTest;
use posthaste::testkit::waiting::eventually;
use posthaste::{Destination, Message, Result};
use tokio::sync::Notify;

use super::Database;
use super::receiver::{Fault, Receiver};
use super::scene::{Application, Running, Writer};
use crate::servers::Private;

const TTL: Duration = Duration::from_secs(5);

/// A server that takes orders of tests, and by itself ends a transaction only after an hour: a test in which nobody else does fails.
async fn patient_server() -> Private {
    let parameters = ["enableTestCommands=1", "transactionLifetimeLimitSeconds=3600"];
    let options = parameters.map(|parameter| ["--setParameter", parameter]);
    Private::start_with("mongodb", options.as_flattened()).await
}

/// A store that the server can tell from others.
async fn store_named(database: &Database, name: &str) -> MongoDb {
    let url = format!("{}&appName={name}", database.url);
    MongoDb::connect(&url, Options::default()).await.expect("the server is there")
}

async fn order(database: &Database, commands: &[&str], app: &str, what: Document) {
    let mut data = doc! { "failCommands": commands, "appName": app };
    data.extend(what);
    let fail = doc! { "configureFailPoint": "failCommand", "mode": "alwaysOn", "data": data };
    database.client.database("admin").run_command(fail).await.expect("the server takes orders of tests");
}

/// From now on no transaction of this store comes to an end: as if its process were dead or frozen, or cut off.
async fn cut_off(database: &Database, app: &str) {
    order(database, &["commitTransaction", "abortTransaction"], app, doc! { "closeConnection": true }).await;
}

/// How many transactions the server has open.
async fn open_transactions(database: &Database) -> Result<i64> {
    transactions(database, "currentOpen").await
}

async fn transactions(database: &Database, figure: &str) -> Result<i64> {
    let status = database.client.database("admin").run_command(doc! { "serverStatus": 1 }).await?;
    Ok(status.get_document("transactions").and_then(|all| all.get_i64(figure)).expect("a figure"))
}

async fn until_one_is_left_open(database: &Database) -> Result<()> {
    eventually("a transaction is left open", || async { Ok(open_transactions(database).await? > 0) }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sequencer_that_dies_within_a_transaction_holds_nobody_up_longer_than_its_lease() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (receiver, store) = (Receiver::default(), store_named(&database, "first").await);
    let first = Running::on(&store, "first", &receiver);
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    receiver.until_has(&written).await;
    cut_off(&database, "first").await;
    let fault = Fault::begins(&database).await;
    written.push(writer.write().await);
    until_one_is_left_open(&database).await?;
    first.kill().await;
    let fault = fault.is_over();
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    written.push(writer.write().await);
    receiver.until_has(&written).await;
    second.stop().await?;
    let committed = [("order-1".into(), written)].into();
    receiver.assert_got_with_repeats_explained(&database, &committed, &[fault]).await;
    Ok(())
}

/// Takes nothing, and says so when it is let go.
#[derive(Debug, Clone, Default)]
struct Refusing(Arc<[Notify; 2]>);

#[async_trait]
impl Sink for Refusing {
    async fn deliver(&self, _run: &Run) -> Outcome {
        let [asked, go] = &*self.0;
        asked.notify_one();
        go.notified().await;
        Outcome::stopped(0, Error::retry("not now"))
    }

    async fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_while_it_records_a_failure_holds_nobody_up_longer_than_its_lease() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (refusing, store) = (Refusing::default(), store_named(&database, "first").await);
    let first = Running::with(&store, "first", Arc::new(refusing.clone()));
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    let [asked, go] = &*refusing.0;
    asked.notified().await;
    cut_off(&database, "first").await;
    go.notify_one();
    until_one_is_left_open(&database).await?;
    first.kill().await;
    let receiver = Receiver::default();
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    written.push(writer.write().await);
    receiver.until_has(&written).await;
    second.stop().await?;
    receiver.assert_got_once(&[("order-1".into(), written)].into());
    Ok(())
}

/// A container that comes back under its old name need not wait for anybody else to find it dead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_comes_back_under_its_name_ends_what_it_had_left_open() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (receiver, store) = (Receiver::default(), store_named(&database, "first").await);
    let first = Running::on(&store, "same", &receiver);
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    receiver.until_has(&written).await;
    cut_off(&database, "first").await;
    written.push(writer.write().await);
    until_one_is_left_open(&database).await?;
    first.kill().await;
    let store = store_named(&database, "second").await;
    store.lease(&WorkerId("same".into()), TTL, 1).await?;
    assert_eq!(open_transactions(&database).await?, 0, "ended before it takes anything");
    let again = Running::on(&store, "same", &receiver);
    receiver.until_has(&written).await;
    again.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_leaves_when_its_transactions_are_over() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (store, worker) = (store_named(&database, "first").await, WorkerId("first".into()));
    let leases = store.lease(&worker, TTL, 1).await?.leases;
    Writer::new(&database, "order-1").await.write().await;
    let slow = doc! { "blockConnection": true, "blockTimeMS": 1_000 };
    order(&database, &["commitTransaction"], "first", slow).await;
    let sequencer = store.clone();
    let advance = tokio::spawn(async move { sequencer.advance().await });
    until_one_is_left_open(&database).await?;
    store.release(&worker, &leases, true).await?;
    assert_eq!(open_transactions(&database).await?, 0);
    advance.await.expect("it does not panic")?;
    Ok(())
}

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
    let from_now = Destination { start_from: StartFrom::Now, ..Destination::new("now") };
    let store = database.store.clone();
    let register = tokio::spawn(async move { store.register(&[from_now]).await });
    let aborted = || transactions(database, "totalAborted");
    let before = aborted().await?;
    eventually("it has met the rival", || async { Ok(aborted().await? > before + 2) }).await?;
    rival.commit_transaction().await?;
    register.await.expect("it does not panic")
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
