//! What every store must do: one named test per guarantee.
//!
//! A store implements [`StoreUnderTest`], and [`store_suite!`](crate::store_suite) makes a test of each guarantee. A store
//! passes all of them or does not ship; a server that is missing is a failure, never a skip. Time is the store's own, so
//! leases and delays are short, and every wait is for a condition with a deadline.

use std::sync::Arc;

use async_trait::async_trait;

use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::store::Store;

pub use self::fixture::Fixture;

pub mod auditing;
pub mod commits;
mod fixture;
pub mod jobs;
pub mod leases;
pub mod lifecycle;
mod list;
pub mod listing;
mod making;
pub mod operating;
pub mod parking;
pub mod pausing;
pub mod purging;
pub mod reading;
pub mod registering;
pub mod reporting;
pub mod round_trips;
pub mod settling;
pub mod sourcing;
pub mod writing;

/// A fresh, empty store with at least eight partitions and no destinations, gone when dropped.
#[async_trait]
pub trait StoreUnderTest: Send + Sync + 'static {
    /// The store itself, always the same one.
    fn store(&self) -> Arc<dyn Store>;

    /// Opens the same store once more, as another process does when it starts: migrations run again.
    async fn reopen(&self) -> Result<Arc<dyn Store>>;

    /// Writes messages in a transaction of an application and leaves it open.
    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>>;

    /// The largest payload that the server of the test takes, in bytes.
    fn largest_payload(&self) -> u32 {
        16 << 20
    }

    /// Writes messages in one committed transaction of an application.
    async fn write(&self, messages: Vec<Message>) -> Result<Enqueued> {
        self.begin(messages).await?.commit().await
    }
}

/// An application's transaction with messages in it.
#[async_trait]
pub trait OpenTransaction: Send {
    /// Commits, and returns what was stored and what was a repeat.
    async fn commit(self: Box<Self>) -> Result<Enqueued>;

    /// Rolls back: nothing of it is stored.
    async fn roll_back(self: Box<Self>) -> Result<()>;
}
