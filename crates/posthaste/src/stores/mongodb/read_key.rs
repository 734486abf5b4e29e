//! Reading the messages that wait behind a held key.

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::MongoDb;
use super::codec;
use super::db::{Db, found_in};
use super::retry::in_snapshot;
use super::rows::{self, Rows};
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, HeldKey, Partition};

pub(super) async fn read_key(
    store: &MongoDb,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Batch> {
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
) -> Result<Batch> {
    let state = State::load(db, session).await?;
    let span = doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) };
    let parked = parked(db, session, destination, held).await?;
    let mut filter = rows::of_key(db, &held.key);
    let mut waiting = span;
    waiting.insert("$nin", parked);
    filter.insert("posthaste.seq", waiting);
    filter.insert("posthaste.partition", i64::from(partition.number()));
    let mut rows = Rows::of_a_key(db, filter, limit, session).await?;
    let mut entries = Vec::new();
    while entries.len() < limit
        && let Some(row) = rows.next(session).await?
    {
        entries.push(row.entry(state.now));
    }
    Ok(Batch::limited(entries, limit, held.until))
}

/// What is parked of the key, by `outbox_parked_scope`. With the span in the question, the server might walk what is parked of everybody
/// else in it.
async fn parked(db: &Db, session: &mut ClientSession, destination: &Name, held: &HeldKey) -> Result<Vec<i64>> {
    let of_key = doc! { "scope": codec::scope(destination.as_str(), &held.key) };
    let find = db.parked.find(of_key).projection(doc! { "seq": 1 }).session(&mut *session).await?;
    let parked = found_in(find, session).await?;
    let seqs = parked.iter().map(|one| codec::whole(one, "seq")).collect::<Result<Vec<i64>>>()?;
    let span = codec::seq(held.after)..=codec::seq(held.until);
    Ok(seqs.into_iter().filter(|seq| span.contains(seq)).collect())
}
