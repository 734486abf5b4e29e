//! What the domain kit asks of a database driver. `drivers/` has an implementation for each.

use std::future::Future;

use super::inbox::Receipt;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;

/// A connection of the application with a transaction open on it: what its own statements run on too.
pub trait Connection: Send {
    /// Makes the tables of the inbox, unless they are there: in this schema, or else where the application's tables are.
    fn prepare_inbox(&mut self, schema: Option<&str>) -> impl Future<Output = Result<()>> + Send;

    /// Notes that a message is being dealt with, and says whether it is for the first time. Of two transactions that note the same
    /// message, one waits for the other or fails: at most one commits with `true`.
    fn receive(&mut self, receipt: &Receipt<'_>) -> impl Future<Output = Result<bool>> + Send;

    /// Removes some marks of the consumer that have expired.
    fn expire(&mut self, receipt: &Receipt<'_>) -> impl Future<Output = Result<()>> + Send;

    /// Forgets that a consumer has seen a message.
    fn forget(&mut self, receipt: &Receipt<'_>) -> impl Future<Output = Result<()>> + Send;
}

/// A transaction in which messages can be written.
pub trait HasOutbox {
    /// Says which outbox of the database they are written to, where there may be several. The default is the usual one.
    type Outbox: Clone + Default + Send + Sync;
}

/// A transaction of the application, as its driver has it. Dropping it rolls it back.
pub trait Transaction: HasOutbox + Send {
    /// What statements run on while the transaction is open.
    type Connection: Connection;

    /// The connection, for statements within the transaction.
    fn connection(&mut self) -> &mut Self::Connection;

    /// Writes messages to the outbox.
    fn enqueue(&mut self, outbox: &Self::Outbox, messages: &[Message])
    -> impl Future<Output = Result<Enqueued>> + Send;

    /// Makes all of it last. After an error nothing lasts or, if the answer was lost, maybe all of it.
    fn commit(self) -> impl Future<Output = Result<()>> + Send;

    /// Undoes all of it.
    fn rollback(self) -> impl Future<Output = Result<()>> + Send;
}

/// Where transactions come from: a pool.
pub trait Begin: Send + Sync {
    /// What it begins.
    type Transaction: Transaction;

    /// Begins a transaction.
    fn begin_transaction(&self) -> impl Future<Output = Result<Self::Transaction>> + Send;
}
