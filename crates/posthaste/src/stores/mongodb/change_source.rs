//! Pausing, resuming and rewinding a source.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::MongoDb;
use super::codec::date;
use super::db::Db;
use super::retry::in_transaction;
use super::sources::find;
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::{SourceChange, SourceStatus};
use crate::rules::source;
use crate::stores::values::encode_source_report;

pub(super) async fn change_source(store: &MongoDb, source: &Name, change: &SourceChange) -> Result<bool> {
    let db = store.db();
    in_transaction!(db, session => apply(db, &mut session, source, change))
}

async fn apply(db: &Db, session: &mut ClientSession, name: &Name, change: &SourceChange) -> Result<bool> {
    let which = doc! { "_id": name.as_str() };
    let found = find(db, session, which.clone()).await?;
    let known = found.first().ok_or_else(|| Error::unknown_source(name))?;
    let Some(after) = source::changed(known, change) else { return Ok(false) };
    let set = set(&after, after.checkpoint != known.checkpoint)?;
    db.sources.update_one(which, vec![doc! { "$set": set }]).session(session).await?;
    Ok(true)
}

/// Nobody holds the source afterwards, so that whoever reads it begins anew.
fn set(after: &SourceStatus, has_moved: bool) -> Result<Document> {
    let literal = |text: Option<String>| text.map_or(Bson::Null, |text| doc! { "$literal": text }.into());
    let report = after.report.as_ref().map(encode_source_report).transpose()?;
    let mut set = doc! {
        "paused": after.paused,
        "checkpoint": literal(after.checkpoint.as_ref().map(ToString::to_string)),
        "report": literal(report),
        "worker": Bson::Null,
        "expiresAt": date(0),
    };
    if has_moved {
        set.insert("movedAt", "$$NOW");
    }
    Ok(set)
}
