//! Removing what everyone is done with.

use std::sync::atomic::Ordering;
use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::codec::{self, Row, chunks};
use super::db::Db;
use super::progress::{Of, Progress};
use super::retry::{in_snapshot, in_transaction};
use super::state::State;
use super::{MongoDb, rows};
use crate::error::Result;
use crate::journal::Purged;

/// Messages read together.
const CHUNK: i64 = 1_000;

/// Messages removed in one transaction.
const PER_TRANSACTION: usize = 500;

pub(super) async fn purge(store: &MongoDb, older_than: Duration, limit: usize) -> Result<Purged> {
    let db = store.db();
    let from = codec::signed(store.shared.purge_from.load(Ordering::Relaxed));
    let one_more = limit.saturating_add(1);
    let found = in_snapshot!(db, session => find(db, &mut session, older_than, from, one_more))?;
    let mut purged = Purged { messages: 0, more: found.len() > limit };
    // What had to stay is not read again before the rest is through.
    let next = if purged.more { found[limit].seq - 1 } else { 0 };
    store.shared.purge_from.store(codec::unsigned(next), Ordering::Relaxed);
    for some in found[..limit.min(found.len())].chunks(PER_TRANSACTION) {
        purged.messages += in_transaction!(db, session => remove(db, &mut session, some))?;
    }
    Ok(purged)
}

pub(super) async fn purgeable(store: &MongoDb, older_than: Duration) -> Result<u64> {
    let db = store.db();
    let found = in_snapshot!(db, session => find(db, &mut session, older_than, 0, usize::MAX))?;
    Ok(found.len() as u64)
}

/// The oldest messages after `from` that may go, by `outbox_journal`.
async fn find(db: &Db, session: &mut ClientSession, older_than: Duration, from: i64, limit: usize) -> Result<Vec<Row>> {
    let before = State::load(db, session).await?.now.saturating_sub(codec::millis(older_than));
    let (mut found, mut after) = (Vec::new(), from.max(0));
    loop {
        let next = doc! { "posthaste.seq": { "$gt": after } };
        let rows = rows::without_payload(db, session, next, Some(CHUNK)).await?;
        let Some(last) = rows.last() else { return Ok(found) };
        after = last.seq;
        let progress = Progress::load(db, session, Of::These(&rows)).await?;
        // Before the first registration nobody knows who wants what.
        if progress.destinations.is_empty() {
            return Ok(found);
        }
        for row in rows {
            // What comes later got its position later.
            if found.len() >= limit || row.at > before {
                return Ok(found);
            }
            if progress.is_settled(&row) {
                found.push(row);
            }
        }
    }
}

/// Removes messages, except what someone has asked for since it was found: whoever asks after this read has written to the message,
/// and one of the two has a conflict.
async fn remove(db: &Db, session: &mut ClientSession, found: &[Row]) -> Result<u64> {
    let progress = Progress::load(db, session, Of::These(found)).await?;
    let settled: Vec<Row> = found.iter().filter(|row| progress.is_settled(row)).cloned().collect();
    let seqs: Vec<i64> = settled.iter().map(|row| row.seq).collect();
    if seqs.is_empty() {
        return Ok(0);
    }
    let of_these = doc! { "seq": { "$in": &seqs } };
    let removed = db.events.delete_many(doc! { "posthaste.seq": { "$in": &seqs } }).session(&mut *session).await?;
    db.parked.delete_many(of_these.clone()).session(&mut *session).await?;
    db.attempts.delete_many(of_these).session(&mut *session).await?;
    let large = chunks::names(&settled);
    if !large.is_empty() {
        let parts: Document = doc! { "message": { "$in": large } };
        db.chunks.delete_many(parts).session(&mut *session).await?;
    }
    Ok(removed.deleted_count)
}
