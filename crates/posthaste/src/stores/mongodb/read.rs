//! Reading on: the hot path.

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::MongoDb;
use super::codec;
use super::db::Db;
use super::partitions::partitions;
use super::retry::in_snapshot;
use super::rows::Rows;
use super::state::State;
use crate::error::Result;
use crate::journal::{Batch, Entry, Position, ReadRequest};

/// The longest stretch of the journal looked at in one call, so that a lane that catches up alone among many partitions keeps the
/// server busy for moments only.
const STRETCH: u64 = 50_000;

pub(super) async fn read(store: &MongoDb, request: &ReadRequest) -> Result<Batch> {
    let partitions = partitions(store).await?;
    let db = store.db();
    in_snapshot!(db, session => read_stretch(db, &mut session, request, partitions))
}

/// By `outbox_journal`. The newest position and the documents come from one snapshot, so everything up to it is there.
async fn read_stretch(db: &Db, session: &mut ClientSession, request: &ReadRequest, partitions: u16) -> Result<Batch> {
    let state = State::load(db, session).await?;
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
    let mut rows = Rows::find(db, filter, request.limit, session).await?;
    let (mut entries, mut bytes): (Vec<Entry>, usize) = (Vec::new(), 0);
    while entries.len() < request.limit && (bytes < request.max_bytes || entries.is_empty()) {
        let Some(row) = rows.next(session).await? else { return Ok(Batch { entries, upto: end }) };
        let entry = row.entry(state.now);
        bytes += entry.message.weight();
        entries.push(entry);
    }
    let upto = entries.last().map_or(request.after, |entry| entry.position);
    Ok(Batch { entries, upto })
}
