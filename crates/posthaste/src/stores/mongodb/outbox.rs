//! The application's side: messages written in its own transaction.

use std::sync::{Arc, OnceLock};

use mongodb::bson::Document;
use mongodb::options::{DatabaseOptions, ReadConcern, ReadPreference, SelectionCriteria};
use mongodb::{ClientSession, Collection, Database};

use self::known::Known;
pub use self::transaction::Transaction;
use super::codec::{chunks, document};
use super::{Options, partitions};
use crate::error::{Error, Kind, Result};
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

mod known;
mod lock_keys;
mod transaction;

/// Where an application writes: one collection, with its names of fields. Cheap to clone; make it once and keep it.
///
/// ```ignore
/// let outbox = Outbox::new();
/// let mut session = client.start_session().await?;
/// session.start_transaction().await?;
/// orders.insert_one(order).session(&mut session).await?;
/// outbox.enqueue(&mut session, &[message]).await?;
/// session.commit_transaction().await?;
/// ```
#[derive(Debug, Clone)]
pub struct Outbox {
    options: Arc<Options>,
    /// The database in which the journal was seen.
    seen_in: Arc<OnceLock<String>>,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Outbox {
    /// The outbox in the usual collection, `outbox_events`, of the database that the client's address names.
    pub fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// The outbox in another collection of the database that the client's address names.
    pub fn in_collection(name: impl Into<String>) -> Self {
        Self::with_options(Options { collection: name.into(), ..Options::default() })
    }

    /// The outbox of a store with these options: its database, its collection, its names of fields and statuses.
    pub fn with_options(options: Options) -> Self {
        Self::sharing(Arc::new(options))
    }

    pub(super) fn sharing(options: Arc<Options>) -> Self {
        Self { options, seen_in: Arc::default() }
    }

    /// Writes messages in the caller's transaction: they are delivered if it commits, and never were if it does not. A message
    /// whose origin or id is stored already is left out quietly. After an error the transaction is to be aborted; one with the
    /// label `TransientTransactionError`, or of the kind [`Unavailable`](crate::error::Kind::Unavailable), is to be tried again
    /// from its start, as always with MongoDB.
    ///
    /// The session may come from any client that reaches the database of the journal.
    pub async fn enqueue(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Enqueued> {
        Ok(count(&self.enqueue_each(session, messages).await?))
    }

    /// As [`Outbox::enqueue`]; for each message whether it was stored, or known before.
    pub(super) async fn enqueue_each(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Vec<bool>> {
        let writing = Writing::begin(messages);
        let stored = self.insert_new(session, messages).await;
        writing.tell(stored.as_deref().map(count));
        stored
    }

    async fn insert_new(&self, session: &mut ClientSession, messages: &[Message]) -> Result<Vec<bool>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let database = self.database(session)?;
        self.require_journal(&database).await?;
        let events: Collection<Document> = database.collection(&self.options.collection);
        let mut known = Known::load(&events, &self.options.fields, session, messages).await?;
        let stored: Vec<bool> = messages.iter().map(|message| known.take(message)).collect();
        let new = || messages.iter().zip(&stored).filter(|(_, is_new)| **is_new).map(|(message, _)| message);
        for chunk in new().flat_map(chunks::encode) {
            database.collection::<Document>("outbox_chunks").insert_one(chunk).session(&mut *session).await?;
        }
        let documents: Vec<Document> = new().map(|message| document::encode(message, &self.options)).collect();
        if !documents.is_empty() {
            events.insert_many(documents).session(&mut *session).await?;
        }
        Ok(stored)
    }

    /// The database of the journal, by the session's own client: a session is of no use to another one.
    fn database(&self, session: &ClientSession) -> Result<Database> {
        let client = session.client();
        let database = match &self.options.database {
            Some(name) => Some(client.database(name)),
            None => client.default_database(),
        };
        database.ok_or_else(|| {
            let text = "the client's address names no database: end it with /NAME, or give `database` in the options";
            Error::new(Kind::Invalid, text)
        })
    }

    /// A collection that is not there would be made by the first insert, without its indexes. Asked once.
    async fn require_journal(&self, database: &Database) -> Result<()> {
        if self.seen_in.get().is_some_and(|seen_in| seen_in == database.name()) {
            return Ok(());
        }
        self.options.check()?;
        let newest = DatabaseOptions::builder()
            .read_concern(ReadConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
            .build();
        partitions::require(&database.client().database_with_options(database.name(), newest)).await?;
        let _ = self.seen_in.set(database.name().to_owned());
        Ok(())
    }
}

fn count(stored: &[bool]) -> Enqueued {
    let new = stored.iter().filter(|stored| **stored).count();
    Enqueued { stored: new, duplicates: stored.len() - new }
}
