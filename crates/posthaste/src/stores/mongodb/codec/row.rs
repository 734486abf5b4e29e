//! A document of the journal.

use std::sync::Arc;

use mongodb::bson::{self, Bson, RawDocument, RawDocumentBuf};

use super::super::db::Db;
use super::super::options::Field;
use super::mend::{Mended, mend};
use super::reading::Reading;
use super::{corrupt, position};
use crate::error::Result;
use crate::journal::{Entry, Partition};
use crate::message::{Message, Text};
use crate::rules::due;

/// A document of the journal, or one on its way into it.
#[derive(Debug, Clone)]
pub(in crate::stores::mongodb) struct Row {
    pub(in crate::stores::mongodb) id: Bson,
    pub(in crate::stores::mongodb) seq: i64,
    pub(in crate::stores::mongodb) partition: Partition,
    /// When it got its place.
    pub(in crate::stores::mongodb) at: i64,
    pub(in crate::stores::mongodb) message: Message,
    /// How many further documents its payload is in.
    pub(in crate::stores::mongodb) chunks: i64,
    /// The library wrote it, so its values were checked then.
    pub(in crate::stores::mongodb) by_library: bool,
    /// The server's logical clock when it was inserted, where the writer asked for it.
    pub(in crate::stores::mongodb) recorded_at: Option<bson::Timestamp>,
    pub(in crate::stores::mongodb) status: Option<Text>,
    /// Someone stamped it as done: `publishedAt` or `processedAt` has a value.
    pub(in crate::stores::mongodb) is_processed: bool,
    /// Its id is neither its `_id` nor made of it.
    pub(in crate::stores::mongodb) id_is_given: bool,
    /// Why it cannot be a message, whatever its values are.
    pub(in crate::stores::mongodb) damage: Option<String>,
    /// The document with nothing but its `_id`, where that is no value that we could ask for.
    pub(in crate::stores::mongodb) written_id: Option<RawDocumentBuf>,
    /// Something else stands where the sequencer writes.
    pub(in crate::stores::mongodb) is_in_the_way: bool,
}

impl Row {
    pub(in crate::stores::mongodb) fn entry(self, now: i64) -> Entry {
        let due_at = self.message.due_at.map(|at| at.as_millisecond());
        Entry {
            position: position(self.seq),
            partition: self.partition,
            message: Arc::new(self.message),
            due_in: due::scheduled_in(due_at, now),
        }
    }
}

/// Reads a document, whoever wrote it. What is missing or makes no sense is left empty: whether it can be a message at all is
/// decided once, by the sequencer.
pub(in crate::stores::mongodb) fn row(db: &Db, document: &RawDocument) -> Result<Row> {
    read(db, document).or_else(|damaged| {
        let mended = mend(document.as_bytes()).ok_or(damaged)?;
        let row = read(db, &mended.document)?;
        Ok(Row { damage: damage(db, &mended).or(row.damage), written_id: mended.written_id, ..row })
    })
}

fn read(db: &Db, document: &RawDocument) -> Result<Row> {
    let mut reading = Reading::new(db);
    for element in document {
        let (name, value) = element.map_err(|_| corrupt("a document of the journal is damaged"))?;
        match name.as_str() {
            "_id" => reading.id(value)?,
            "posthaste" => reading.own(value)?,
            name => {
                if let Some(field) = db.field(name) {
                    reading.field(field, value)?;
                }
            }
        }
    }
    Ok(reading.end())
}

/// What tells a message from others, routes or orders it has to be what was written. The rest is delivered as well as it can be.
fn damage(db: &Db, mended: &Mended) -> Option<String> {
    let matters = |name: &&String| match db.field(name) {
        Some(Field::Payload | Field::Headers | Field::Status | Field::LastError) => false,
        Some(_) => true,
        None => ["_id", "posthaste"].contains(&name.as_str()),
    };
    mended.changed.iter().find(matters).map(|name| format!("`{name}` is damaged, as a text is that is not UTF-8"))
}
