//! What becomes of a document that has no position yet.

use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};

use super::super::codec::{self, Row, date};
use super::super::options::Options;
use crate::journal::partition_of;
use crate::message::{Limits, MessageId};

/// Instead of a position: delivered by whoever came before Posthaste.
const ADOPTED: i64 = 0;

/// Instead of a position: cannot be a message.
pub(in crate::stores::mongodb) const REFUSED: i64 = -1;

/// Where a document belongs.
pub(super) enum Place {
    /// In the journal, with the id it gets where `_id` does not tell.
    Message(Box<Row>, Option<MessageId>),
    /// Outside: it was delivered already.
    Done(Box<Row>),
    /// Outside: it cannot be a message, for this reason.
    Refused(Box<Row>, String),
}

/// What is written into a document.
pub(super) struct Update {
    id: Bson,
    set: Document,
    /// The document with nothing but its `_id`, where that is no value that we could ask for.
    pub(super) written_id: Option<RawDocumentBuf>,
}

impl Update {
    pub(super) fn change(&self) -> Document {
        doc! { "$set": self.set.clone() }
    }

    /// As one of many.
    pub(super) fn statement(self) -> Document {
        doc! { "q": { "_id": self.id }, "u": { "$set": self.set } }
    }
}

impl Place {
    pub(super) fn of(row: Row, options: &Options) -> Self {
        if row.by_library && row.damage.is_none() {
            return Self::Message(Box::new(row), None);
        }
        if row.is_processed || row.status.as_deref() == Some(options.status.published.as_str()) {
            return Self::Done(Box::new(row));
        }
        if let Some(why) = refusal(&row) {
            return Self::Refused(Box::new(row), why);
        }
        let id = if row.message.id.0.is_nil() { Some(MessageId::generate()) } else { given(&row) };
        Self::Message(Box::new(row), id)
    }

    /// The update that puts the document there. Messages take the `next` number.
    pub(super) fn update(self, next: &mut i64, partitions: u16, now: i64, options: &Options) -> Update {
        let (row, set) = match self {
            Self::Message(mut row, given) => {
                *next += 1;
                row.message.id = given.unwrap_or(row.message.id);
                let set = numbered(&row, given, *next, partitions, now);
                (row, set)
            }
            Self::Done(row) => {
                let set = outside(&row, doc! { "seq": ADOPTED });
                (row, set)
            }
            Self::Refused(row, why) => {
                let set = refused(&row, &why, options);
                (row, set)
            }
        };
        Update { id: row.id, set, written_id: row.written_id }
    }
}

/// Why a document cannot be a message. As strict as the other stores are with what comes by plain SQL: what orders and routes a message
/// must make sense.
pub(in crate::stores::mongodb) fn refusal(row: &Row) -> Option<String> {
    let limits = Limits { name_bytes: 1_000, ..Limits::default() };
    row.damage.clone().or_else(|| limits.check(&row.message).err().map(|invalid| invalid.to_string()))
}

fn given(row: &Row) -> Option<MessageId> {
    row.id_is_given.then_some(row.message.id)
}

fn numbered(row: &Row, given: Option<MessageId>, seq: i64, partitions: u16, now: i64) -> Document {
    let mut set = doc! {
        "posthaste.seq": seq,
        "posthaste.partition": i64::from(partition_of(&row.message, partitions).number()),
        "posthaste.at": date(now),
    };
    if !row.by_library {
        set.insert("posthaste.key", row.message.key.as_deref().map_or(Bson::Null, Bson::from));
    }
    if let Some(id) = given {
        set.insert("posthaste.id", codec::uuid(id));
    }
    set
}

/// What is ours in a document that stays outside: beside what is there, or in its place if it cannot be beside it.
fn outside(row: &Row, own: Document) -> Document {
    if row.is_in_the_way {
        return doc! { "posthaste": own };
    }
    own.into_iter().map(|(name, value)| (format!("posthaste.{name}"), value)).collect()
}

fn refused(row: &Row, why: &str, options: &Options) -> Document {
    let mut set = outside(row, doc! { "seq": REFUSED, "refused": why });
    if options.stamp_status {
        set.insert(&options.fields.status, &options.status.failed);
        set.insert(&options.fields.last_error, why);
    }
    set
}
