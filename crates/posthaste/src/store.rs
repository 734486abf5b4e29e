//! A store as programs use it: the engine's side, the operator's side, and the life of the store itself.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::{Error, Kind, Result};
use crate::inspect::{Inspect, Problem};
use crate::journal::{Hint, Journal, Position};
use crate::message::Message;

/// A kind of database that holds a journal. Opening one is each store's own function, because each needs other settings.
#[async_trait]
pub trait Store: Journal + Inspect {
    /// Creates the journal, or brings it up to date. Running it again changes nothing.
    async fn migrate(&self) -> Result<()>;

    /// What a person should know before a relay runs here.
    async fn check(&self) -> Result<Vec<Problem>> {
        Ok(Vec::new())
    }

    /// Writes all messages in one transaction of its own, for programs that have none. Says of each whether it was stored, or
    /// known before by its origin.
    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>>;

    /// Notices what is written from now on. Each worker has a watcher of its own.
    fn watch(&self) -> Box<dyn Watch>;

    /// Takes a journal over whose database is another one than it was, or went back in time.
    async fn accept(&self) -> Result<()> {
        Err(Error::new(Kind::Invalid, "this kind of store need not be accepted: leave --accept-store out"))
    }
}

/// Notices that something was written. Only a hint: everything works without it, more slowly.
#[async_trait]
pub trait Watch: fmt::Debug + Send {
    /// Waits for something new since the last call, `timeout` at most.
    async fn wait(&mut self, timeout: Duration) -> Result<Hint>;

    /// The journal was advanced to here: what lies before it is no news to this worker.
    fn saw(&mut self, _newest: Position) {}
}
