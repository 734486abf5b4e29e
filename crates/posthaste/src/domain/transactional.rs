//! Handlers whose effect happens exactly once.
//!
//! The effect and its mark in the inbox are one transaction; the lane's cursor follows. If the process dies in between, the
//! message arrives again and the mark says that it is done. So the effect is in the database once, whatever crashes, and also if
//! a worker that lost its lease without noticing does the same work as its successor.

use std::fmt;
use std::future::Future;

use async_trait::async_trait;

use super::connection::{Begin, Connection, Transaction};
use super::inbox::Inbox;
use crate::message::Message;
use crate::sink::Error;
use crate::sinks::handlers::{Context, Handler};

/// What a transactional handler does, on a connection `C` with a transaction open on it.
pub trait Effect<C>: Send + Sync {
    /// The name of the handler, and of the consumer in the inbox. It stays: a renamed handler is a new one.
    fn name(&self) -> &str;

    /// Writes to `connection` and to nothing else. An error rolls back.
    fn apply(
        &self,
        connection: &mut C,
        ctx: &Context,
        message: &Message,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

type ConnectionOf<P> = <<P as Begin>::Transaction as Transaction>::Connection;

/// A handler that applies an [`Effect`] once per message. Its tables are made by [`Transactional::prepare`].
pub struct Transactional<P, E> {
    pool: P,
    effect: E,
    inbox: Inbox,
}

impl<P, E> Transactional<P, E>
where
    P: Begin,
    E: Effect<ConnectionOf<P>>,
{
    /// Of the database that `pool` leads to, which need not be the one with the journal.
    pub fn new(pool: P, effect: E) -> Self {
        let inbox = Inbox::new(effect.name());
        Self { pool, effect, inbox }
    }

    /// Keeps the tables of the inbox in this schema: see [`Inbox::in_schema`].
    #[must_use]
    pub fn in_schema(mut self, schema: impl Into<String>) -> Self {
        self.inbox = self.inbox.in_schema(schema);
        self
    }

    async fn apply_once(
        &self,
        connection: &mut ConnectionOf<P>,
        ctx: &Context,
        message: &Message,
    ) -> Result<(), Error> {
        let receipt = self.inbox.receipt(message.id, None);
        if connection.receive(&receipt).await.map_err(verdict)? {
            self.effect.apply(connection, ctx, message).await?;
            // After the effect, because it fails if the effect has passed over an error with which the database gave the whole
            // transaction up: a commit would then be none, and say nothing.
            connection.expire(&receipt).await.map_err(verdict)?;
        }
        Ok(())
    }

    /// Makes the tables of the inbox, unless they are there.
    pub async fn prepare(&self) -> crate::Result<()> {
        let mut transaction = self.pool.begin_transaction().await?;
        self.inbox.prepare(transaction.connection()).await?;
        transaction.commit().await
    }
}

#[async_trait]
impl<P, E> Handler for Transactional<P, E>
where
    P: Begin,
    E: Effect<ConnectionOf<P>>,
{
    fn name(&self) -> &str {
        self.effect.name()
    }

    async fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error> {
        let mut transaction = self.pool.begin_transaction().await.map_err(verdict)?;
        match self.apply_once(transaction.connection(), ctx, message).await {
            Ok(()) => transaction.commit().await.map_err(verdict),
            Err(error) => {
                // It is gone anyway when the transaction is; the error at hand is the one that matters.
                let _ = transaction.rollback().await;
                Err(error)
            }
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.pool.begin_transaction().await.map(drop).map_err(verdict)
    }
}

/// A database that cannot be reached is an outage; anything else may go away by itself.
pub(super) fn verdict(error: crate::Error) -> Error {
    if error.is_temporary() { Error::unreachable(error) } else { Error::retry(error) }
}

impl<P, E> fmt::Debug for Transactional<P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transactional").field("inbox", &self.inbox).finish_non_exhaustive()
    }
}
