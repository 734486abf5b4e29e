//! A table and a journal in the same database: rows are marked in the transaction that stores their messages.

use std::sync::Arc;
use std::time::Duration;

use posthaste::journal::{Ingest, Marked, SourceLease, SourceReport, Tally, WorkerId};
use posthaste::relay::Settings as Worker;
use posthaste::source::rules::Rules;
use posthaste::source::{Checkpoint, Event, Feed, Mapper as _, Reading, Settled, Source as _};
use posthaste::sources::table::{Preset, Settings, Table};
use posthaste::store::Store;
use posthaste::testkit::waiting::eventually;
use posthaste::{Relay, Result};
use tokio::task::JoinHandle;

use super::databases::Database;

const SENT: &str = "SELECT count(*) FROM app_outbox WHERE status = 'SENT'";
const STORED: &str = "SELECT count(*) FROM outbox";

async fn databases() -> Vec<Database> {
    vec![
        Database::sqlite(),
        #[cfg(feature = "postgres")]
        Database::postgres().await,
        #[cfg(feature = "mysql")]
        Database::mysql("mariadb").await,
        #[cfg(feature = "mysql")]
        Database::mysql("mysql").await,
    ]
}

/// An outbox of an application, with so many rows, and a journal beside it.
async fn with_rows(database: &Database, rows: usize) -> Arc<dyn Store> {
    let id = database.numbered();
    let columns = "aggregate_type varchar(50), aggregate_id varchar(50), event_type varchar(50), payload text";
    database.execute(&format!("CREATE TABLE app_outbox ({id}, {columns}, status varchar(20) DEFAULT 'PENDING')")).await;
    append(database, 0..rows).await;
    database.journal().await
}

async fn append(database: &Database, rows: std::ops::Range<usize>) {
    for n in rows {
        let columns = "aggregate_type, aggregate_id, event_type, payload";
        let values = format!("('order', '{}', 'order.changed', '{n}')", n % 7);
        database.execute(&format!("INSERT INTO app_outbox ({columns}) VALUES {values}")).await;
    }
}

fn settings(database: &Database) -> Settings {
    let mut settings = Settings::new(database.url.as_str(), Preset::Status).table(database.table("app_outbox"));
    settings.poll_interval = Duration::from_millis(5);
    settings
}

fn table(database: &Database) -> Table {
    Table::new(settings(database)).expect("the settings are right")
}

async fn open(table: Table) -> Box<dyn Reading> {
    table.read_after(None).await.expect("the table is there")
}

async fn count(database: &Database, sql: &str) -> usize {
    database.text(sql).await.parse().expect("a number")
}

/// What a relay does with events that it has read, up to the moment when it stores them.
async fn ingest_of(journal: &dyn Store, reading: &mut dyn Reading, checkpoint: &str) -> (Ingest, Vec<Event>) {
    let events = reading.next(100).await.expect("there are rows").events;
    let settled: Vec<_> = events.iter().map(|event| (event, Settled::Done)).collect();
    let messages = events.iter().flat_map(|event| {
        let mut messages = Rules::new([]).map(event).expect("a message");
        messages.iter_mut().for_each(|message| message.origin = Some(event.origin()));
        messages
    });
    let ingest = Ingest {
        source: "orders".into(),
        worker: WorkerId("w".into()),
        epoch: lease(journal).await.epoch,
        messages: messages.collect(),
        checkpoint: Checkpoint::new(checkpoint).expect("a text"),
        tally: Tally::default(),
        last_event: None,
        marking: reading.marker().and_then(|marker| marker.marking(&settled)),
    };
    (ingest, events)
}

