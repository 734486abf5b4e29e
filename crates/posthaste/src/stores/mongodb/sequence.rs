//! The sequencer: committed documents get consecutive positions.
//!
//! One transaction numbers a batch: it reads what has no position, takes as many numbers from `outbox_state.newest` and writes
//! them into the documents. So a crash leaves nothing half done, nobody sees position n+1 before n, and two sequencers that
//! meet are told apart by their write to the same document: one of them has a conflict and numbered nothing. The lease only
//! saves them from meeting all the time.
//!
//! The order within a batch. Application transactions of one key follow each other, so what the later one inserts is inserted
//! after the earlier one's commit. Any of these follows that, and they can be mixed, because all are times of one logical clock:
//! * `recordedAt`, the server's clock at the insert (what the library writes, and anyone can: `Timestamp(0, 0)`);
//! * without it, the time of the commit, from the change stream;
//! * without either, the order in which the primary stored the documents (its record ids, which order equal index keys).

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{self, Bson, Document, doc};
use mongodb::options::ReturnDocument;

use super::codec::{self, Row, moment, whole};
use super::db::{Db, JOURNAL};
use super::session::snapshot;
use super::{MongoDb, error};
use crate::error::Result;
use crate::journal::{Position, partition_of};
use crate::message::{Limits, MessageId};

/// Instead of a position: delivered by whoever came before Posthaste.
const ADOPTED: i64 = 0;

/// Instead of a position: cannot be a message.
pub(super) const REFUSED: i64 = -1;

/// Documents numbered in one transaction.
const BATCH: i64 = 1_000;

/// How long a sequencer is left alone after it did something.
const LEASE: Duration = Duration::from_secs(2);

/// How long to wait for the change stream to say in which order plain documents were committed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Before someone who must not leave it to another sequencer tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// What the journal says about itself now.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) newest: i64,
    pub(super) stamped: i64,
    pub(super) wakes: i64,
    /// The primary's clock.
    pub(super) now: i64,
    sequencer: String,
    free_at: i64,
}

/// The state, by `_id`.
pub(super) async fn state(db: &Db, session: &mut ClientSession) -> Result<State> {
    let only = doc! { "newest": 1, "stamped": 1, "wakes": 1, "sequencer": 1, "now": "$$NOW" };
    let found = db.state.find_one(doc! { "_id": JOURNAL }).projection(only).session(session).await?;
    let found = found.ok_or_else(error::no_journal)?;
    let sequencer = found.get_document("sequencer").ok();
    Ok(State {
        newest: whole(&found, "newest")?,
        stamped: whole(&found, "stamped")?,
        wakes: whole(&found, "wakes")?,
        now: moment(&found, "now").unwrap_or_default(),
        sequencer: sequencer.and_then(|one| one.get_str("holder").ok()).unwrap_or_default().to_owned(),
        free_at: sequencer.and_then(|one| moment(one, "until")).unwrap_or_default(),
    })
}

impl State {
    /// Whether this store may act as the sequencer.
    pub(super) fn is_ours(&self, us: &str) -> bool {
        self.sequencer == us || self.free_at <= self.now
    }
}

/// Whether anything waits for its place, by `outbox_journal`.
pub(super) async fn any_without_place(db: &Db, session: &mut ClientSession) -> Result<bool> {
    let only = doc! { "_id": 1 };
    let found = db.events.find_one(doc! { "posthaste.seq": Bson::Null }).projection(only).session(session).await?;
    Ok(found.is_some())
}

impl MongoDb {
    /// Numbers what waits, unless another sequencer is at it, and returns the newest position.
    pub(super) async fn sequence(&self) -> Result<Position> {
        self.count_partitions().await?;
        let db = self.db();
        let token = self.shared.feed.token();
        let (state, any) = snapshot!(db, session => look(db, &mut session))?;
        if !state.is_ours(&self.shared.sequencer) {
            return Ok(codec::position(state.newest));
        }
        if !any {
            self.keep_token(token).await;
            return Ok(codec::position(state.newest));
        }
        let mut newest = state.newest;
        while let Some(numbered) = self.number().await? {
            newest = newest.max(numbered.newest);
            if !numbered.more {
                self.keep_token(token).await;
                break;
            }
        }
        Ok(codec::position(newest))
    }

