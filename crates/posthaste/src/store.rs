//! A store as programs use it: the engine's side, the operator's side, and the life of the store itself.
//!
//! The guarantees below are tests of the store suite (`conformance::store_suite`), in the module that is named with each verb.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::{Error, Kind, Result};
use crate::inspect::{Inspect, Problem};
use crate::journal::{Hint, Journal, Position};
use crate::message::Message;

/// A kind of database that holds a journal. Opening one is each store's own function, because each needs other settings.
///
/// ```text
///   open (each store's own) ─► migrate ─► check ─► Relay::builder(store) … run
///                                            └───► write, and everything of Inspect
/// ```
#[async_trait]
pub trait Store: Journal + Inspect {
    /// Makes the journal, or brings it up to date. Running it again, or from several processes at once, changes nothing more; a
    /// journal that is newer than this library is refused as [`Kind::Schema`] and left as it is.
    ///
    /// Suite: `lifecycle::migrating_again_changes_nothing`.
    async fn migrate(&self) -> Result<()>;

    /// What a person should know before a relay runs here. A problem that refuses is one that would lose or reorder messages; the
    /// others cost something. A journal that was just made has none that refuses.
    ///
    /// Suite: `lifecycle::a_journal_that_was_just_made_refuses_no_relay`.
    async fn check(&self) -> Result<Vec<Problem>> {
        Ok(Vec::new())
    }

    /// Writes all messages in one transaction of its own, for programs that have none. Says of each whether it was stored, or
    /// known before by its origin. After an error none of them is stored.
    ///
    /// Suite: `lifecycle::the_store_writes_by_itself_and_answers_for_each_message`.
    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>>;

    /// A new watcher, which notices what is written from now on. Each worker has one of its own, so that none takes away what
    /// another should notice.
    ///
    /// Suite: `lifecycle::each_watcher_notices_for_itself`.
    fn watch(&self) -> Box<dyn Watch>;

    /// Takes over a journal whose database is another one than it was, or went back in time, after a person has said so. Only for
    /// stores whose [`Store::check`] can refuse for this reason; the others answer that it is not needed.
    async fn accept(&self) -> Result<()> {
        Err(Error::new(Kind::Invalid, "this kind of store need not be accepted: leave --accept-store out"))
    }
}

/// Notices that something was written. Only a hint: everything works without it, more slowly.
#[async_trait]
pub trait Watch: fmt::Debug + Send {
    /// Waits for something new since the last call, `timeout` at most. [`Hint::Nothing`] is a promise: nothing that was committed
    /// before the call began is left unnoticed.
    ///
    /// Suite: `writing::a_write_is_hinted_at`, `writing::a_wait_ends_when_something_is_written_or_its_time_is_up`.
    async fn wait(&mut self, timeout: Duration) -> Result<Hint>;

    /// The journal was advanced to here: what lies before it is no news to this worker.
    fn saw(&mut self, _newest: Position) {}
}
