//! A transaction of an application, with the outbox that it writes to.

use mongodb::{ClientSession, Database};

use super::{MongoDb, session};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;

/// A session with a transaction open on it, and the store it writes to. Dropping it rolls it back, at some time after that;
/// [`Transaction::rollback`] does so at once.
#[derive(Debug)]
pub struct Transaction {
    store: MongoDb,
    session: ClientSession,
}

impl MongoDb {
    /// Begins a transaction by the store's own client, with the concerns that an outbox needs: snapshot and majority.
    pub async fn begin(&self) -> Result<Transaction> {
        Ok(self.in_session(session::start(self.db()).await?))
    }

    /// For a session that has a transaction open already. It may come from any client that reaches the same database.
    pub fn in_session(&self, session: ClientSession) -> Transaction {
        Transaction { store: self.clone(), session }
    }
}

impl Transaction {
    /// What the application's own statements take: `collection.insert_one(…).session(transaction.session())`.
    pub fn session(&mut self) -> &mut ClientSession {
        &mut self.session
    }

    /// The store's database, by the session's own client: a session is of no use to another one.
    pub fn database(&self) -> Database {
        self.session.client().database(self.store.db().database.name())
    }

    /// As [`MongoDb::enqueue`].
    pub async fn enqueue(&mut self, messages: &[Message]) -> Result<Enqueued> {
        self.store.enqueue(&mut self.session, messages).await
    }

    /// Asks again, for a while, when it is not known whether the commit happened: the answer stays the same.
    pub async fn commit(mut self) -> Result<()> {
        session::commit(&mut self.session).await
    }

    pub async fn rollback(mut self) -> Result<()> {
        Ok(self.session.abort_transaction().await?)
    }
}
