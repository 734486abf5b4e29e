//! What can go wrong around the stream: each ends with committed = delivered, in the order of each key.

use posthaste::Result;
use posthaste::conformance::fault_proxy::{Fault as Link, FaultProxy};
use posthaste::conformance::store_suite::StoreUnderTest;
use posthaste::stores::mongodb::{MongoDb, Options};

use super::Database;
use super::receiver::{Fault, Receiver};
use super::scene::{Application, Running, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_delivered_with_the_stream_switched_off() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let mut options = Options::default();
    options.change_stream = false;
    let (relay, store) = Running::start(&database, "w", &receiver, options).await;
    let application = Application::start(&database, 3).await;
    until("messages arrive", || receiver.got().len() > 30).await;
    let committed = application.stop().await;
    receiver.until_has_all(&committed).await;
    relay.stop().await?;
    receiver.assert_got_once(&committed);
    assert_eq!(store.stream_restarts(), 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_share_the_work_and_one_of_them_may_die() -> Result<()> {
    let database = Database::fresh("mongodb3").await;
    let receiver = Receiver::default();
    let (first, _) = Running::start(&database, "first", &receiver, Options::default()).await;
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    let application = Application::start(&database, 4).await;
    until("messages arrive", || receiver.got().len() > 40).await;
    let (third, _) = Running::start(&database, "third", &receiver, Options::default()).await;
    until("more messages arrive", || receiver.got().len() > 100).await;
    until("each has a share of the work", || {
        [&first, &second, &third].iter().all(|relay| relay.monitor.snapshot().partitions > 0)
    })
    .await;
    let fault = Fault::begins(&database).await;
    first.kill().await;
    let fault = fault.over();
    let taken_over = || [&second, &third].map(|relay| relay.monitor.tally().recovered_leases).iter().sum::<u64>();
    until("the others take over", || taken_over() > 0).await;
    receiver.until_more(100).await;
    let committed = application.stop().await;
    receiver.until_has_all(&committed).await;
    second.stop().await?;
    third.stop().await?;
    receiver.assert_got_with_repeats_explained(&database, &committed, &[fault]).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_is_held_open_delays_only_its_own_messages() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let message = |id: &str| posthaste::Message::builder("order.changed", "order", id).build().expect("valid");
    let (held, other) = (message("held"), message("other"));
    let open = database.begin(vec![held.clone()]).await?;
    database.write(vec![other.clone()]).await?;
    receiver.until_has(&[other.id]).await;
    assert!(!receiver.has(held.id));
    open.commit().await?;
    receiver.until_has(&[held.id]).await;
    relay.stop().await?;
    receiver.assert_got_once(&[("held".into(), vec![held.id]), ("other".into(), vec![other.id])].into());
    Ok(())
}

/// The machine of the database is gone without a word, and another one has taken its place.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_goes_on_when_the_machine_of_the_database_is_gone() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let address = crate::servers::address("mongodb");
    let proxy = FaultProxy::to(address.parse().expect("an address")).await.expect("a proxy");
    let url =
        database.url.replace(&address, &proxy.address().to_string()).replace("replicaSet=rs0", "directConnection=true");
    let receiver = Receiver::default();
    let relay = Running::on(&MongoDb::open(url, Options::default()).await?, "w", &receiver);
    let application = Application::start(&database, 3).await;
    until("messages arrive", || receiver.got().len() > 30).await;
    proxy.set(Link::Vanish).await;
    let begun = std::time::Instant::now();
    receiver.until_more(30).await;
    println!("delivery goes on {:?} after the machine was gone", begun.elapsed());
    let committed = application.stop().await;
    receiver.until_has_all(&committed).await;
    relay.stop().await
}
