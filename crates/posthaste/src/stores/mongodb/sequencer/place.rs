//! What becomes of a document that has no position yet.

use mongodb::bson::{Bson, Document, doc};

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
    Done(Bson),
    /// Outside: it cannot be a message, for this reason.
    Refused(Bson, String),
}

impl Place {
    pub(super) fn of(row: Row, options: &Options) -> Self {
        if row.by_library {
            return Self::Message(Box::new(row), None);
        }
        if row.is_processed || row.status.as_deref() == Some(options.status.published.as_str()) {
            return Self::Done(row.id);
        }
        if let Some(why) = refusal(&row) {
            return Self::Refused(row.id, why);
        }
        let id = if row.message.id.0.is_nil() { Some(MessageId::generate()) } else { given(&row) };
        Self::Message(Box::new(row), id)
    }

    /// The update that puts the document there. Messages take the `next` number.
    pub(super) fn update(self, next: &mut i64, partitions: u16, now: i64, options: &Options) -> Document {
        let (id, set) = match self {
            Self::Message(mut row, given) => {
                *next += 1;
                row.message.id = given.unwrap_or(row.message.id);
                let set = numbered(&row, given, *next, partitions, now);
                (row.id, set)
            }
            Self::Done(id) => (id, doc! { "posthaste.seq": ADOPTED }),
            Self::Refused(id, why) => (id, refused(&why, options)),
        };
        doc! { "q": { "_id": id }, "u": { "$set": set } }
    }
}

/// Why a document cannot be a message. As strict as the other stores are with what comes by plain SQL: what orders and routes a message
/// must make sense.
pub(in crate::stores::mongodb) fn refusal(row: &Row) -> Option<String> {
    let limits = Limits { name_bytes: 1_000, ..Limits::default() };
    limits.check(&row.message).err().map(|invalid| invalid.to_string())
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

fn refused(why: &str, options: &Options) -> Document {
    let mut set = doc! { "posthaste.seq": REFUSED, "posthaste.refused": why };
    if options.stamp_status {
        set.insert(&options.fields.status, &options.status.failed);
        set.insert(&options.fields.last_error, why);
    }
    set
}
