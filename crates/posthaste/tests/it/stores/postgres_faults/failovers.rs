//! A primary and a streaming standby that takes over, again and again, without a person.
//!
//! Eight writers hold transactions open, roll back, use savepoints and take ids of transactions that they never use. Right before a
//! primary ends, more ids are taken, and a transaction is prepared that only the next primary commits.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use posthaste::inspect::Inspect;
use posthaste::testkit::waiting::eventually;
use tokio::task::JoinSet;
use tokio_postgres::Client;
use uuid::Uuid;

use super::application::{self, persist};
use super::database::Database;

use crate::servers::Private;
use crate::stores::ledger::{Event, Ledger};
use crate::stores::worker::Worker;

/// `FAILOVERS=50` for more.
const FAILOVERS: usize = 15;
const WRITERS: usize = 8;

/// Two servers, of which one is the primary.
struct Pair {
    servers: [Private; 2],
    primary: usize,
    /// Whether a commit waits for the standby.
    synchronous: bool,
}

impl Pair {
    async fn start(synchronous: bool) -> Self {
        let servers = [Private::start("postgres").await, Private::start("postgres").await];
        let mut pair = Self { servers, primary: 0, synchronous };
        pair.add_standby().await;
        pair
    }

    fn addresses(&self) -> [String; 2] {
        [self.servers[0].address(), self.servers[1].address()]
    }

    fn address(&self) -> String {
        self.servers[self.primary].address()
    }

    /// The one that is not the primary becomes its standby, and has caught up.
    async fn add_standby(&mut self) {
        let primary = self.address();
        self.servers[1 - self.primary].follow(&primary).await;
        let client = connect(&primary).await;
        wait_for_standbys(&client, if self.synchronous { "*" } else { "" }).await;
        let streams = "SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE state = 'streaming')";
        until_true(&client, streams).await;
    }

    /// The standby has everything that is committed.
    async fn until_caught_up(&self) {
        let client = connect(&self.address()).await;
        let caught_up = "SELECT coalesce(bool_and(replay_lsn >= pg_current_wal_lsn()), false) FROM pg_stat_replication";
        until_true(&client, caught_up).await;
    }

    /// The standby hears of nothing any more.
    async fn cut_standby_off(&self) {
        let standby = connect(&self.servers[1 - self.primary].address()).await;
        standby.batch_execute("ALTER SYSTEM SET primary_conninfo = ''").await.unwrap();
        standby.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        let hears_nothing = "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)";
        until_true(&standby, hears_nothing).await;
    }

    /// The primary ends, by this signal, and the standby takes over.
    async fn fail_over(&mut self, signal: &str) {
        self.servers[self.primary].end(signal);
        self.primary = 1 - self.primary;
        let client = connect(&self.address()).await;
        wait_for_standbys(&client, "").await;
        client.query_one("SELECT pg_promote()", &[]).await.unwrap();
    }
}

/// From now on commits wait for the standbys of these names.
async fn wait_for_standbys(client: &Client, names: &str) {
    client.batch_execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")).await.unwrap();
    client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
}

/// Waits until a server says so.
async fn until_true(client: &Client, question: &str) {
    eventually(question, || async { Ok(client.query_one(question, &[]).await?.get(0)) }).await.unwrap();
}

/// A connection to a server, whether it can be written to or not.
async fn connect(address: &str) -> Client {
    Database::at(address, "postgres").connect_at_last().await
}

/// Takes ids of transactions that are never logged: in one that is idle, in savepoints, and in one that is prepared with a message.
async fn take_ids(database: &Database, name: &str) -> Client {
    let client = database.connect_at_last().await;
    let savepoints = "BEGIN; SAVEPOINT a; SELECT pg_current_xact_id(); SAVEPOINT b; \
                      CREATE TEMPORARY TABLE t (n integer); ROLLBACK TO a; COMMIT";
    client.batch_execute(savepoints).await.unwrap();
    let prepared = format!(
        "BEGIN; INSERT INTO posthaste.outbox (event_type, aggregate_type, aggregate_id, payload) \
         VALUES ('order.prepared', 'order', '{name}', '0'); PREPARE TRANSACTION '{name}'"
    );
    client.batch_execute(&prepared).await.unwrap();
    client.batch_execute("BEGIN; SELECT pg_current_xact_id(); SAVEPOINT c; SELECT pg_current_xact_id()").await.unwrap();
    client
}

/// Commits what was prepared on the primary before, if it came over.
async fn commit_prepared(database: &Database, name: &str) {
    let client = database.connect_at_last().await;
    let _ = client.batch_execute(&format!("COMMIT PREPARED '{name}'")).await;
}

