//! A transaction that a worker has left open. To MongoDB it does not end with its connection; the others end it when the worker's
//! time is over.

use std::sync::Arc;
use std::time::Duration;

use mongodb::bson::doc;
use posthaste::Result;
use posthaste::journal::{Journal, WorkerId};
use posthaste::stores::mongodb::{MongoDb, Options};
use posthaste::testkit::waiting::eventually;

use super::Database;
use super::orders::{open_transactions, order, patient_server, store_named};
use super::receiver::{Fault, Gate, Receiver, Refusing};
use super::scene::{Running, Writer};

const TTL: Duration = Duration::from_secs(5);

/// From now on no transaction of this store comes to an end that the server has heard of.
async fn hold_transactions(database: &Database, app: &str) {
    order(database, &["commitTransaction", "abortTransaction"], app, doc! { "closeConnection": true }).await;
}

/// As if its process were dead: it cannot even make sure of the end of what it gives up.
async fn kill(database: &Database, first: Running) {
    let ends = ["commitTransaction", "abortTransaction", "update"];
    order(database, &ends, "first", doc! { "closeConnection": true }).await;
    first.kill().await;
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
    hold_transactions(&database, "first").await;
    let fault = Fault::begins(&database).await;
    written.push(writer.write().await);
    until_one_is_left_open(&database).await?;
    kill(&database, first).await;
    let fault = fault.over();
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    written.push(writer.write().await);
    receiver.until_has(&written).await;
    second.stop().await?;
    let committed = [("order-1".into(), written)].into();
    receiver.assert_got_with_repeats_explained(&database, &committed, &[fault]).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_while_it_records_a_failure_holds_nobody_up_longer_than_its_lease() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let store = store_named(&database, "first").await;
    let gate = Gate::before(Refusing);
    let first = Running::with(&store, "first", Arc::new(gate.clone()));
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    gate.is_asked().await;
    hold_transactions(&database, "first").await;
    gate.opens();
    until_one_is_left_open(&database).await?;
    kill(&database, first).await;
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
    hold_transactions(&database, "first").await;
    written.push(writer.write().await);
    until_one_is_left_open(&database).await?;
    kill(&database, first).await;
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
    let leave = async {
        until_one_is_left_open(&database).await?;
        store.release(&worker, &leases, true).await?;
        assert_eq!(open_transactions(&database).await?, 0);
        Ok(())
    };
    tokio::try_join!(store.advance(), leave).map(drop)
}

/// As when a worker stops, or a call takes too long.
async fn give_up_within_a_transaction(database: &Database, store: &MongoDb) -> Result<()> {
    Writer::new(database, "order-1").await.write().await;
    tokio::select! {
        advanced = store.advance() => panic!("it was to be given up: {advanced:?}"),
        open = until_one_is_left_open(database) => open,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_leaves_when_what_it_has_given_up_is_rolled_back() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (store, worker) = (store_named(&database, "first").await, WorkerId("first".into()));
    let leases = store.lease(&worker, TTL, 1).await?.leases;
    let slow = doc! { "blockConnection": true, "blockTimeMS": 2_000 };
    order(&database, &["commitTransaction", "abortTransaction"], "first", slow).await;
    give_up_within_a_transaction(&database, &store).await?;
    store.release(&worker, &leases, true).await?;
    assert_eq!(open_transactions(&database).await?, 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_goes_on_leaves_nothing_open_that_it_has_given_up() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let store = store_named(&database, "first").await;
    store.lease(&WorkerId("first".into()), TTL, 1).await?;
    hold_transactions(&database, "first").await;
    give_up_within_a_transaction(&database, &store).await?;
    eventually("nothing is open", || async { Ok(open_transactions(&database).await? == 0) }).await
}

/// What was delivered and could not be recorded comes again, once; what was recorded does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_before_it_records_a_delivery_makes_that_come_again_and_nothing_else() -> Result<()> {
    let server = patient_server().await;
    let database = Database::with(&server.address(), Options::default()).await;
    let (receiver, store) = (Receiver::default(), store_named(&database, "first").await);
    let gate = Gate::before(receiver.clone());
    let first = Running::with(&store, "first", Arc::new(gate.clone()));
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    gate.is_asked().await;
    gate.opens();
    receiver.until_has(&written).await;
    until_is_recorded(&database).await?;
    written.push(writer.write().await);
    gate.is_asked().await;
    let fault = Fault::begins(&database).await;
    order(&database, &["update"], "first", doc! { "closeConnection": true }).await;
    gate.opens();
    receiver.until_has(&written).await;
    first.kill().await;
    let fault = fault.over();
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    written.push(writer.write().await);
    receiver.until_has(&written).await;
    second.stop().await?;
    let committed = [("order-1".into(), written)].into();
    assert_eq!(receiver.assert_got_with_repeats_explained(&database, &committed, &[fault]).await, 1);
    Ok(())
}

/// Waits until a cursor has moved.
async fn until_is_recorded(database: &Database) -> Result<()> {
    let moved = doc! { "lanes.app.low": { "$gt": 0i64 } };
    let partitions = database.documents("outbox_partitions");
    eventually("it is recorded", || async { Ok(partitions.count_documents(moved.clone()).await? > 0) }).await
}
