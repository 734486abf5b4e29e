//! The domain kit on `rusqlite`, which blocks: the same [`UnitOfWork`] and [`Inbox`], without `async`.
//!
//! ```
//! use posthaste::domain::blocking::Persist;
//! use posthaste::domain::{Aggregate, Events, UnitOfWork};
//!
//! # struct Customer { id: i64, email: String, events: Events }
//! # impl Aggregate for Customer { fn events(&self) -> &Events { &self.events } }
//! # fn example(db: &mut rusqlite::Connection, customer: &Customer) -> Result<(), Box<dyn std::error::Error>> {
//! let mut unit = UnitOfWork::begin(db)?;
//! unit.save(customer)?;
//! unit.commit()?;
//! # Ok(()) }
//!
//! impl Persist for Customer {
//!     type Error = rusqlite::Error;
//!
//!     fn persist(&self, tx: &rusqlite::Transaction<'_>) -> Result<(), rusqlite::Error> {
//!         tx.execute("INSERT INTO customers (id, email) VALUES (?1, ?2)", (self.id, &self.email)).map(drop)
//!     }
//! }
//! ```

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::Aggregate;
use super::connection::HasOutbox;
use super::drivers::number;
use super::drivers::sqlite::{self, tenant};
use super::inbox::{Inbox, Receipt};
use super::unit_of_work::UnitOfWork;
use crate::error::Result;
use crate::journal::{Enqueued, Position};
use crate::message::{MessageId, OrderKey};
use crate::stores::sqlite::Outbox;

#[cfg(feature = "handlers")]
pub use self::transactional::Transactional;

#[cfg(feature = "handlers")]
mod transactional;

/// How an application writes the state of one aggregate. See [`Persist`](super::Persist).
pub trait Persist: Aggregate {
    /// What the application's statements fail with.
    type Error;

    /// Writes the state.
    fn persist(&self, transaction: &Transaction<'_>) -> Result<(), Self::Error>;
}

impl HasOutbox for Transaction<'_> {
    type Outbox = Outbox;
}

impl<'a, 'c> UnitOfWork<'a, Transaction<'c>> {
    /// Begins a transaction that takes the lock first, so that it never has to give up half-way.
    pub fn begin(connection: &'c mut Connection) -> Result<Self> {
        Ok(Self::new(connection.transaction_with_behavior(TransactionBehavior::Immediate)?))
    }

    /// Writes the state of an aggregate now, and its events with the commit.
    pub fn save<A: Persist>(&mut self, aggregate: &'a A) -> Result<(), A::Error> {
        aggregate.persist(&self.transaction)?;
        self.changes.add(aggregate);
        Ok(())
    }

    /// For whatever else belongs into the transaction.
    pub fn transaction(&self) -> &Transaction<'c> {
        &self.transaction
    }

    /// Writes the events and commits. After an error every aggregate still has its events, under the same ids.
    pub fn commit(self) -> Result<Enqueued> {
        let messages = self.changes.messages()?;
        let enqueued = match messages.is_empty() {
            true => Enqueued::default(),
            false => self.outbox.enqueue(&self.transaction, &messages)?,
        };
        self.transaction.commit()?;
        self.changes.committed();
        Ok(enqueued)
    }
}

impl Inbox {
    /// As [`Inbox::prepare`].
    pub fn prepare_blocking(&self, connection: &Connection) -> Result<()> {
        Ok(connection.execute_batch(&sqlite::in_schema(sqlite::PREPARE, self.schema()))?)
    }

    /// As [`Inbox::once`].
    pub fn once_blocking(&self, transaction: &Transaction<'_>, message: MessageId) -> Result<bool> {
        receive(transaction, &self.receipt(message, None))
    }

    /// As [`Inbox::once_in_order`].
    pub fn once_in_order_blocking(
        &self,
        transaction: &Transaction<'_>,
        message: MessageId,
        key: &OrderKey,
        position: Position,
    ) -> Result<bool> {
        receive(transaction, &self.receipt(message, Some((key, position))))
    }

    /// As [`Inbox::forget`].
    pub fn forget_blocking(&self, connection: &Connection, message: MessageId) -> Result<()> {
        let receipt = self.receipt(message, None);
        connection.execute(
            &sqlite::in_schema(sqlite::FORGET, receipt.schema),
            params![receipt.consumer, message.to_string()],
        )?;
        Ok(())
    }
}

fn receive(transaction: &Transaction<'_>, receipt: &Receipt<'_>) -> Result<bool> {
    let mut mark = transaction.prepare_cached(&sqlite::in_schema(sqlite::RECEIVE, receipt.schema))?;
    if mark.execute(params![receipt.consumer, receipt.message.to_string(), sqlite::now()])? == 0 {
        return Ok(false);
    }
    let mut expired = transaction.prepare_cached(&sqlite::in_schema(sqlite::EXPIRE, receipt.schema))?;
    expired.execute(params![receipt.consumer, sqlite::expiry(receipt)])?;
    let Some((key, position)) = receipt.order else { return Ok(true) };
    let mut newest = transaction.prepare_cached(&sqlite::in_schema(sqlite::RECEIVE_IN_ORDER, receipt.schema))?;
    let moved = newest.execute(params![
        receipt.consumer,
        tenant(key),
        key.key.as_str(),
        number(position.tick),
        number(position.seq),
    ])?;
    Ok(moved == 1)
}
