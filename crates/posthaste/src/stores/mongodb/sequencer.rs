//! The sequencer: committed documents get consecutive positions.
//!
//! One transaction numbers a batch: it reads what has no position, takes as many numbers from `outbox_state.newest` and writes
//! them into the documents. So a crash leaves nothing half done, nobody sees position n+1 before n, and two sequencers that
//! meet are told apart by their write to the same document: one of them has a conflict and numbered nothing. The lease only
//! saves them from meeting all the time.
//!
//! In which order a batch is numbered is said in `order`, what becomes of each document in `place`.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};
use mongodb::options::ReturnDocument;

use self::place::{Place, Update};
use super::change_stream::resume_token;
use super::codec::{self, Row, moment, whole};
use super::db::Db;
use super::partitions::partitions;
use super::retry::in_snapshot;
use super::state::{JOURNAL, State};
use super::store_transaction::StoreTransaction;
use super::{MongoDb, abandoned_sessions, error, rows};
use crate::error::Result;
use crate::journal::Position;

mod order;
mod place;

pub(super) use self::place::{REFUSED, refusal};

/// Documents numbered in one transaction.
const BATCH: i64 = 1_000;

/// Batches numbered before the lanes hear of them: as much as a relay reads at once.
const SOME: usize = 4;

/// How long a sequencer is left alone after it did something.
const LEASE: Duration = Duration::from_secs(2);

/// How long to wait for the change stream to say in which order plain documents were committed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Before someone who must not leave it to another sequencer tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// Numbers what waits, unless another sequencer is at it, and returns the newest position.
pub(super) async fn number_new(store: &MongoDb) -> Result<Position> {
    number_batches(store, usize::MAX).await
}

/// The same, but of a large backlog only the beginning: it is delivered while the rest is numbered.
pub(super) async fn number_some(store: &MongoDb) -> Result<Position> {
    number_batches(store, SOME).await
}

async fn number_batches(store: &MongoDb, most: usize) -> Result<Position> {
    partitions(store).await?;
    let db = store.db();
    let token = store.shared.change_stream.feed().token();
    let (state, any) = in_snapshot!(db, session => see(db, &mut session))?;
    if !state.may_be_sequenced_by(&store.shared.sequencer) {
        return Ok(codec::position(state.newest));
    }
    let mut newest = state.newest;
    let (mut is_done, mut batches) = (!any, 0);
    while !is_done && batches < most {
        // Another sequencer was faster, and does the rest.
        let Some(numbered) = number(store).await? else { return Ok(codec::position(newest)) };
        newest = newest.max(numbered.newest);
        (is_done, batches) = (!numbered.more, batches + 1);
    }
    if is_done {
        resume_token::keep(store, token).await;
    }
    Ok(codec::position(newest))
}

/// Numbers everything that is committed by now, whoever the sequencer is.
pub(super) async fn number_all(store: &MongoDb) -> Result<()> {
    loop {
        match number(store).await? {
            Some(numbered) if !numbered.more => return Ok(()),
            Some(_) => {}
            None => {
                // The other sequencer may be dead, and nobody else may be there to end its transaction.
                abandoned_sessions::end_all(store).await?;
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Whether anything waits for its position, by `outbox_journal`.
pub(super) async fn any_waits(db: &Db, session: &mut ClientSession) -> Result<bool> {
    let only = doc! { "_id": 1 };
    let found = db.events.find_one(doc! { "posthaste.seq": Bson::Null }).projection(only).session(session).await?;
    Ok(found.is_some())
}

async fn see(db: &Db, session: &mut ClientSession) -> Result<(State, bool)> {
    let state = State::load(db, session).await?;
    Ok((state, any_waits(db, session).await?))
}

/// What one batch came to.
struct Numbered {
    newest: i64,
    /// There may be more.
    more: bool,
}

/// One batch. `None` if another sequencer was faster.
async fn number(store: &MongoDb) -> Result<Option<Numbered>> {
    let partitions = partitions(store).await?;
    let mut transaction = StoreTransaction::begin(store.db()).await?;
    let outcome = number_in(store, &mut transaction, partitions).await;
    match transaction.end(outcome).await {
        Ok(numbered) => Ok(Some(numbered)),
        Err(error) if error::failure_of(&error).is_some_and(|failure| failure.transient) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn number_in(store: &MongoDb, session: &mut ClientSession, partitions: u16) -> Result<Numbered> {
    let db = store.db();
    let rows = waiting(db, session).await?;
    let more = rows.len() as i64 == BATCH;
    // A backlog is not held up for what the stream may never tell.
    let rows = order::in_order(store, rows, if more { Duration::ZERO } else { PATIENCE }).await;
    let places: Vec<Place> = rows.into_iter().map(|row| Place::of(row, &db.options)).collect();
    let count = places.iter().filter(|place| matches!(place, Place::Message(..))).count() as i64;
    let (newest, now) = take_numbers(store, session, count).await?;
    let mut next = newest - count;
    let updates = places.into_iter().map(|place| place.update(&mut next, partitions, now, &db.options));
    let (unnamed, named): (Vec<Update>, Vec<Update>) = updates.partition(|update| update.written_id.is_some());
    for update in unnamed {
        if let Some(written_id) = &update.written_id {
            db.update_written(written_id, &update.change(), session).await?;
        }
    }
    let named = named.into_iter().map(Update::statement).collect();
    db.update_all(&db.options.collection, named, Some(session)).await?;
    Ok(Numbered { newest, more })
}

/// The oldest documents without a position, by `outbox_journal`; equal ones as they were stored.
async fn waiting(db: &Db, session: &mut ClientSession) -> Result<Vec<Row>> {
    let find = db.events.find(doc! { "posthaste.seq": Bson::Null }).sort(doc! { &db.options.fields.recorded_at: 1 });
    let find = find.projection(db.without_payload()).limit(BATCH).batch_size(1_000);
    rows::collect(db, find.session(&mut *session).await?, session).await
}

/// The numbers, and the primary's clock. This is the write that keeps sequencers apart.
async fn take_numbers(store: &MongoDb, session: &mut ClientSession, count: i64) -> Result<(i64, i64)> {
    let lease = codec::millis(LEASE);
    let holder = doc! { "$literal": &store.shared.sequencer };
    let take = doc! { "$set": {
        "newest": { "$add": ["$newest", count] },
        "sequencer": { "holder": holder, "until": { "$add": ["$$NOW", lease] } },
    } };
    let update = store.db().state.find_one_and_update(doc! { "_id": JOURNAL }, vec![take]);
    let state = update.return_document(ReturnDocument::After).session(session).await?.ok_or_else(error::no_journal)?;
    let until = state.get_document("sequencer").ok().and_then(|one| moment(one, "until")).unwrap_or_default();
    Ok((whole(&state, "newest")?, until - lease))
}
