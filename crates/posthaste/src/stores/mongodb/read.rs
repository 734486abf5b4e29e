//! Reading on: the hot path.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::codec::{self, Row};
use super::db::Db;
use super::session::snapshot;
use super::{MongoDb, chunks, sequence};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Entry, HeldKey, Partition, Position, ReadRequest};

/// The longest stretch of the journal looked at in one call, so that a lane that catches up alone among many partitions keeps the
/// server busy for moments only.
const STRETCH: u64 = 50_000;

/// Documents asked for in one answer of the server.
const PER_ANSWER: u32 = 1_000;

impl MongoDb {
    pub(super) async fn read_on(&self, request: &ReadRequest) -> Result<Batch> {
        let partitions = self.count_partitions().await?;
        let db = self.db();
        snapshot!(db, session => read(db, &mut session, request, partitions))
    }

    pub(super) async fn read_held(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        let db = self.db();
        snapshot!(db, session => read_key(db, &mut session, destination, partition, held, limit))
    }
}

/// By `outbox_journal`. The newest position and the documents come from one snapshot, so everything up to it is there.
async fn read(db: &Db, session: &mut ClientSession, request: &ReadRequest, partitions: u16) -> Result<Batch> {
    let state = sequence::state(db, session).await?;
    let stretch = Position::seq(request.after.seq.saturating_add(STRETCH));
    let end = codec::position(state.newest).min(request.until).min(stretch).max(request.after);
    if end == request.after || request.partitions.is_empty() {
        return Ok(Batch { entries: Vec::new(), upto: end });
    }
    let mut filter = doc! { "posthaste.seq": { "$gt": codec::seq(request.after), "$lte": codec::seq(end) } };
    if request.partitions.len() != usize::from(partitions) {
        let wanted: Vec<i64> = request.partitions.iter().map(|&partition| i64::from(partition.number())).collect();
        filter.insert("posthaste.partition", doc! { "$in": wanted });
    }
    let mut walk = Walk::new(db, filter, request.limit, session).await?;
    let (mut entries, mut bytes): (Vec<Entry>, usize) = (Vec::new(), 0);
    while entries.len() < request.limit && (bytes < request.max_bytes || entries.is_empty()) {
        let Some(row) = walk.next(session).await? else { return Ok(Batch { entries, upto: end }) };
        let entry = row.entry(state.now);
        bytes += entry.message.weight();
        entries.push(entry);
    }
    let upto = entries.last().map_or(request.after, |entry| entry.position);
    Ok(Batch { entries, upto })
}

/// By `outbox_key`.
async fn read_key(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let state = sequence::state(db, session).await?;
    let span = doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) };
    let aside = doc! { "scope": codec::scope(destination.as_str(), &held.key), "seq": &span };
    let aside = db.parked.distinct("seq", aside).session(&mut *session).await?;
    let mut filter = of_key(db, held);
    filter
        .insert("posthaste.seq", doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until), "$nin": aside });
    filter.insert("posthaste.partition", i64::from(partition.number()));
    let mut walk = Walk::new(db, filter, limit, session).await?;
    let mut entries = Vec::new();
    while entries.len() < limit
        && let Some(row) = walk.next(session).await?
    {
        entries.push(row.entry(state.now));
    }
    Ok(entries)
}

/// The messages of a key.
pub(super) fn of_key(db: &Db, held: &HeldKey) -> Document {
    let tenant = held.key.tenant.as_deref().map_or(Bson::Null, Bson::from);
    doc! { "posthaste.key": held.key.key.as_str(), &db.options.fields.tenant: tenant }
}

/// Documents in journal order, payloads and all.
struct Walk<'a> {
    db: &'a Db,
    cursor: mongodb::SessionCursor<mongodb::bson::RawDocumentBuf>,
}

impl<'a> Walk<'a> {
    async fn new(db: &'a Db, filter: Document, limit: usize, session: &mut ClientSession) -> Result<Self> {
        let find = db.events.find(filter).sort(doc! { "posthaste.seq": 1 });
        let find = find.limit(i64::try_from(limit.max(1)).unwrap_or(i64::MAX)).batch_size(PER_ANSWER);
        Ok(Self { db, cursor: find.session(session).await? })
    }

    async fn next(&mut self, session: &mut ClientSession) -> Result<Option<Row>> {
        if !self.cursor.advance(session).await? {
            return Ok(None);
        }
        let mut row = codec::row(self.db, self.cursor.current())?;
        chunks::fill(self.db, session, &mut row).await?;
        Ok(Some(row))
    }
}

/// Documents that match, in journal order. Payloads only `with_payload`.
pub(super) async fn rows(
    db: &Db,
    session: &mut ClientSession,
    filter: Document,
    limit: Option<i64>,
    with_payload: bool,
) -> Result<Vec<Row>> {
    let only = if with_payload {
        doc! {}
    } else {
        db.without_payload()
    };
    let find = db.events.find(filter).sort(doc! { "posthaste.seq": 1 }).projection(only).limit(limit.unwrap_or(0));
    let mut cursor = find.batch_size(PER_ANSWER).session(&mut *session).await?;
    let mut rows = Vec::new();
    while cursor.advance(session).await? {
        rows.push(codec::row(db, cursor.current())?);
    }
    if with_payload {
        for row in &mut rows {
            chunks::fill(db, session, row).await?;
        }
    }
    Ok(rows)
}
