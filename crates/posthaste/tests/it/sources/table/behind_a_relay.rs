//! From the table into the journal, while transactions are late and relays die.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::inspect::{Filter as Wanted, Inspect, Page};
use posthaste::journal::Position;
use posthaste::relay::Settings as Worker;
use posthaste::source::rules::Rules;
use posthaste::source::{Batch, Checkpoint, Error, Event, Feed, Reading, Settled, Source};
use posthaste::sources::table::{Preset, Settings, Table};
use posthaste::stores::memory::Memory;
use posthaste::testkit::waiting::eventually;
use posthaste::{Relay, Result};
use tokio::task::JoinHandle;

use super::databases::Database;

async fn outbox(database: &Database) -> Table {
    let id = database.numbered();
    let columns = "aggregate_type varchar(50), aggregate_id varchar(50), event_type varchar(50), payload text";
    database.execute(&format!("CREATE TABLE outbox ({id}, {columns}, status varchar(20) DEFAULT 'PENDING')")).await;
    table(database)
}

fn table(database: &Database) -> Table {
    let mut settings = Settings::new(database.url.as_str(), Preset::Status).table(database.table("outbox"));
    settings.poll_interval = Duration::from_millis(5);
    Table::new(settings).expect("the settings are right")
}

fn row(aggregate: usize, n: usize) -> String {
    let columns = "aggregate_type, aggregate_id, event_type, payload";
    format!("INSERT INTO outbox ({columns}) VALUES ('order', '{aggregate}', 'order.changed', '{n}')")
}

#[expect(clippy::disallowed_methods, reason = "the relay of a test, which ends with it")]
fn run(store: &Memory, source: impl Source + 'static) -> JoinHandle<Result<()>> {
    let settings = Worker { lease_ttl: Duration::from_millis(500), ..Worker::default() };
    let feed = Feed::new("orders").retry(Duration::from_millis(5), Duration::from_millis(50)).max_batch(20);
    let relay = Relay::builder(Arc::new(store.clone())).settings(settings);
    let relay = relay.source(feed, Arc::new(source), Arc::new(Rules::new([]))).build();
    tokio::spawn(relay.run(std::future::pending()))
}

/// Aggregates and payloads, in the order of the journal.
async fn stored(store: &Memory) -> Result<Vec<(String, String)>> {
    let listed = store.list(&Wanted::default(), Page::after(Position::START, 1_000_000)).await?;
    let mut stored = Vec::new();
    for row in listed.rows {
        let report = store.get(row.id).await?.expect("it was listed");
        let payload = String::from_utf8_lossy(&report.message.payload).into_owned();
        stored.push((row.aggregate_id.to_string(), payload));
    }
    Ok(stored)
}

async fn all_are_sent(database: &Database) -> bool {
    database.text("SELECT count(*) FROM outbox WHERE status <> 'SENT'").await == "0"
}

async fn databases() -> Vec<Database> {
    vec![
        Database::sqlite(),
        #[cfg(feature = "postgres")]
        Database::postgres().await,
        #[cfg(feature = "mysql")]
        Database::mysql("mariadb").await,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rows_of_an_aggregate_come_once_and_in_order_while_relays_die() -> Result<()> {
    for database in databases().await {
        let store = Memory::new();
        let mut relay = run(&store, outbox(&database).await);
        for n in 0..150 {
            database.execute(&row(n % 7, n)).await;
            if n % 30 == 29 {
                relay.abort();
                relay = run(&store, table(&database));
            }
        }
        eventually("everything is taken", async || Ok(all_are_sent(&database).await)).await?;
        relay.abort();
        let stored = stored(&store).await?;
        assert_eq!(stored.len(), 150, "{}", database.url);
        for aggregate in 0..7 {
            let of_it = stored.iter().filter(|(id, _)| *id == aggregate.to_string());
            let numbers: Vec<usize> = of_it.map(|(_, n)| n.parse().expect("a number")).collect();
            assert!(numbers.is_sorted() && numbers.len() >= 21, "{numbers:?}");
        }
    }
    Ok(())
}

/// Its number is smaller than that of what was taken long ago.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_committed_late_is_not_lost() -> Result<()> {
    let (database, store) = (Database::postgres().await, Memory::new());
    let source = outbox(&database).await;
    let late = database.client().await;
    late.batch_execute(&format!("BEGIN; {}", row(1, 1))).await.expect("a transaction");
    database.execute(&row(2, 2)).await;
    let relay = run(&store, source);
    eventually("the other is taken", async || Ok(store.overview().await?.messages == 1)).await?;
    eventually("and marked", async || Ok(all_are_sent(&database).await)).await?;
    late.batch_execute("COMMIT").await.expect("it commits");
    eventually("the late one is taken", async || Ok(store.overview().await?.messages == 2)).await?;
    eventually("and marked", async || Ok(all_are_sent(&database).await)).await?;
    relay.abort();
    Ok(())
}

/// A relay that dies after the journal has committed and before the row is marked.
#[derive(Debug)]
struct NeverMarks(Table);

#[derive(Debug)]
struct NeverMarked(Box<dyn Reading>);

#[async_trait]
impl Source for NeverMarks {
    async fn read_after(&self, checkpoint: Option<&Checkpoint>) -> Result<Box<dyn Reading>, Error> {
        Ok(Box::new(NeverMarked(self.0.read_after(checkpoint).await?)))
    }

    async fn check(&self) -> Result<(), Error> {
        self.0.check().await
    }
}

#[async_trait]
impl Reading for NeverMarked {
    async fn next(&mut self, limit: usize) -> Result<Batch, Error> {
        self.0.next(limit).await
    }

    async fn settled(&mut self, _: &[(Event, Settled)]) -> Result<(), Error> {
        std::future::pending().await
    }

    fn wants_settled(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_the_journal_and_the_mark_doubles_nothing() -> Result<()> {
    for database in databases().await {
        let store = Memory::new();
        let source = outbox(&database).await;
        for n in 0..10 {
            database.execute(&row(1, n)).await;
        }
        let dies = run(&store, NeverMarks(source));
        eventually("they are in the journal", async || Ok(store.overview().await?.messages == 10)).await?;
        dies.abort();
        assert_eq!(database.text("SELECT count(*) FROM outbox WHERE status = 'PENDING'").await, "10");
        let relay = run(&store, table(&database));
        eventually("they are marked", async || Ok(all_are_sent(&database).await)).await?;
        relay.abort();
        assert_eq!(stored(&store).await?.len(), 10, "{}", database.url);
        assert_eq!(store.sources().await?[0].duplicates, 10);
    }
    Ok(())
}
