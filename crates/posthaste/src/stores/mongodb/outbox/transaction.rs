//! A transaction of an application, with the outbox that it writes to.

use mongodb::{ClientSession, Database};

use super::super::store_transaction;
use super::Outbox;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;

/// A session with a transaction open on it, and the outbox it writes to. Dropping it rolls it back, at some time after that;
/// [`Transaction::rollback`] does so at once.
#[derive(Debug)]
pub struct Transaction {
    outbox: Outbox,
    session: ClientSession,
    database: Database,
}

impl Outbox {
    /// For a session that has a transaction open already. It may come from any client that reaches the database of the journal.
    pub fn in_session(&self, session: ClientSession) -> Result<Transaction> {
        Ok(Transaction { database: self.database(&session)?, outbox: self.clone(), session })
    }
}

impl Transaction {
    /// What the application's own statements take: `collection.insert_one(…).session(transaction.session())`.
    pub fn session(&mut self) -> &mut ClientSession {
        &mut self.session
    }

    /// The database of the journal, by the session's own client: a session is of no use to another one.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The collection in which an inbox keeps what it has seen.
    pub(crate) fn inbox(&self) -> &str {
        &self.outbox.options.inbox
    }

    /// Writes messages in this transaction, as [`Outbox::enqueue`] does.
    pub async fn enqueue(&mut self, messages: &[Message]) -> Result<Enqueued> {
        self.outbox.enqueue(&mut self.session, messages).await
    }

    /// Commits. Asks again, for a while, when it is not known whether the commit happened: the answer stays the same.
    pub async fn commit(mut self) -> Result<()> {
        store_transaction::commit(&mut self.session).await
    }

    /// Undoes everything at once.
    pub async fn rollback(mut self) -> Result<()> {
        Ok(self.session.abort_transaction().await?)
    }
}