    /// Numbers everything that is committed by now, whoever the sequencer is.
    pub(super) async fn sequence_all(&self) -> Result<()> {
        loop {
            match self.number().await? {
                Some(numbered) if !numbered.more => return Ok(()),
                Some(_) => {}
                // Or a dead one is, whom nobody else may be there to end.
                None => {
                    self.end_the_dead().await?;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// One batch. `None` if another sequencer was faster.
    async fn number(&self) -> Result<Option<Numbered>> {
        let db = self.db();
        let partitions = self.count_partitions().await?;
        let mut session = super::session::begin(db).await?;
        let outcome = self.number_in(&mut session, partitions).await;
        match super::session::end(session, outcome).await {
            Ok(numbered) => Ok(Some(numbered)),
            Err(error) if error::failure_of(&error).is_some_and(|failure| failure.transient) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn number_in(&self, session: &mut ClientSession, partitions: u16) -> Result<Numbered> {
        let db = self.db();
        let rows = without_place(db, session).await?;
        let more = rows.len() as i64 == BATCH;
        // A backlog is not held up for what the stream may never tell.
        let rows = self.in_order(rows, if more { Duration::ZERO } else { PATIENCE }).await;
        let taken: Vec<Taken> = rows.into_iter().map(|row| self.judge(row)).collect();
        let count = taken.iter().filter(|taken| matches!(taken, Taken::Message(..))).count() as i64;
        let (newest, now) = self.take_numbers(session, count).await?;
        let mut next = newest - count;
        let updates = taken.into_iter().map(|taken| taken.update(&mut next, partitions, now, db)).collect();
        db.update_all(&db.options.collection, updates, Some(session)).await?;
        Ok(Numbered { newest, more })
    }

    /// The numbers, and the primary's clock. The write that keeps sequencers apart.
    async fn take_numbers(&self, session: &mut ClientSession, count: i64) -> Result<(i64, i64)> {
        let lease = codec::millis(LEASE);
        let holder = doc! { "$literal": &self.shared.sequencer };
        let take = doc! { "$set": {
            "newest": { "$add": ["$newest", count] },
            "sequencer": { "holder": holder, "until": { "$add": ["$$NOW", lease] } },
        } };
        let update = self.db().state.find_one_and_update(doc! { "_id": JOURNAL }, vec![take]);
        let state =
            update.return_document(ReturnDocument::After).session(session).await?.ok_or_else(error::no_journal)?;
        let until = state.get_document("sequencer").ok().and_then(|one| moment(one, "until")).unwrap_or_default();
        Ok((whole(&state, "newest")?, until - lease))
    }

    /// Sorts a batch into the order of the transactions that wrote it. See the top of this file.
    async fn in_order(&self, rows: Vec<Row>, patience: Duration) -> Vec<Row> {
        let plain: Vec<&Bson> = rows.iter().filter(|row| row.recorded_at.is_none()).map(|row| &row.id).collect();
        let committed = if plain.is_empty() {
            None
        } else {
            self.follow();
            self.shared.feed.order_of(&plain, patience).await
        };
        let mut places: Vec<_> = rows
            .into_iter()
            .enumerate()
            .map(|(stored, row)| {
                let seen = committed.as_ref().and_then(|seen| seen.get(&codec_key(&row.id)).copied());
                let clock =
                    row.recorded_at.or(seen.map(|(at, _)| at)).unwrap_or(bson::Timestamp { time: 0, increment: 0 });
                let within = seen.filter(|_| row.recorded_at.is_none()).map_or(stored as u64, |(_, nth)| nth);
                ((clock.time, clock.increment, within), row)
            })
            .collect();
        places.sort_by_key(|(place, _)| *place);
        places.into_iter().map(|(_, row)| row).collect()
    }

    fn judge(&self, row: Row) -> Taken {
        let options = &self.db().options;
        if row.by_library {
            return Taken::Message(Box::new(row), None);
        }
        if row.is_processed || row.status.as_deref() == Some(options.status.published.as_str()) {
            return Taken::Done(row.id);
        }
        // As the other stores are with what comes by plain SQL: what orders and routes a message must make sense.
        let limits = Limits { name_bytes: 1_000, ..Limits::default() };
        match limits.check(&row.message) {
            Err(invalid) => Taken::Refused(row.id, invalid.to_string()),
            Ok(()) if row.message.id.0.is_nil() => Taken::Message(Box::new(row), Some(MessageId::generate())),
            Ok(()) => {
                let given = row.id_is_given.then_some(row.message.id);
                Taken::Message(Box::new(row), given)
            }
        }
    }
}

/// How documents are told apart in memory.
pub(super) fn codec_key(id: &Bson) -> String {
    match id {
        Bson::ObjectId(id) => id.to_hex(),
        other => other.to_string(),
    }
}

async fn look(db: &Db, session: &mut ClientSession) -> Result<(State, bool)> {
    let state = state(db, session).await?;
    Ok((state, any_without_place(db, session).await?))
}

/// The oldest documents without a position, by `outbox_journal`; equal ones as they were stored.
async fn without_place(db: &Db, session: &mut ClientSession) -> Result<Vec<Row>> {
    let find = db.events.find(doc! { "posthaste.seq": Bson::Null }).sort(doc! { &db.options.fields.recorded_at: 1 });
    let find = find.projection(db.without_payload()).limit(BATCH).batch_size(1_000);
    let mut cursor = find.session(&mut *session).await?;
    let mut rows = Vec::new();
    while cursor.advance(session).await? {
        rows.push(codec::row(db, cursor.current())?);
    }
    Ok(rows)
}

struct Numbered {
    newest: i64,
    /// There may be more.
    more: bool,
}

/// What becomes of a document.
enum Taken {
    /// With the id it gets, where `_id` does not tell.
    Message(Box<Row>, Option<MessageId>),
    Done(Bson),
    Refused(Bson, String),
}

impl Taken {
    fn update(self, next: &mut i64, partitions: u16, now: i64, db: &Db) -> Document {
        let (id, set) = match self {
            Self::Message(mut row, given) => {
                *next += 1;
                row.message.id = given.unwrap_or(row.message.id);
                let mut set = doc! {
                    "posthaste.seq": *next,
                    "posthaste.partition": i64::from(partition_of(&row.message, partitions).number()),
                    "posthaste.at": super::date(now),
                };
                if !row.by_library {
                    set.insert("posthaste.key", row.message.key.as_deref().map_or(Bson::Null, Bson::from));
                }
                if let Some(id) = given {
                    set.insert("posthaste.id", codec::uuid(id));
                }
                (row.id, set)
            }
            Self::Done(id) => (id, doc! { "posthaste.seq": ADOPTED }),
            Self::Refused(id, why) => {
                let mut set = doc! { "posthaste.seq": REFUSED, "posthaste.refused": &why };
                if db.options.stamp_status {
                    set.insert(&db.options.fields.status, &db.options.status.failed);
                    set.insert(&db.options.fields.last_error, &why);
                }
                (id, set)
            }
        };
        doc! { "q": { "_id": id }, "u": { "$set": set } }
    }
}
