//! Stamps for people who look into the collection: `status`, `publishedAt`, `retryCount`, `lastError`, `processedAt`.
//!
//! Nothing here reads them; the cursors are the truth, and the stamps follow within a second. A message is stamped as published
//! when everyone who takes it is done with it, as failed when it is dead or discarded somewhere.
//!
//! `outbox_state.stamped` moves over the journal behind the lanes: up to it every message was either stamped as published or was
//! parked somewhere. Whatever changes about the latter marks the message (`posthaste.restamp`) in the same transaction, so no
//! crash leaves a stale stamp behind.
//!
//! Stamps are written outside of transactions: within one, MongoDB 6.0 reads the catalog anew for each index of each document,
//! which costs as much again as the update. A message that somebody marks in between is left for the next round.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use tokio::time::Instant;

use super::codec::{Row, date};
use super::db::Db;
use super::progress::{Of, Parked, Progress};
use super::retry::in_snapshot;
use super::state::{JOURNAL, State};
use super::{MongoDb, rows};
use crate::error::Result;
use crate::inspect::Status;
use crate::journal::ParkedState;

/// Between two rounds while there is something to stamp.
const INTERVAL: Duration = Duration::from_millis(500);

/// Between two rounds when the last one found nothing.
const IDLE: Duration = Duration::from_secs(5);

/// Messages read in one round.
const WINDOW: i64 = 10_000;

/// Messages stamped in one request.
const AT_ONCE: usize = 1_000;

/// When to stamp again.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    idle: bool,
}

impl Pace {
    /// Something changed.
    pub(super) fn hurry(&mut self) {
        self.idle = false;
    }

    fn is_due(&mut self) -> bool {
        let interval = if self.idle { IDLE } else { INTERVAL };
        let due = self.last.is_none_or(|last| last.elapsed() >= interval);
        if due {
            (self.last, self.idle) = (Some(Instant::now()), true);
        }
        due
    }
}

/// Something changed: the next round comes soon.
pub(super) fn hurry(store: &MongoDb) {
    pace(store).hurry();
}

/// Stamps what is there to stamp, if it is time and this store is the sequencer. Nothing depends on it, so a failure is no
/// reason to stop: the next round will do.
pub(super) async fn stamp_if_due(store: &MongoDb) {
    let is_due = || pace(store).is_due();
    if store.db().options.stamp_status && is_due() && stamp(store).await.unwrap_or(true) {
        hurry(store);
    }
}

fn pace(store: &MongoDb) -> MutexGuard<'_, Pace> {
    store.shared.stamps.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One round; whether there may be more to do.
async fn stamp(store: &MongoDb) -> Result<bool> {
    let db = store.db();
    let round = in_snapshot!(db, session => Round::find(db, &mut session))?;
    if !round.state.may_be_sequenced_by(&store.shared.sequencer) || round.is_empty() {
        return Ok(false);
    }
    for some in round.stamps.chunks(AT_ONCE) {
        write(db, some).await?;
    }
    if round.upto > round.state.stamped {
        let further = doc! { "_id": JOURNAL, "stamped": { "$lt": round.upto } };
        db.state.update_one(further, doc! { "$set": { "stamped": round.upto } }).await?;
    }
    Ok(round.more)
}

/// What one round writes.
struct Round {
    state: State,
    stamps: Vec<Stamp>,
    upto: i64,
    more: bool,
}

impl Round {
    /// Finds the messages behind the lanes, by `outbox_journal`, and those that are marked, by `outbox_restamp`.
    async fn find(db: &Db, session: &mut ClientSession) -> Result<Self> {
        let state = State::load(db, session).await?;
        let mut rows = rows::marked(db, session, WINDOW).await?;
        let marked = rows.len();
        let beyond = doc! { "posthaste.seq": { "$gt": state.stamped, "$lte": state.stamped + WINDOW } };
        rows.extend(rows::without_payload(db, session, beyond, None).await?);
        let progress = Progress::load(db, session, Of::These(&rows)).await?;
        let (marked, passed) = rows.split_at(marked);
        let mut round = Self { upto: state.stamped, stamps: Vec::new(), more: false, state };
        if !progress.destinations.is_empty() {
            round.stamps.extend(marked.iter().map(|row| Stamp::of(db, &progress, row, &round.state, true)));
            round.add(db, &progress, passed);
        }
        Ok(round)
    }

