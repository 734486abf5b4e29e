//! The domain kit on `rusqlite`, which blocks: the same words without `async`.
//!
//! ```
//! use posthaste::domain::{Events, blocking::UnitOfWork};
//! # use posthaste::domain::{Aggregate, blocking::Persist};
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

use std::fmt;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::Aggregate;
use super::changes::Changes;
use super::drivers::number;
use super::drivers::sqlite::{self, tenant};
use super::event::DomainEvent;
use super::inbox::{Inbox, Receipt};
use crate::error::Result;
use crate::journal::{Enqueued, Position};
use crate::message::{MessageId, OrderKey, Text};
use crate::relay::Waker;
use crate::stores::sqlite::enqueue;

#[cfg(feature = "handlers")]
pub use self::transactional::Transactional;

#[cfg(feature = "handlers")]
mod transactional;

/// How an application writes the state of one aggregate. See [`Persist`](super::Persist).
pub trait Persist: Aggregate {
    type Error;

    fn persist(&self, transaction: &Transaction<'_>) -> Result<(), Self::Error>;
}

/// A transaction with the aggregates that are saved in it. See [`UnitOfWork`](super::UnitOfWork).
#[must_use = "dropping a unit of work rolls it back"]
pub struct UnitOfWork<'a, 'c> {
    transaction: Transaction<'c>,
    changes: Changes<'a>,
}

impl<'a, 'c> UnitOfWork<'a, 'c> {
    /// Begins a transaction that takes the lock first, so that it never has to give up half-way.
    pub fn begin(connection: &'c mut Connection) -> Result<Self> {
        Ok(Self::new(connection.transaction_with_behavior(TransactionBehavior::Immediate)?))
    }

    pub fn new(transaction: Transaction<'c>) -> Self {
        Self { transaction, changes: Changes::default() }
    }

    /// For events that name no tenant.
    pub fn tenant(mut self, tenant: impl Into<Text>) -> Self {
        self.changes.set_tenant(tenant);
        self
    }

    /// For events that name no user.
    pub fn user(mut self, user: impl Into<Text>) -> Self {
        self.changes.set_user(user);
        self
    }

    /// For events that name no correlation id.
    pub fn correlation_id(mut self, correlation_id: impl Into<Text>) -> Self {
        self.changes.set_correlation_id(correlation_id);
        self
    }

    /// A relay in this process that is to look at once after the commit; others find out by themselves.
    pub fn waking(mut self, waker: &Waker) -> Self {
        self.changes.wake(waker.clone());
        self
    }

    /// Writes the state of an aggregate now, and its events with the commit.
    pub fn save<A: Persist>(&mut self, aggregate: &'a A) -> Result<(), A::Error> {
        aggregate.persist(&self.transaction)?;
        self.changes.add(aggregate);
        Ok(())
    }

    /// Takes the events of an aggregate whose state is written by other means.
    pub fn record(&mut self, aggregate: &'a (impl Aggregate + ?Sized)) {
        self.changes.add(aggregate);
    }

    /// Takes note of an event that no aggregate keeps: for applications without aggregates.
    pub fn register<E: DomainEvent>(&mut self, event: E) {
        self.changes.register(event);
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
            false => enqueue(&self.transaction, &messages)?,
        };
        self.transaction.commit()?;
        self.changes.committed();
        Ok(enqueued)
    }
}

impl fmt::Debug for UnitOfWork<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnitOfWork").field("changes", &self.changes).finish_non_exhaustive()
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
