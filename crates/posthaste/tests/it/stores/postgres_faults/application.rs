//! An application: it changes orders, and writes an event about each change in the same transaction.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use posthaste::Message;
use posthaste::stores::postgres::Outbox;
use tokio_postgres::{Client, Transaction};
use uuid::Uuid;

use super::database::Database;

/// How many orders there are; each is a key.
pub(super) const ORDERS: usize = 40;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Makes the table of orders.
pub(super) async fn open(database: &Database) {
    let sql = format!(
        "CREATE TABLE orders (id text PRIMARY KEY, changes bigint NOT NULL DEFAULT 0);
         INSERT INTO orders SELECT n::text FROM generate_series(0, {ORDERS} - 1) AS n"
    );
    database.connect().await.unwrap().batch_execute(&sql).await.unwrap();
}

/// A number below `limit`, by chance.
pub(super) fn random(limit: u64) -> u64 {
    RandomState::new().hash_one(0) % limit
}

/// Holds a transaction open for a moment, most of the time for none.
async fn hold() {
    match random(4) {
        0 => tokio::time::sleep(Duration::from_millis(random(15))).await,
        1 => tokio::task::yield_now().await,
        _ => {}
    }
}

/// One change of an order at random. Returns the id of its event if it was committed, nothing if it was rolled back.
pub(super) async fn change(client: &mut Client) -> Result<Option<Uuid>, Error> {
    let transaction = client.transaction().await?;
    if random(3) == 0 {
        // Long before it writes: by transaction ids alone, its events would come before those of others.
        transaction.execute("SELECT pg_current_xact_id()", &[]).await?;
        hold().await;
    }
    let id = write(&transaction, &random(ORDERS as u64).to_string()).await?;
    hold().await;
    if random(10) == 0 {
        transaction.rollback().await?;
        return Ok(None);
    }
    transaction.commit().await?;
    Ok(Some(id))
}

/// The change and the event. The row lock serialises the changes to an order.
pub(super) async fn write(transaction: &Transaction<'_>, order: &str) -> Result<Uuid, Error> {
    let sql = "UPDATE orders SET changes = changes + 1 WHERE id = $1 RETURNING changes - 1";
    let number: i64 = transaction.query_one(sql, &[&order]).await?.get(0);
    let message =
        Message::builder("order.changed", "order", order).payload(number.to_string(), "text/plain").build()?;
    Outbox::new().enqueue(transaction, std::slice::from_ref(&message)).await?;
    Ok(message.id.0)
}

/// Changes orders until `enough` says so, and goes on with a new connection when one is lost. Returns what was confirmed.
pub(super) async fn persist(database: Database, enough: impl Fn() -> bool) -> Vec<Uuid> {
    let mut confirmed = Vec::new();
    let mut client = database.connect_at_last().await;
    while !enough() {
        match tokio::time::timeout(Duration::from_secs(5), change(&mut client)).await {
            Ok(Ok(id)) => confirmed.extend(id),
            // Whether it was committed is not known. The database knows.
            _ => client = database.connect_at_last().await,
        }
    }
    confirmed
}