    /// Stamps what no lane has before it any more, and moves up to the first message that one has.
    fn add(&mut self, db: &Db, progress: &Progress, passed: &[Row]) {
        let mut stopped = false;
        for row in passed {
            let is_pending = progress.takers(&row.message).any(|place| progress.status(place, row) == Status::Pending);
            stopped |= is_pending;
            if !stopped {
                self.upto = row.seq;
            }
            let is_stamped = row.status.as_deref() == Some(db.options.status.published.as_str());
            if !is_pending && !is_stamped {
                self.stamps.push(Stamp::of(db, progress, row, &self.state, false));
            }
        }
        self.more = !stopped && self.upto < self.state.newest;
        if !stopped {
            self.upto = (self.state.stamped + WINDOW).min(self.state.newest);
        }
    }

    fn is_empty(&self) -> bool {
        self.stamps.is_empty() && self.upto <= self.state.stamped
    }
}

/// What to write on one message, and what it must look like for that.
struct Stamp {
    seq: i64,
    set: Document,
    was_marked: bool,
}

impl Stamp {
    fn of(db: &Db, progress: &Progress, row: &Row, state: &State, was_marked: bool) -> Self {
        let parked: Vec<_> = progress.takers(&row.message).filter_map(|at| progress.parked(at, row.seq)).collect();
        let will_not_arrive = |parked: &&Parked| matches!(parked.state, ParkedState::Dead | ParkedState::Discarded);
        let has_failed = parked.iter().any(will_not_arrive);
        let set = if progress.is_settled(row) && !has_failed {
            published(db, state.now)
        } else {
            unpublished(db, state.now, &parked, has_failed)
        };
        Self { seq: row.seq, set, was_marked }
    }
}

fn published(db: &Db, now: i64) -> Document {
    let fields = &db.options.fields;
    doc! {
        &fields.status: &db.options.status.published,
        &fields.published_at: date(now),
        &fields.processed_at: date(now),
        &fields.last_error: Bson::Null,
    }
}

fn unpublished(db: &Db, now: i64, parked: &[&Parked], has_failed: bool) -> Document {
    let (fields, names) = (&db.options.fields, &db.options.status);
    let attempts = parked.iter().map(|parked| parked.attempts).max().unwrap_or_default();
    let error = parked.iter().find_map(|parked| parked.error.as_ref());
    let mut set = doc! {
        &fields.status: if has_failed { &names.failed } else { &names.pending },
        &fields.retry_count: i64::from(attempts),
        &fields.last_error: error.map_or(Bson::Null, Bson::from),
    };
    if attempts > 0 {
        set.insert(&fields.processed_at, date(now));
    }
    set
}

async fn write(db: &Db, stamps: &[Stamp]) -> Result<()> {
    // Mostly the same for all of them: one update for a whole stretch.
    let mut updates: Vec<Document> = Vec::new();
    let mut rest = stamps;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|one| one.set == first.set && one.was_marked == first.was_marked).count();
        let seqs: Vec<i64> = rest[..same].iter().map(|one| one.seq).collect();
        let mut messages = doc! { "posthaste.seq": { "$in": seqs } };
        let mut update = doc! { "$set": &first.set };
        if first.was_marked {
            update.insert("$unset", doc! { "posthaste.restamp": "" });
        } else {
            messages.insert("posthaste.restamp", doc! { "$ne": true });
        }
        updates.push(doc! { "q": messages, "u": update, "multi": true });
        rest = &rest[same..];
    }
    db.update_briefly(&db.options.collection, updates).await
}