async fn lease(journal: &dyn Store) -> SourceLease {
    let (ttl, report) = (Duration::from_secs(60), SourceReport::default());
    let grant = journal.lease_source(&WorkerId("w".into()), &"orders".into(), ttl, None, &report).await;
    grant.expect("the store answers").lease.expect("it is free")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_transaction_that_stores_messages_marks_their_rows() -> Result<()> {
    for database in databases().await {
        let journal = with_rows(&database, 10).await;
        let mut reading = open(table(&database)).await;
        let (ingest, _) = ingest_of(&*journal, &mut *reading, "10").await;
        let ingested = journal.ingest(&ingest).await?.expect("it is held");
        assert_eq!((ingested.enqueued.stored, ingested.marked), (10, Marked::Together), "{}", database.url);
        assert_eq!((count(&database, SENT).await, count(&database, STORED).await), (10, 10));
        let again = journal.ingest(&ingest).await?.expect("it is held");
        assert_eq!((again.enqueued.duplicates, again.marked), (10, Marked::Together), "as when the answer got lost");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ingest_that_fails_after_the_marks_leaves_no_mark_and_no_message() -> Result<()> {
    for database in databases().await {
        let journal = with_rows(&database, 10).await;
        database.curse().await;
        let mut reading = open(table(&database)).await;
        let (cursed, _) = ingest_of(&*journal, &mut *reading, "cursed").await;
        journal.ingest(&cursed).await.expect_err("it is cursed");
        assert_eq!((count(&database, SENT).await, count(&database, STORED).await), (0, 0), "{}", database.url);
        let lost = Ingest { worker: WorkerId("another".into()), ..cursed.clone() };
        assert_eq!(journal.ingest(&lost).await?, None, "somebody else holds it");
        assert_eq!((count(&database, SENT).await, count(&database, STORED).await), (0, 0), "{}", database.url);
        let good = Ingest { checkpoint: Checkpoint::new("10").expect("a text"), ..cursed };
        assert_eq!(journal.ingest(&good).await?.expect("it is held").marked, Marked::Together);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_elsewhere_or_one_that_is_told_so_leaves_the_marks_to_the_source() -> Result<()> {
    for (database, other) in databases().await.into_iter().zip([Database::sqlite(), Database::sqlite()]) {
        let journal = with_rows(&database, 3).await;
        let mut reading = open(table(&database)).await;
        let elsewhere = other.journal().await;
        let (ingest, events) = ingest_of(&*elsewhere, &mut *reading, "3").await;
        assert_eq!(elsewhere.ingest(&ingest).await?.expect("it is held").marked, Marked::No);
        assert_eq!(count(&database, SENT).await, 0);
        let settled: Vec<_> = events.into_iter().map(|event| (event, Settled::Done)).collect();
        reading.settled(&settled).await.expect("they are marked");
        assert_eq!(count(&database, SENT).await, 3);

        append(&database, 3..5).await;
        let mut apart = settings(&database);
        apart.mark_apart = true;
        let mut reading = open(Table::new(apart).expect("they are right")).await;
        let (ingest, _) = ingest_of(&*journal, &mut *reading, "5").await;
        assert_eq!((&ingest.marking, journal.ingest(&ingest).await?.expect("it is held").marked), (&None, Marked::No));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the relay of a test, which ends with it")]
fn run(store: Arc<dyn Store>, source: Table) -> JoinHandle<Result<()>> {
    let worker = Worker { lease_ttl: Duration::from_millis(500), ..Worker::default() };
    let feed = Feed::new("orders").retry(Duration::from_millis(5), Duration::from_millis(50)).max_batch(20);
    let relay = Relay::builder(store).settings(worker);
    let relay = relay.source(feed, Arc::new(source), Arc::new(Rules::new([]))).build();
    tokio::spawn(relay.run(std::future::pending()))
}

/// One statement sees one moment.
async fn assert_together(database: &Database) {
    let both = database.text(&format!("SELECT concat(({SENT}), '/', ({STORED}))")).await;
    let (sent, stored) = both.split_once('/').expect("two numbers");
    assert_eq!(sent, stored, "{}", database.url);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_ever_sees_a_mark_without_its_message_while_relays_die() -> Result<()> {
    for database in databases().await {
        let journal = with_rows(&database, 0).await;
        let mut relay = run(Arc::clone(&journal), table(&database));
        for n in 0..150 {
            append(&database, n..n + 1).await;
            assert_together(&database).await;
            if n % 30 == 29 {
                relay.abort();
                relay = run(Arc::clone(&journal), table(&database));
            }
        }
        eventually("everything is taken", async || {
            assert_together(&database).await;
            Ok(count(&database, SENT).await == 150)
        })
        .await?;
        relay.abort();
        assert_eq!(journal.sources().await?[0].duplicates, 0, "no row was read that was stored: {}", database.url);
    }
    Ok(())
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_somebody_keeps_locked_holds_up_nothing_on_postgres() -> Result<()> {
    let database = Database::postgres().await;
    let journal = with_rows(&database, 3).await;
    let locks = database.client().await;
    locks.batch_execute("BEGIN; SELECT 1 FROM app_outbox FOR UPDATE").await.expect("rows to lock");
    let mut reading = open(table(&database)).await;
    let (ingest, _) = ingest_of(&*journal, &mut *reading, "3").await;
    let ingested = journal.ingest(&ingest).await?.expect("it is held");
    assert_eq!((ingested.enqueued.stored, ingested.marked), (3, Marked::No));
    assert_eq!(journal.sources().await?[0].checkpoint, Some(Checkpoint::stored("3")));
    Ok(())
}

#[cfg(feature = "mysql")]
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_somebody_keeps_locked_holds_up_nothing_on_mysql() -> Result<()> {
    use mysql_async::prelude::Queryable as _;
    for server in ["mariadb", "mysql"] {
        let database = Database::mysql(server).await;
        let journal = with_rows(&database, 3).await;
        let mut locks = database.connection().await;
        locks.query_drop("BEGIN").await.expect("a transaction");
        locks.query_drop("SELECT 1 FROM app_outbox FOR UPDATE").await.expect("rows to lock");
        let mut reading = open(table(&database)).await;
        let (ingest, _) = ingest_of(&*journal, &mut *reading, "3").await;
        let ingested = journal.ingest(&ingest).await?.expect("it is held");
        assert_eq!((ingested.enqueued.stored, ingested.marked), (3, Marked::No), "{server}");
    }
    Ok(())
}

/// The journal's user may not mark; the source's may.
async fn is_stored_and_marked_afterwards(database: &Database, journal: Arc<dyn Store>, why: &str) -> Result<()> {
    let mut reading = open(table(database)).await;
    let (ingest, _) = ingest_of(&*journal, &mut *reading, "3").await;
    let epoch = ingest.epoch;
    let ingested = journal.ingest(&ingest).await?.expect("it is held");
    assert_eq!(ingested.enqueued.stored, 3);
    assert!(matches!(&ingested.marked, Marked::Refused(said) if said.contains(why)), "{:?}", ingested.marked);
    assert_eq!(count(database, SENT).await, 0);
    journal.release_source(&WorkerId("w".into()), &"orders".into(), epoch).await?;
    append(database, 3..50).await;
    let relay = run(Arc::clone(&journal), table(database));
    eventually("all are marked", async || Ok(count(database, SENT).await == 50)).await?;
    relay.abort();
    let _ = relay.await;
    assert_eq!(count(database, STORED).await, 50);
    Ok(())
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_may_not_mark_stores_and_the_source_marks_on_postgres() -> Result<()> {
    let database = Database::postgres().await;
    with_rows(&database, 3).await;
    let role = format!("keeper_{}", uuid::Uuid::now_v7().simple());
    database.execute(&format!("CREATE ROLE {role} LOGIN; SELECT outbox_grant('nobody at all', '{role}')")).await;
    // It was given everything in the schema.
    database.execute(&format!("REVOKE ALL ON app_outbox FROM {role}")).await;
    let journal = database.journal_for(Some(&role));
    is_stored_and_marked_afterwards(&database, journal, "permission denied").await?;
    database.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    Ok(())
}

#[cfg(feature = "mysql")]
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_may_not_mark_stores_and_the_source_marks_on_mysql() -> Result<()> {
    for server in ["mariadb", "mysql"] {
        let database = Database::mysql(server).await;
        with_rows(&database, 3).await;
        let user = format!("keeper_{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
        database.execute(&format!("CREATE USER {user} IDENTIFIED BY 'secret'")).await;
        let tables = "SELECT group_concat(table_name) FROM information_schema.tables WHERE table_schema = database() AND table_name LIKE 'outbox%'";
        for table in database.text(tables).await.split(',') {
            database.execute(&format!("GRANT SELECT, INSERT, UPDATE, DELETE ON `{table}` TO {user}")).await;
        }
        let journal = database.journal_for(Some(&format!("{user}:secret")));
        is_stored_and_marked_afterwards(&database, journal, "denied").await?;
        database.execute(&format!("DROP USER {user}")).await;
    }
    Ok(())
}
