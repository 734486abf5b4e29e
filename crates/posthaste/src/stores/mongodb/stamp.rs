//! Stamps for people who look into the collection: `status`, `publishedAt`, `retryCount`, `lastError`, `processedAt`.
//!
//! Nothing here reads them; the cursors are the truth, and the stamps follow within a second. A message is stamped as published
//! when everyone who takes it is done with it, as failed when it is dead or discarded somewhere.
//!
//! `outbox_state.stamped` moves over the journal behind the lanes: up to it every message was either stamped as published or was set
//! aside somewhere. Whatever changes about the latter marks the message (`posthaste.restamp`) in the same transaction, so no
//! crash leaves a stale stamp behind.

use std::sync::PoisonError;
use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use tokio::time::Instant;

use super::codec::Row;
use super::db::{Db, JOURNAL};
use super::sequence::State;
use super::session::{snapshot, transaction};
use super::standing::{Parked, Standing};
use super::{MongoDb, date, read, sequence};
use crate::error::Result;
use crate::inspect::Status;
use crate::journal::ParkedState;

/// Between two rounds while there is something to stamp.
const INTERVAL: Duration = Duration::from_millis(500);

/// Between two rounds when the last one found nothing.
const IDLE: Duration = Duration::from_secs(5);

/// Messages looked at in one round.
const WINDOW: i64 = 10_000;

/// Messages stamped in one transaction.
const PER_TRANSACTION: usize = 1_000;

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

impl MongoDb {
    pub(super) fn stamps_due(&self) {
        self.shared.stamps.lock().unwrap_or_else(PoisonError::into_inner).hurry();
    }

    /// Stamps what is there to stamp, if it is time and this store is the sequencer. Nothing depends on it, so a failure is no
    /// reason to stop: the next round will do.
    pub(super) async fn stamp_if_due(&self) {
        let is_due = || self.shared.stamps.lock().unwrap_or_else(PoisonError::into_inner).is_due();
        if self.db().options.stamp_status && is_due() && self.stamp().await.unwrap_or(true) {
            self.stamps_due();
        }
    }

    /// One round; whether there may be more to do.
    pub(super) async fn stamp(&self) -> Result<bool> {
        let db = self.db();
        let round = snapshot!(db, session => look(db, &mut session))?;
        if !round.state.is_ours(&self.shared.sequencer) || round.is_empty() {
            return Ok(false);
        }
        for some in round.stamps.chunks(PER_TRANSACTION) {
            transaction!(db, session => write(db, &mut session, some))?;
        }
        if round.upto > round.state.stamped {
            let further = doc! { "_id": JOURNAL, "stamped": { "$lt": round.upto } };
            db.state.update_one(further, doc! { "$set": { "stamped": round.upto } }).await?;
        }
        Ok(round.more)
    }
}

struct Round {
    state: State,
    stamps: Vec<Stamp>,
    upto: i64,
    more: bool,
}

impl Round {
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

/// Looks at the messages behind the lanes, by `outbox_journal`, and at those that are marked, by `outbox_restamp`.
async fn look(db: &Db, session: &mut ClientSession) -> Result<Round> {
    let state = sequence::state(db, session).await?;
    let marked = read::rows(db, session, doc! { "posthaste.restamp": true }, Some(WINDOW), false).await?;
    let beyond = doc! { "posthaste.seq": { "$gt": state.stamped, "$lte": state.stamped + WINDOW } };
    let passed = read::rows(db, session, beyond, None, false).await?;
    let standing = Standing::load(db, session, None).await?;
    let mut round = Round { upto: state.stamped, stamps: Vec::new(), more: false, state };
    if standing.destinations.is_empty() {
        return Ok(round);
    }
    round.stamps.extend(marked.iter().map(|row| stamp(db, &standing, row, &round.state, true)));
    let mut stopped = false;
    for row in &passed {
        let is_pending = standing.takers(&row.message).any(|place| standing.status(place, row) == Status::Pending);
        stopped |= is_pending;
        if !stopped {
            round.upto = row.seq;
        }
        let is_stamped = row.status.as_deref() == Some(db.options.status.published.as_str());
        if !is_pending && !is_stamped {
            round.stamps.push(stamp(db, &standing, row, &round.state, false));
        }
    }
    round.more = !stopped && round.upto < round.state.newest;
    if !stopped {
        round.upto = (round.state.stamped + WINDOW).min(round.state.newest);
    }
    Ok(round)
}

fn stamp(db: &Db, standing: &Standing, row: &Row, state: &State, was_marked: bool) -> Stamp {
    let (fields, names) = (&db.options.fields, &db.options.status);
    let parked: Vec<_> = standing.takers(&row.message).filter_map(|place| standing.parked(place, row.seq)).collect();
    let will_not_arrive = |parked: &&Parked| matches!(parked.state, ParkedState::Dead | ParkedState::Discarded);
    let has_failed = parked.iter().any(will_not_arrive);
    let mut set = Document::new();
    if standing.is_settled(row) && !has_failed {
        set.insert(&fields.status, &names.published);
        set.insert(&fields.published_at, date(state.now));
        set.insert(&fields.processed_at, date(state.now));
        set.insert(&fields.last_error, Bson::Null);
    } else {
        let attempts = parked.iter().map(|parked| parked.attempts).max().unwrap_or_default();
        let error = parked.iter().find_map(|parked| parked.error.as_ref());
        set.insert(&fields.status, if has_failed { &names.failed } else { &names.pending });
        set.insert(&fields.retry_count, i64::from(attempts));
        set.insert(&fields.last_error, error.map_or(Bson::Null, Bson::from));
        if attempts > 0 {
            set.insert(&fields.processed_at, date(state.now));
        }
    }
    Stamp { seq: row.seq, set, was_marked }
}

async fn write(db: &Db, session: &mut ClientSession, stamps: &[Stamp]) -> Result<()> {
    // Mostly the same for all of them: one update for a whole stretch.
    let mut updates: Vec<Document> = Vec::new();
    let mut rest = stamps;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|one| one.set == first.set && one.was_marked == first.was_marked).count();
        let seqs: Vec<i64> = rest[..same].iter().map(|one| one.seq).collect();
        let mut update = doc! { "$set": &first.set };
        if first.was_marked {
            update.insert("$unset", doc! { "posthaste.restamp": "" });
        }
        updates.push(doc! { "q": { "posthaste.seq": { "$in": seqs } }, "u": update, "multi": true });
        rest = &rest[same..];
    }
    db.update_all(&db.options.collection, updates, Some(session)).await?;
    Ok(())
}
