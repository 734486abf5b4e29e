//! Finding documents of the journal, in journal order.

use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};
use mongodb::options::Hint;
use mongodb::{ClientSession, SessionCursor};

use super::codec::{self, Row, chunks};
use super::db::Db;
use crate::error::Result;
use crate::journal::HeldKey;
use crate::message::OrderKey;

/// Documents asked for in one answer of the server.
const PER_ANSWER: u32 = 1_000;

/// All documents that match, without their payloads.
pub(super) async fn without_payload(
    db: &Db,
    session: &mut ClientSession,
    filter: Document,
    limit: Option<i64>,
) -> Result<Vec<Row>> {
    without_payload_in(db, session, filter, limit, 1).await
}

/// The same in journal order (1) or backwards (-1).
pub(super) async fn without_payload_in(
    db: &Db,
    session: &mut ClientSession,
    filter: Document,
    limit: Option<i64>,
    direction: i32,
) -> Result<Vec<Row>> {
    let find = db.events.find(filter).sort(doc! { "posthaste.seq": direction }).projection(db.without_payload());
    let find = find.limit(limit.unwrap_or(0)).batch_size(PER_ANSWER);
    collect(db, find.session(&mut *session).await?, session).await
}

/// All documents of one key that match, in journal order and without their payloads. By `outbox_journal`, which has the order as well,
/// the server would come past everybody else's.
pub(super) async fn of_a_key(
    db: &Db,
    session: &mut ClientSession,
    filter: Document,
    limit: Option<i64>,
) -> Result<Vec<Row>> {
    let find = db.events.find(filter).sort(doc! { "posthaste.seq": 1 }).projection(db.without_payload());
    let find = find.hint(by_key()).limit(limit.unwrap_or(0)).batch_size(PER_ANSWER);
    collect(db, find.session(&mut *session).await?, session).await
}

/// Documents whose stamp is out of date, in no order and without their payloads. Asked for in journal order, the server might walk the
/// journal for them.
pub(super) async fn marked(db: &Db, session: &mut ClientSession, limit: i64) -> Result<Vec<Row>> {
    let find = db.events.find(doc! { "posthaste.restamp": true }).hint(Hint::Name("outbox_restamp".into()));
    let find = find.projection(db.without_payload()).limit(limit).batch_size(PER_ANSWER);
    collect(db, find.session(&mut *session).await?, session).await
}

/// The index for whoever asks for the messages of one key.
pub(super) fn by_key() -> Hint {
    Hint::Name("outbox_key".into())
}

/// All documents of a cursor, as far as the query asked for them.
pub(super) async fn collect(
    db: &Db,
    mut cursor: SessionCursor<RawDocumentBuf>,
    session: &mut ClientSession,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    while cursor.advance(session).await? {
        rows.push(codec::row(db, cursor.current())?);
    }
    Ok(rows)
}

/// Documents with their payloads, one after the other.
pub(super) struct Rows<'a> {
    db: &'a Db,
    cursor: SessionCursor<RawDocumentBuf>,
}

impl<'a> Rows<'a> {
    /// In journal order.
    pub(super) async fn find(db: &'a Db, filter: Document, limit: usize, session: &mut ClientSession) -> Result<Self> {
        let find = db.events.find(filter).sort(doc! { "posthaste.seq": 1 });
        let find = find.limit(codec::signed(limit.max(1))).batch_size(PER_ANSWER);
        Ok(Self { db, cursor: find.session(session).await? })
    }

    /// The messages of one key, in journal order.
    pub(super) async fn of_a_key(
        db: &'a Db,
        filter: Document,
        limit: usize,
        session: &mut ClientSession,
    ) -> Result<Self> {
        let find = db.events.find(filter).sort(doc! { "posthaste.seq": 1 }).hint(by_key());
        let find = find.limit(codec::signed(limit.max(1))).batch_size(PER_ANSWER);
        Ok(Self { db, cursor: find.session(session).await? })
    }

    /// The few that match, in no order, so that only what is asked for decides how they are found.
    pub(super) async fn unordered(db: &'a Db, filter: Document, session: &mut ClientSession) -> Result<Self> {
        Ok(Self { db, cursor: db.events.find(filter).session(session).await? })
    }

    pub(super) async fn next(&mut self, session: &mut ClientSession) -> Result<Option<Row>> {
        if !self.cursor.advance(session).await? {
            return Ok(None);
        }
        let mut row = codec::row(self.db, self.cursor.current())?;
        chunks::fill(self.db, session, &mut row).await?;
        Ok(Some(row))
    }
}

/// The messages of a key.
pub(super) fn of_key(db: &Db, key: &OrderKey) -> Document {
    let tenant = key.tenant.as_deref().map_or(Bson::Null, Bson::from);
    doc! { "posthaste.key": key.key.as_str(), &db.options.fields.tenant: tenant }
}

/// The messages that wait behind a held key.
pub(super) fn behind(db: &Db, held: &HeldKey) -> Document {
    let mut waiting = of_key(db, &held.key);
    waiting.insert("posthaste.seq", doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) });
    waiting
}