/// Returns what was confirmed to writers, and what is there in the end; all of that has arrived.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
async fn failovers(synchronous: bool) -> (Vec<Uuid>, Vec<Event>) {
    let failovers = std::env::var("FAILOVERS").map_or(FAILOVERS, |text| text.parse().unwrap());
    let mut pair = Pair::start(synchronous).await;
    let database = Database::on(&pair.address(), "orders").await;
    application::open(&database).await;
    let addresses = pair.addresses();
    let database = database.on_all(&[&addresses[0], &addresses[1]]);
    let ledger = Ledger::default();
    let workers = ["one", "two"].map(|name| Worker::start(name, database.store(), &ledger));
    let enough = Arc::new(AtomicBool::new(false));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let told = Arc::clone(&enough);
        writers.spawn(persist(database.clone(), move || told.load(Ordering::Relaxed)));
    }
    let mut gaps = Vec::new();
    for failover in 0..failovers {
        ledger.until_count(ledger.count() + 100).await;
        let name = format!("prepared-{failover}");
        let idle = take_ids(&database, &name).await;
        pair.fail_over(if failover % 2 == 0 { "INT" } else { "KILL" }).await;
        let (writable, arrived) = (Instant::now(), ledger.count());
        drop(idle);
        commit_prepared(&database, &name).await;
        ledger.until_count(arrived + 1).await;
        gaps.push(writable.elapsed());
        ledger.until_count(ledger.count() + 50).await;
        pair.add_standby().await;
    }
    gaps.sort();
    println!(
        "delivery goes on {:?} (median), {:?} (longest) after the new primary",
        gaps[gaps.len() / 2],
        gaps[gaps.len() - 1]
    );
    enough.store(true, Ordering::Relaxed);
    let confirmed = writers.join_all().await.concat();
    let told = database.store().overview().await.unwrap().figures;
    assert!(told.iter().any(|figure| figure.name == "failovers" && figure.value == failovers as f64), "{told:?}");
    let committed = database.committed().await;
    ledger.until_all(&committed).await;
    for worker in workers {
        worker.stop().await;
    }
    ledger.assert_has_all(&committed);
    assert!(ledger.positions_grow());
    (confirmed, committed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_synchronous_standby_takes_over_again_and_again_and_nothing_is_lost() {
    let (confirmed, committed) = failovers(true).await;
    let kept: HashSet<Uuid> = committed.iter().map(|event| event.id).collect();
    assert!(confirmed.iter().all(|id| kept.contains(id)), "what was confirmed to a writer is there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_asynchronous_standby_takes_over_again_and_again_and_all_it_has_arrives_in_order() {
    failovers(false).await;
}

/// The standby hears nothing of the primary's last commits, all of which were delivered, and takes over. Returns whether positions still
/// grow after that.
async fn commits_are_lost(prepare: &str) -> bool {
    let mut pair = Pair::start(false).await;
    let database = Database::on(&pair.address(), "orders").await;
    application::open(&database).await;
    database.connect().await.unwrap().batch_execute(prepare).await.unwrap();
    let addresses = pair.addresses();
    let database = database.on_all(&[&addresses[0], &addresses[1]]);
    let ledger = Ledger::default();
    let worker = Worker::start("one", database.store(), &ledger);
    write(&database, 20).await;
    ledger.until_count(20).await;
    pair.until_caught_up().await;
    pair.cut_standby_off().await;
    // One at a time, so that each is a tick of its own.
    for lost in 1..=20 {
        write(&database, 1).await;
        ledger.until_count(20 + lost).await;
    }
    pair.fail_over("KILL").await;
    write(&database, 20).await;
    ledger.until_count(60).await;
    worker.stop().await;
    let committed = database.committed().await;
    assert_eq!(committed.len(), 40, "twenty are gone");
    ledger.assert_has_all(&committed);
    ledger.positions_grow()
}

async fn write(database: &Database, events: usize) {
    let mut client = database.connect_at_last().await;
    for _ in 0..events {
        let transaction = client.transaction().await.unwrap();
        application::write(&transaction, "0").await.unwrap();
        transaction.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_delivered_and_lost_with_the_primary_leaves_its_positions_unused() {
    assert!(commits_are_lost("").await);
}

/// The mistake that the seam prevents, planted: the journal goes on as if nothing had happened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_jump_positions_would_come_again() {
    let no_seam = "CREATE OR REPLACE FUNCTION posthaste.outbox_seam() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        UPDATE posthaste.outbox_schema SET timeline = substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
        UPDATE posthaste.outbox_leases SET worker = NULL, expires_at = '-infinity', epoch = epoch + 1000000;
        RETURN false; END $$";
    assert!(!commits_are_lost(no_seam).await);
}
