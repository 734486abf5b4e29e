//! An application: it changes orders, and writes an event about each change in the same transaction.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Transaction, TxOpts};
use posthaste::Message;
use posthaste::stores::mysql::Outbox;
use uuid::Uuid;

use super::database::Database;

/// How many orders there are; each is a key.
pub(super) const ORDERS: usize = 40;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Makes the table of orders.
pub(super) async fn open(database: &Database) {
    let mut connection = database.connect().await.unwrap();
    let table = "CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, changes BIGINT NOT NULL DEFAULT 0)";
    connection.query_drop(table).await.unwrap();
    let rows: Vec<String> = (0..ORDERS).map(|n| format!("('{n}')")).collect();
    connection.query_drop(format!("INSERT INTO orders (id) VALUES {}", rows.join(", "))).await.unwrap();
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
pub(super) async fn change(connection: &mut Conn) -> Result<Option<Uuid>, Error> {
    let mut transaction = connection.start_transaction(TxOpts::default()).await?;
    let id = write(&mut transaction, &random(ORDERS as u64).to_string()).await?;
    hold().await;
    if random(10) == 0 {
        transaction.rollback().await?;
        return Ok(None);
    }
    transaction.commit().await?;
    Ok(Some(id))
}

/// The change and the event. The row lock serialises the changes to an order.
pub(super) async fn write(transaction: &mut Transaction<'_>, order: &str) -> Result<Uuid, Error> {
    transaction.exec_drop("UPDATE orders SET changes = changes + 1 WHERE id = ?", (order,)).await?;
    let number: Option<i64> = transaction.exec_first("SELECT changes - 1 FROM orders WHERE id = ?", (order,)).await?;
    let number = number.unwrap_or_default().to_string();
    let message = Message::builder("order.changed", "order", order).payload(number, "text/plain").build()?;
    Outbox::new().enqueue(transaction, std::slice::from_ref(&message)).await?;
    Ok(message.id.0)
}

/// Changes orders until `enough` says so, and goes on with a new connection when one is lost. Returns what was confirmed.
pub(super) async fn persist(database: Database, enough: impl Fn() -> bool) -> Vec<Uuid> {
    let mut confirmed = Vec::new();
    let mut connection = database.connect_at_last().await;
    while !enough() {
        match tokio::time::timeout(Duration::from_secs(5), change(&mut connection)).await {
            Ok(Ok(id)) => confirmed.extend(id),
            // Whether it was committed is not known. The database knows.
            _ => connection = database.connect_at_last().await,
        }
    }
    confirmed
}
