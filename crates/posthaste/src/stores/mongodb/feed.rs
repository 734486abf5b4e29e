//! Following the change stream.
//!
//! The stream tells when something was written, and in which order plain documents were committed. It is never needed: the
//! collection is the truth. So whatever happens to it (a lost connection, a token that the oplog no longer reaches, an
//! `invalidate`, a fatal error) has one answer: note that something may have been missed, which makes everyone look, and open
//! another one, first where the last one was, then from now on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mongodb::bson::{Bson, Document, Timestamp, doc};
use mongodb::change_stream::ChangeStream;
use mongodb::change_stream::event::ResumeToken;
use mongodb::options::ReadConcern;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::db::Db;
use super::sequence::codec_key;
use super::token;
use crate::error::{Error, Result};

/// How long the server waits before it says that there is nothing; each answer moves the token on.
const AWAIT: Duration = Duration::from_millis(1_000);

/// A stream that says nothing at all for this long, not even that there is nothing, is dead.
const SILENCE: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Commits remembered until they are numbered. What is forgotten is numbered in the order of storage.
const REMEMBERED: usize = 100_000;

/// When a document was committed, and which one it was of those the stream told about.
pub(super) type Place = (Timestamp, u64);

/// What the stream has told.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// Grows with everything that may be news.
    changes: AtomicU64,
    changed: Notify,
    live: AtomicBool,
    pub(super) restarts: AtomicU64,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    token: Option<ResumeToken>,
    count: u64,
    commits: HashMap<String, Place>,
}

impl Feed {
    pub(super) fn is_live(&self) -> bool {
        self.live.load(Ordering::Acquire)
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(super) fn announce(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Returns when there is something that is not in `seen`.
    pub(super) async fn changed_since(&self, seen: u64) {
        loop {
            let changed = self.changed.notified();
            if self.changes() != seen {
                return;
            }
            changed.await;
        }
    }

    /// Where the stream stands: everything up to there was told.
    pub(super) fn token(&self) -> Option<ResumeToken> {
        self.told().token.clone()
    }

    /// When these documents were committed, once the stream has told about all of them; `None` if it does not in time.
    pub(super) async fn order_of(&self, ids: &[&Bson], patience: Duration) -> Option<HashMap<String, Place>> {
        let keys: Vec<String> = ids.iter().map(|id| codec_key(id)).collect();
        let until = Instant::now() + patience;
        loop {
            let changed = self.changed.notified();
            if let Some(order) = self.take(&keys) {
                return Some(order);
            }
            if !self.is_live() || timeout(until.saturating_duration_since(Instant::now()), changed).await.is_err() {
                self.forget(&keys);
                return None;
            }
        }
    }

    fn take(&self, keys: &[String]) -> Option<HashMap<String, Place>> {
        let mut told = self.told();
        let order: HashMap<_, _> =
            keys.iter().filter_map(|key| told.commits.get(key).map(|place| (key.clone(), *place))).collect();
        if order.len() < keys.len() {
            return None;
        }
        for key in keys {
            told.commits.remove(key);
        }
        Some(order)
    }

    fn forget(&self, keys: &[String]) {
        let mut told = self.told();
        for key in keys {
            told.commits.remove(key);
        }
    }

    /// Takes note of an event and of where the stream stands.
    fn tell(&self, event: Option<&Document>, token: Option<ResumeToken>, events: &str) {
        let mut told = self.told();
        if token.is_some() {
            told.token = token;
        }
        let Some(event) = event else { return };
        told.count += 1;
        let place = event.get_timestamp("clusterTime").ok().map(|at| (at, told.count));
        let collection = event.get_document("ns").ok().and_then(|ns| ns.get_str("coll").ok());
        let id = event.get_document("documentKey").ok().and_then(|key| key.get("_id"));
        // Documents that carry the server's clock need no other order.
        let is_plain = !event.get_bool("stamped").unwrap_or(false);
        if let (Some(place), Some(id)) = (place, id)
            && collection == Some(events)
            && is_plain
        {
            if told.commits.len() >= REMEMBERED {
                told.commits.clear();
            }
            told.commits.insert(codec_key(id), place);
        }
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the stream for as long as the store is there.
pub(super) async fn follow(db: Db, feed: Arc<Feed>) {
    let mut pause = FIRST_PAUSE;
    let mut resume = token::load(&db).await.unwrap_or_default();
    loop {
        let opened = Instant::now();
        let error = match open(&db, resume.take()).await {
            Ok(stream) => {
                feed.live.store(true, Ordering::Release);
                // Whatever happened before is not in this stream: look for it.
                feed.announce();
                read(&db, &feed, stream).await
            }
            Err(error) => error,
        };
        feed.live.store(false, Ordering::Release);
        feed.restarts.fetch_add(1, Ordering::Relaxed);
        feed.announce();
        // From where it was if it can be resumed from there, else from now on.
        resume = if is_fatal(&error) { None } else { feed.token() };
        pause = if opened.elapsed() > LONGEST_PAUSE { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep(pause).await;
    }
}

/// Whether the same token would meet the same error: the oplog no longer reaches back to it (286), it is not understood (260), the
/// stream cannot be resumed (280), or what it watched is gone.
fn is_fatal(error: &Error) -> bool {
    let code = super::error::failure_of(error).and_then(|failure| failure.code);
    !matches!(
        code,
        None | Some(
            6 | 7
                | 63
                | 89
                | 91
                | 133
                | 150
                | 189
                | 234
                | 262
                | 9_001
                | 10_107
                | 11_600
                | 11_602
                | 13_388
                | 13_435
                | 13_436
        )
    )
}

async fn open(db: &Db, resume: Option<ResumeToken>) -> Result<ChangeStream<Document>> {
    let events = &db.options.collection;
    let ended = ["drop", "rename", "dropDatabase", "invalidate"];
    let wanted = doc! { "$match": { "$or": [
        { "ns.coll": events, "operationType": "insert" },
        { "ns.coll": "outbox_state", "operationType": { "$in": ["insert", "update", "replace"] } },
        { "operationType": { "$in": ended.to_vec() } },
    ] } };
    // Not the documents: whoever needs them reads them, and they can be too large for an event.
    let stamp = format!("$fullDocument.{}", db.options.fields.recorded_at);
    let stamped = doc! { "$eq": [{ "$type": stamp }, "timestamp"] };
    let only = doc! { "$project": {
        "_id": 1, "operationType": 1, "ns": 1, "clusterTime": 1, "documentKey": 1, "stamped": stamped,
    } };
    let watch =
        db.database.watch().pipeline([wanted, only]).read_concern(ReadConcern::majority()).max_await_time(AWAIT);
    let watch = match resume {
        // Also goes on after an `invalidate`, which `resume_after` does not.
        Some(token) => watch.start_after(token),
        None => watch,
    };
    let stream = timeout(SILENCE, async { watch.await }).await;
    Ok(stream.map_err(|_| super::error::too_slow())??.with_type())
}

/// Until it ends, and why.
async fn read(db: &Db, feed: &Feed, mut stream: ChangeStream<Document>) -> Error {
    while stream.is_alive() {
        let event = match timeout(SILENCE, stream.next_if_any()).await {
            Ok(Ok(event)) => event,
            Ok(Err(error)) => return error.into(),
            Err(_) => return super::error::too_slow(),
        };
        feed.tell(event.as_ref(), stream.resume_token(), &db.options.collection);
        if event.is_some() {
            feed.announce();
        }
    }
    super::db::corrupt("the change stream was invalidated")
}
