//! The audit log: `outbox_audit`, which is only ever added to. Rights on the collection keep others from changing it.

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::codec::{self, date, moment, signed, text, unsigned, whole};
use super::db::{Db, found};
use super::retry::in_transaction;
use super::state::JOURNAL;
use super::{MongoDb, error};
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};

/// Appends to the log.
pub(super) async fn record(store: &MongoDb, change: &Change) -> Result<()> {
    let db = store.db();
    in_transaction!(db, session => append(db, &mut session, change))
}

/// The log, newest first.
pub(super) async fn audit(store: &MongoDb, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let (before, limit) = (before.map_or(i64::MAX, signed), signed(limit));
    if limit == 0 {
        return Ok(Vec::new());
    }
    let older = store.db().audit.find(doc! { "_id": { "$lt": before } }).sort(doc! { "_id": -1 });
    found(older.limit(limit).await?).await?.iter().map(entry).collect()
}

/// The number and the time come from the one document that all who record write to, so both grow.
pub(super) async fn append(db: &Db, session: &mut ClientSession, change: &Change) -> Result<()> {
    let next =
        doc! { "$set": { "audited": { "$add": [{ "$ifNull": ["$audited", 0i64] }, 1i64] }, "auditedAt": "$$NOW" } };
    let update = db.state.find_one_and_update(doc! { "_id": JOURNAL }, vec![next]);
    let state = update.return_document(mongodb::options::ReturnDocument::After).session(&mut *session).await?;
    let state = state.ok_or_else(error::no_journal)?;
    let entry = doc! {
        "_id": whole(&state, "audited")?,
        "at": date(moment(&state, "auditedAt").unwrap_or_default()),
        "who": &change.who,
        "action": &change.action,
        "target": &change.target,
        "affected": signed(change.affected),
    };
    db.audit.insert_one(entry).session(session).await?;
    Ok(())
}

fn entry(document: &Document) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: unsigned(whole(document, "_id")?),
        at: codec::timestamp(moment(document, "at").unwrap_or_default()),
        change: Change {
            who: text(document, "who")?,
            action: text(document, "action")?,
            target: text(document, "target")?,
            affected: unsigned(whole(document, "affected")?),
        },
    })
}
