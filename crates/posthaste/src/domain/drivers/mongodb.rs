//! MongoDB by its own driver.

use std::time::Duration;

use mongodb::bson::{Bson, Document, Uuid, doc};
use mongodb::options::IndexOptions;
use mongodb::{Collection, IndexModel};

use super::number;
use crate::domain::connection::{Begin, Connection, HasOutbox};
use crate::domain::inbox::Receipt;
use crate::error::{Error, Kind, Result};
use crate::journal::{Enqueued, Position};
use crate::message::{Message, MessageId, OrderKey};
use crate::stores::mongodb::{MongoDb, Transaction, ensure_collection};

impl Connection for Transaction {
    /// Not part of the transaction: MongoDB makes collections and indexes outside of it.
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        check_schema(schema)?;
        let (marks, order) = (marks(self), order(self));
        ensure_collection(self.database(), marks.name()).await?;
        ensure_collection(self.database(), order.name()).await?;
        let at_its_time = IndexOptions::builder().expire_after(Duration::ZERO).build();
        let expiry = IndexModel::builder().keys(doc! { "expireAt": 1 }).options(at_its_time).build();
        marks.create_index(expiry).await?;
        Ok(())
    }

    /// Of two transactions that note the same message at once, one fails with an error that is temporary.
    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        check_schema(receipt.schema)?;
        let expiry = doc! { "$add": ["$$NOW", i64::try_from(receipt.retention.as_millis()).unwrap_or(i64::MAX)] };
        // A mark that is there stays as it is.
        let first = doc! {
            "seenAt": { "$ifNull": ["$seenAt", "$$NOW"] },
            "expireAt": { "$ifNull": ["$expireAt", expiry] },
        };
        let mark = doc! { "_id": mark(receipt.consumer, receipt.message) };
        let marks = marks(self);
        let marking = marks.update_one(mark, vec![doc! { "$set": first }]).upsert(true);
        if marking.session(self.session()).await?.upserted_id.is_none() {
            return Ok(false);
        }
        match receipt.order {
            Some((key, position)) => advance(self, receipt.consumer, key, position).await,
            None => Ok(true),
        }
    }

    /// The server does so by itself, by the index on `expireAt`.
    async fn expire(&mut self, _: &Receipt<'_>) -> Result<()> {
        Ok(())
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        check_schema(receipt.schema)?;
        let mark = doc! { "_id": mark(receipt.consumer, receipt.message) };
        marks(self).delete_one(mark).session(self.session()).await?;
        Ok(())
    }
}

/// A transaction knows the collections of its store.
impl HasOutbox for Transaction {
    type Outbox = ();
}

impl crate::domain::connection::Transaction for Transaction {
    type Connection = Self;

    fn connection(&mut self) -> &mut Self {
        self
    }

    async fn enqueue(&mut self, (): &(), messages: &[Message]) -> Result<Enqueued> {
        Transaction::enqueue(self, messages).await
    }

    async fn commit(self) -> Result<()> {
        Transaction::commit(self).await
    }

    async fn rollback(self) -> Result<()> {
        Transaction::rollback(self).await
    }
}

impl Begin for MongoDb {
    type Transaction = Transaction;

    async fn begin_transaction(&self) -> Result<Transaction> {
        self.begin().await
    }
}

/// MongoDB has no schemas: the options of the store name the collection of the inbox.
fn check_schema(schema: Option<&str>) -> Result<()> {
    let text = "an inbox in MongoDB is in no schema: leave `in_schema` out, and name its collection in the options";
    schema.map_or(Ok(()), |_| Err(Error::new(Kind::Invalid, text)))
}

/// Moves a key's newest position forwards, and says whether it moved. Reads first, because an insert that meets another one would
/// end the transaction.
async fn advance(transaction: &mut Transaction, consumer: &str, key: &OrderKey, position: Position) -> Result<bool> {
    let order = order(transaction);
    let tenant = key.tenant.as_deref().unwrap_or_default();
    let key = doc! { "_id": { "consumer": consumer, "tenant": tenant, "key": key.key.as_str() } };
    let place = (number(position.tick), number(position.seq));
    let newest = order.find_one(key.clone()).session(transaction.session()).await?;
    let newest = newest.map(|newest| (newest.get_i64("tick").unwrap_or(0), newest.get_i64("seq").unwrap_or(0)));
    if newest.is_some_and(|newest| newest >= place) {
        return Ok(false);
    }
    let update = doc! { "$set": { "tick": place.0, "seq": place.1 } };
    order.update_one(key, update).upsert(true).session(transaction.session()).await?;
    Ok(true)
}

/// Which messages each consumer has seen.
fn marks(transaction: &Transaction) -> Collection<Document> {
    transaction.database().collection(transaction.inbox())
}

/// The newest position that each consumer has seen of each key.
fn order(transaction: &Transaction) -> Collection<Document> {
    transaction.database().collection(&format!("{}_order", transaction.inbox()))
}

fn mark(consumer: &str, message: MessageId) -> Bson {
    doc! { "consumer": consumer, "message": Uuid::from_bytes(message.0.into_bytes()) }.into()
}
