//! Several aggregates, one transaction, all of their events in order.

use std::fmt;
use std::future::Future;

use super::Aggregate;
use super::changes::Changes;
use super::connection::{HasOutbox, Transaction};
use super::event::DomainEvent;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Text;
use crate::relay::Waker;

/// How an application writes the state of one aggregate: its own statements, on a connection `C` of its own driver
/// (`sqlx::PgConnection`, `sqlx::SqliteConnection`, …).
pub trait Persist<C>: Aggregate {
    /// What the application's statements fail with.
    type Error;

    /// Writes the state. To find out that somebody else was faster, compare [`Events::version`](super::Events::version) in the
    /// statement and call [`Events::check_version`](super::Events::check_version) on what it affected.
    fn persist(&self, connection: &mut C) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A transaction with the aggregates that are saved in it.
///
/// ```ignore
/// let mut unit = UnitOfWork::new(pool.begin().await?);
/// unit.save(&customer).await?;
/// unit.save(&account).await?;
/// unit.commit().await?;
/// ```
///
/// An aggregate that was saved can be looked at, but not changed, until the unit of work has ended. Dropping the unit of work rolls
/// it back; the aggregates keep their events, and may be saved by another one.
///
/// With `rusqlite` the same methods block: see [`blocking`](super::blocking).
#[must_use = "dropping a unit of work rolls it back"]
pub struct UnitOfWork<'a, T: HasOutbox> {
    pub(super) transaction: T,
    pub(super) outbox: T::Outbox,
    pub(super) changes: Changes<'a>,
}

impl<'a, T: HasOutbox> UnitOfWork<'a, T> {
    /// Saves with a transaction that was begun already. The events go to the usual outbox of its database.
    pub fn new(transaction: T) -> Self {
        Self { transaction, outbox: T::Outbox::default(), changes: Changes::default() }
    }

    /// Writes the events to this outbox: one in another schema than the usual one.
    pub fn outbox(mut self, outbox: &T::Outbox) -> Self {
        self.outbox = outbox.clone();
        self
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

    /// Takes the events of an aggregate whose state is written by other means.
    pub fn record(&mut self, aggregate: &'a (impl Aggregate + ?Sized)) {
        self.changes.add(aggregate);
    }

    /// Takes note of an event that no aggregate keeps: for applications without aggregates.
    pub fn register<E: DomainEvent>(&mut self, event: E) {
        self.changes.register(event);
    }
}

impl<'a, T: Transaction> UnitOfWork<'a, T> {
    /// Writes the state of an aggregate now, and its events with the commit.
    pub async fn save<A: Persist<T::Connection>>(&mut self, aggregate: &'a A) -> Result<(), A::Error> {
        aggregate.persist(self.transaction.connection()).await?;
        self.changes.add(aggregate);
        Ok(())
    }

    /// For whatever else belongs into the transaction.
    pub fn connection(&mut self) -> &mut T::Connection {
        self.transaction.connection()
    }

    /// Writes the events and commits. After an error nothing is written (or, if the answer to the commit was lost, maybe all of
    /// it), and every aggregate still has its events, under the same ids.
    pub async fn commit(mut self) -> Result<Enqueued> {
        let messages = self.changes.messages()?;
        let enqueued = match messages.is_empty() {
            true => Enqueued::default(),
            false => self.transaction.enqueue(&self.outbox, &messages).await?,
        };
        self.transaction.commit().await?;
        self.changes.committed();
        Ok(enqueued)
    }

    /// Undoes it at once; dropping a unit of work does so at some time.
    pub async fn rollback(self) -> Result<()> {
        self.transaction.rollback().await
    }
}

impl<T: HasOutbox> fmt::Debug for UnitOfWork<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnitOfWork").field("changes", &self.changes).finish_non_exhaustive()
    }
}
