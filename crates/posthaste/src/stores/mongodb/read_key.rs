//! Reading the messages that wait behind a held key.

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::MongoDb;
use super::codec;
use super::db::Db;
use super::retry::in_snapshot;
use super::rows::{self, Rows};
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Entry, HeldKey, Partition};

pub(super) async fn read_key(
    store: &MongoDb,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let db = store.db();
    in_snapshot!(db, session => read_waiting(db, &mut session, destination, partition, held, limit))
}

/// By `outbox_key`. What is parked of the key itself is left out: it is delivered by `due`.
async fn read_waiting(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let state = State::load(db, session).await?;
    let span = doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) };
    let parked = doc! { "scope": codec::scope(destination.as_str(), &held.key), "seq": &span };
    let parked = db.parked.distinct("seq", parked).session(&mut *session).await?;
    let mut filter = rows::of_key(db, &held.key);
    let mut waiting = span;
    waiting.insert("$nin", parked);
    filter.insert("posthaste.seq", waiting);
    filter.insert("posthaste.partition", i64::from(partition.number()));
    let mut rows = Rows::find(db, filter, limit, session).await?;
    let mut entries = Vec::new();
    while entries.len() < limit
        && let Some(row) = rows.next(session).await?
    {
        entries.push(row.entry(state.now));
    }
    Ok(entries)
}
