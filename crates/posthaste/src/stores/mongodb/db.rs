//! The database and its collections.

use std::collections::HashMap;
use std::sync::Arc;

use mongodb::bson::raw::cstr;
use mongodb::bson::{Bson, Document, RawArrayBuf, RawDocument, RawDocumentBuf, doc, rawdoc};
use mongodb::{ClientSession, Collection, Cursor, Database, SessionCursor};

use super::codec::{corrupt, number};
use super::error;
use super::options::{Field, Options};
use super::retry::again;
use super::session_register::SessionRegister;
use crate::error::Result;

/// What may be left for the next time gives up after this.
const BRIEF_MS: i64 = 1_000;

/// The collections beside the one that applications write to.
pub(super) const OWN: [&str; 13] = [
    "outbox_state",
    "outbox_partitions",
    "outbox_destinations",
    "outbox_workers",
    "outbox_parked",
    "outbox_held_keys",
    "outbox_attempts",
    "outbox_chunks",
    "outbox_tokens",
    "outbox_audit",
    "outbox_keys",
    "outbox_sources",
    "outbox_jobs",
];

/// A database, and how it is used. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Db {
    pub(super) database: Database,
    pub(super) options: Arc<Options>,
    fields: Arc<HashMap<String, Field>>,
    pub(super) session_register: Arc<SessionRegister>,
    /// What applications write to.
    pub(super) events: Collection<RawDocumentBuf>,
    pub(super) state: Collection<Document>,
    pub(super) partitions: Collection<Document>,
    pub(super) destinations: Collection<Document>,
    pub(super) workers: Collection<Document>,
    pub(super) parked: Collection<Document>,
    pub(super) held_keys: Collection<Document>,
    pub(super) attempts: Collection<Document>,
    pub(super) chunks: Collection<Document>,
    pub(super) tokens: Collection<Document>,
    pub(super) audit: Collection<Document>,
    pub(super) jobs: Collection<Document>,
    pub(super) sources: Collection<Document>,
}

impl Db {
    pub(super) fn new(database: Database, options: Arc<Options>) -> Self {
        let fields = options.fields.all().into_iter().map(|(field, name)| (name.to_owned(), field)).collect();
        let own = |name| database.collection(name);
        Self {
            events: database.collection(&options.collection),
            state: own("outbox_state"),
            partitions: own("outbox_partitions"),
            destinations: own("outbox_destinations"),
            workers: own("outbox_workers"),
            parked: own("outbox_parked"),
            held_keys: own("outbox_held_keys"),
            attempts: own("outbox_attempts"),
            chunks: own("outbox_chunks"),
            tokens: own("outbox_tokens"),
            audit: own("outbox_audit"),
            jobs: own("outbox_jobs"),
            sources: own("outbox_sources"),
            options,
            fields: Arc::new(fields),
            session_register: Arc::default(),
            database,
        }
    }

    /// What a top-level name of a document stands for.
    pub(super) fn field(&self, name: &str) -> Option<Field> {
        self.fields.get(name).copied()
    }

    /// What nobody shall ask for without need: payloads can be large.
    pub(super) fn without_payload(&self) -> Document {
        doc! { &self.options.fields.payload: 0, &self.options.fields.headers: 0 }
    }

    /// Many updates in one request, in order, each by itself atomic; how many matched or were inserted. Within a transaction
    /// when a session is given.
    pub(super) async fn update_all(
        &self,
        collection: &str,
        updates: Vec<Document>,
        session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        self.write("update", collection, "updates", updates, session).await
    }

    /// One update of a document of the journal whose `_id` is nothing that a document of ours could hold.
    pub(super) async fn update_written(
        &self,
        written_id: &RawDocument,
        change: &Document,
        session: &mut ClientSession,
    ) -> Result<u64> {
        let mut update = RawDocumentBuf::new();
        update.append(cstr!("q"), written_id.to_owned());
        update.append(cstr!("u"), RawDocumentBuf::try_from(change).map_err(mongodb::error::Error::from)?);
        let mut updates = RawArrayBuf::new();
        updates.push(update);
        let command = rawdoc! { "update": self.options.collection.as_str(), "updates": updates };
        counted(&self.database.run_raw_command(command).session(session).await?)
    }

    /// Many updates in one request, outside of transactions, for which nobody waits long: where somebody's transaction is in the way, or
    /// the server is slow, the rest is left.
    pub(super) async fn update_briefly(&self, collection: &str, updates: Vec<Document>) -> Result<()> {
        let updates: Vec<Bson> = updates.into_iter().map(Bson::Document).collect();
        let concern = doc! { "w": "majority", "wtimeout": 30_000 };
        let command = doc! { "update": collection, "updates": updates, "writeConcern": concern, "maxTimeMS": BRIEF_MS };
        error::check_write(&self.database.run_command(command).await?)
    }

    /// Many deletes in one request.
    pub(super) async fn delete_all(
        &self,
        collection: &str,
        deletes: Vec<Document>,
        session: &mut ClientSession,
    ) -> Result<u64> {
        self.write("delete", collection, "deletes", deletes, Some(session)).await
    }

    async fn write(
        &self,
        verb: &str,
        collection: &str,
        list: &str,
        statements: Vec<Document>,
        session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        if statements.is_empty() {
            return Ok(0);
        }
        let statements: Vec<Bson> = statements.into_iter().map(Bson::Document).collect();
        let mut command = doc! { verb: collection, list: statements, "ordered": true };
        match session {
            Some(session) => counted(&self.database.run_command(command).session(session).await?),
            None => {
                command.insert("writeConcern", doc! { "w": "majority", "wtimeout": 30_000 });
                again!(async { counted(&self.database.run_command(command.clone()).await?) })
            }
        }
    }
}

/// How many documents a write was about.
fn counted(answer: &Document) -> Result<u64> {
    error::check_write(answer)?;
    number(answer, "n").and_then(|n| u64::try_from(n).ok()).ok_or_else(|| corrupt("a write was not counted"))
}

/// Everything that a query finds.
pub(super) async fn found(mut cursor: Cursor<Document>) -> Result<Vec<Document>> {
    let mut found = Vec::new();
    while cursor.advance().await? {
        found.push(Document::try_from(cursor.current()).map_err(mongodb::error::Error::from)?);
    }
    Ok(found)
}

/// Everything that a query with a session finds.
pub(super) async fn found_in(
    mut cursor: SessionCursor<Document>,
    session: &mut ClientSession,
) -> Result<Vec<Document>> {
    let mut found = Vec::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        found.push(one);
    }
    Ok(found)
}
