//! A replica that becomes the primary, without the last commits of the old one.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, TxOpts};
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};

use super::application;
use super::database::Database;
use crate::servers::Private;
use crate::stores::ledger::{DEADLINE, Ledger};
use crate::stores::worker::Worker;

async fn root(server: &Private) -> Conn {
    Conn::from_url(format!("mysql://root@{}", server.address())).await.unwrap()
}

/// Makes `replica` follow `primary` from the beginning of its log.
async fn follow(replica: &mut Conn, primary: &Private) {
    let (host, port) = primary.node(0).split_once(':').unwrap();
    let from = format!(
        "CHANGE MASTER TO MASTER_HOST = '{host}', MASTER_PORT = {port}, MASTER_USER = 'copier', MASTER_PASSWORD = 'copier', \
         MASTER_USE_GTID = slave_pos"
    );
    replica.query_drop(from).await.unwrap();
    replica.query_drop("START SLAVE").await.unwrap();
}

/// Waits until the replica has everything that the primary has committed so far.
async fn caught_up(replica: &mut Conn, primary: &mut Conn) {
    let begun = Instant::now();
    let wanted: Option<String> = primary.query_first("SELECT @@gtid_binlog_pos").await.unwrap();
    let wait = format!("SELECT MASTER_GTID_WAIT('{}', 60)", wanted.unwrap());
    let waited: Option<i64> = replica.query_first(wait).await.unwrap();
    assert_eq!(waited, Some(0), "the replica follows");
    assert!(begun.elapsed() < DEADLINE);
}

/// A proxy where another one was, to another server.
async fn in_place_of(address: SocketAddr, server: SocketAddr) -> FaultProxy {
    let begun = Instant::now();
    loop {
        match FaultProxy::at(address, server).await {
            Ok(proxy) => return proxy,
            Err(error) => assert!(begun.elapsed() < DEADLINE, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn changes(database: &Database, count: usize) {
    let mut connection = database.connect().await.unwrap();
    for _ in 0..count {
        application::change(&mut connection).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_lacks_commits_takes_over_and_what_it_has_and_gets_arrives() {
    let (primary, replica) = (Private::start("mariadb").await, Private::start("mariadb").await);
    let (mut old, mut new) = (root(&primary).await, root(&replica).await);
    old.query_drop("CREATE USER copier IDENTIFIED BY 'copier'").await.unwrap();
    old.query_drop("GRANT REPLICATION SLAVE ON *.* TO copier").await.unwrap();
    follow(&mut new, &primary).await;
    let database = Database::on(&primary.address(), "orders").await;
    application::open(&database).await;
    let proxy = FaultProxy::to(database.address()).await.unwrap();
    let ledger = Ledger::default();
    let workers = ["one", "two"].map(|name| Worker::start(name, database.through(proxy.address()).store(), &ledger));
    changes(&database, 200).await;
    ledger.until_count(database.committed().await.len()).await;
    caught_up(&mut new, &mut old).await;

    // From here on the replica gets nothing more; the relays go on, and remember positions that it will never have.
    new.query_drop("STOP SLAVE").await.unwrap();
    changes(&database, 200).await;
    let delivered = database.committed().await.len();
    ledger.until_count(delivered).await;
    new.query_drop("RESET SLAVE ALL").await.unwrap();
    let taken_over = database.through(replica.address());
    let address = proxy.address();
    proxy.set(Fault::Reset).await;
    drop(proxy);
    let _proxy = in_place_of(address, taken_over.address()).await;

    let before: Vec<_> = taken_over.committed().await.iter().map(|event| event.id).collect();
    assert!(before.len() < delivered, "some commits are lost with the old primary");
    let mut connection = taken_over.connect().await.unwrap();
    let mut written = Vec::new();
    for _ in 0..300 {
        let mut transaction = connection.start_transaction(TxOpts::default()).await.unwrap();
        written.push(application::write(&mut transaction, "7").await.unwrap());
        transaction.commit().await.unwrap();
    }
    let begun = Instant::now();
    while !written.iter().all(|id| ledger.has(*id)) {
        assert!(begun.elapsed() < DEADLINE, "what was written on the new primary arrives");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for worker in workers {
        worker.stop().await;
    }
    assert!(before.iter().all(|id| ledger.has(*id)), "what the replica had has arrived");
}
