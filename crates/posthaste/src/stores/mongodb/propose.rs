//! What an outbox collection that is there already would be read as. Nothing is changed.

use std::collections::BTreeSet;

use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::codec::{self, signed};
use super::db::Db;
use super::options::Options;
use super::sequencer::refusal;
use super::{Fields, MongoDb, StatusNames};
use crate::error::{Error, Kind, Result};
use crate::message::Message;

mod names;

/// So many documents say what the fields are called, and which statuses there are: half of them the oldest, half the newest.
const LOOKED_AT: i64 = 1_000;

/// What a collection would be read as.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Proposal {
    /// The fields that were found.
    pub found: Vec<FoundField>,
    /// What the fields are called.
    pub fields: Fields,
    /// What the statuses are called.
    pub status: StatusNames,
    /// Statuses in use that are none of the three: such documents count as not delivered.
    pub other_statuses: Vec<String>,
    /// Some messages as they would be, and why one would be refused: those that are pending, or else the last ones.
    pub messages: Vec<(Message, Option<String>)>,
    /// Whether the messages are pending.
    pub pending: bool,
}

/// A field of the documents of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundField {
    /// What it has of a message: its setting in `fields`.
    pub part: &'static str,
    /// What it is called.
    pub name: String,
    /// Whether it is called so anyway.
    pub is_usual: bool,
}

/// What no document can do without.
const NEEDED: [&str; 2] = ["event_type", "aggregate_id"];

pub(super) async fn propose(store: &MongoDb, limit: usize) -> Result<Proposal> {
    let db = store.db();
    let seen = look(db).await?;
    let (fields, found) = names::fields(&seen.names());
    is_enough(&seen, &found, &db.options.collection)?;
    let (status, other_statuses) = names::statuses(&seen.statuses(&fields.status));
    let options = Options { fields: fields.clone(), status: status.clone(), ..Options::clone(&db.options) };
    options.check()?;
    let with_names = Db::new(db.database.clone(), options.into());
    let mut messages = sample(&with_names, pending(&fields, &status), 1, limit).await?;
    let pending = !messages.is_empty();
    if !pending {
        messages = sample(&with_names, doc! {}, -1, limit).await?;
    }
    Ok(Proposal { found, fields, status, other_statuses, messages, pending })
}

fn is_enough(seen: &Seen, found: &[FoundField], collection: &str) -> Result<()> {
    let is_missing = |needed: &&&str| !found.iter().any(|one| one.part == **needed);
    let Some(missing) = NEEDED.iter().find(is_missing) else { return Ok(()) };
    let has = seen.names().join(", ");
    let text = format!("no field of `{collection}` is known for `fields.{missing}` of [store.mongodb]: it has {has}");
    Err(Error::new(Kind::NotFound, text))
}

/// Documents that nobody has delivered.
fn pending(fields: &Fields, status: &StatusNames) -> Document {
    doc! {
        &fields.status: { "$ne": &status.published },
        &fields.published_at: Bson::Null,
        &fields.processed_at: Bson::Null,
    }
}

/// Documents that were looked at.
struct Seen(Vec<RawDocumentBuf>);

impl Seen {
    /// The names of their fields, as often as one is there first.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for element in self.0.iter().flat_map(|document| document.iter()).flatten() {
            let name = element.0.as_str();
            if !["_id", "posthaste"].contains(&name) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    fn statuses(&self, field: &str) -> Vec<String> {
        let status = |document: &RawDocumentBuf| document.get_str(field).ok().map(str::to_owned);
        self.0.iter().filter_map(status).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

async fn look(db: &Db) -> Result<Seen> {
    let mut seen = Vec::new();
    for direction in [1, -1] {
        let find = db.events.find(doc! {}).sort(doc! { "$natural": direction }).limit(LOOKED_AT / 2);
        let mut cursor = find.await?;
        while cursor.advance().await? {
            seen.push(cursor.current().to_owned());
        }
    }
    if seen.is_empty() {
        return Err(nothing_there(db).await?);
    }
    Ok(Seen(seen))
}

async fn nothing_there(db: &Db) -> Result<Error> {
    let name = &db.options.collection;
    let mut there = db.database.list_collection_names().await?;
    there.sort();
    let text = match there.contains(name) {
        true => format!("the collection `{name}` is empty, so that nothing says what its fields are called"),
        false if there.is_empty() => format!("the database `{}` has no collection", db.database.name()),
        false => {
            format!("the database `{}` has no collection `{name}`: it has {}", db.database.name(), there.join(", "))
        }
    };
    Ok(Error::new(Kind::NotFound, text))
}

async fn sample(db: &Db, filter: Document, direction: i32, limit: usize) -> Result<Vec<(Message, Option<String>)>> {
    let find = db.events.find(filter).sort(doc! { "$natural": direction }).limit(signed(limit.max(1)));
    let mut cursor = find.await?;
    let mut messages = Vec::new();
    while cursor.advance().await? {
        messages.push(message(db, cursor.current())?);
    }
    Ok(messages)
}

fn message(db: &Db, document: &RawDocument) -> Result<(Message, Option<String>)> {
    let row = codec::row(db, document)?;
    let why = refusal(&row);
    Ok((row.message, why))
}
