//! What the change stream has told.
//!
//! The stream tells when something was written, and in which order plain documents were committed. It is never needed:
//! the collection is the truth, and whoever waits here for the stream waits only so long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::bson::{Bson, RawDocument, Timestamp};
use mongodb::change_stream::event::ResumeToken;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How long a stream that goes on after a restart is given to tell what was committed meanwhile.
const CATCH_UP: Duration = Duration::from_secs(10);

/// Commits remembered until they are numbered. What is forgotten is numbered in the order of storage.
const REMEMBERED: usize = 100_000;

/// When a document was committed, and which one it was of those the stream told about.
pub(in crate::stores::mongodb) type Place = (Timestamp, u64);

/// What the stream is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::stores::mongodb) enum StreamState {
    /// There is none, or there was one.
    #[default]
    Broken,
    /// It was asked for just now.
    Opening,
    /// It tells what was committed while nobody listened.
    CatchingUp,
    /// It tells what is committed now.
    Live,
}

/// What the stream has told.
#[derive(Debug, Default)]
pub(in crate::stores::mongodb) struct Feed {
    /// Grows with everything that may be news.
    changes: AtomicU64,
    changed: Notify,
    restarts: AtomicU64,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    state: StreamState,
    /// When it stopped being broken; nobody waits for it to catch up longer than [`CATCH_UP`] after that.
    since: Option<Instant>,
    token: Option<ResumeToken>,
    count: u64,
    commits: HashMap<String, Place>,
}

impl Feed {
    /// Whether the stream tells of changes, so that nobody has to poll.
    pub(in crate::stores::mongodb) fn is_live(&self) -> bool {
        matches!(self.told().state, StreamState::CatchingUp | StreamState::Live)
    }

    /// Takes note of a change of the stream itself, after each of which everyone shall read.
    pub(in crate::stores::mongodb) fn note_state(&self, state: StreamState) {
        {
            let mut told = self.told();
            if told.state == StreamState::Broken {
                told.since = Some(Instant::now());
            }
            told.state = state;
        }
        self.announce();
    }

    /// The stream has nothing more to tell about the past.
    pub(in crate::stores::mongodb) fn has_caught_up(&self) {
        if self.told().state == StreamState::CatchingUp {
            self.note_state(StreamState::Live);
        }
    }

    pub(in crate::stores::mongodb) fn note_restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the stream had to be opened anew.
    pub(in crate::stores::mongodb) fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// Grows with everything that may be news.
    pub(in crate::stores::mongodb) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Wakes everyone who waits.
    pub(in crate::stores::mongodb) fn announce(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Returns when there is something that is not in `seen`.
    pub(in crate::stores::mongodb) async fn changed_since(&self, seen: u64) {
        loop {
            let changed = self.changed.notified();
            if self.changes() != seen {
                return;
            }
            changed.await;
        }
    }

    /// Where the stream is: everything up to there was told.
    pub(in crate::stores::mongodb) fn token(&self) -> Option<ResumeToken> {
        self.told().token.clone()
    }

    /// When these documents were committed, once the stream has told about all of them; `None` if it does not in time. One that
    /// catches up is given the time it takes.
    pub(in crate::stores::mongodb) async fn order_of(
        &self,
        ids: &[&Bson],
        patience: Duration,
    ) -> Option<HashMap<String, Place>> {
        let keys: Vec<String> = ids.iter().map(|id| id_text(id)).collect();
        let asked = Instant::now();
        loop {
            let changed = self.changed.notified();
            if let Some(order) = self.take(&keys) {
                return Some(order);
            }
            let rest = self.waits_until(asked + patience).saturating_duration_since(Instant::now());
            if timeout(rest, changed).await.is_err() {
                self.forget(&keys);
                return None;
            }
        }
    }

    /// Until when it makes sense to wait for the stream, if not longer than `patience` once it has caught up.
    fn waits_until(&self, patience: Instant) -> Instant {
        let told = self.told();
        match (told.state, told.since) {
            (StreamState::Live, _) => patience,
            (StreamState::Opening | StreamState::CatchingUp, Some(since)) => patience.max(since + CATCH_UP),
            _ => Instant::now(),
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

    /// Takes note of an event and of where the stream is.
    pub(in crate::stores::mongodb) fn note_event(
        &self,
        event: Option<&RawDocument>,
        token: Option<ResumeToken>,
        events: &str,
    ) {
        let mut told = self.told();
        if token.is_some() {
            told.token = token;
        }
        let Some(event) = event else { return };
        told.count += 1;
        let place = event.get_timestamp("clusterTime").ok().map(|at| (at, told.count));
        let collection = event.get_document("ns").ok().and_then(|ns| ns.get_str("coll").ok());
        // One that is not UTF-8 is nobody's: such a document is no message.
        let id = event.get_document("documentKey").ok().and_then(|key| key.get("_id").ok()?);
        let id = id.and_then(|id| Bson::try_from(id).ok());
        // Documents that carry the server's clock need no other order.
        let is_plain = !event.get_bool("stamped").unwrap_or(false);
        if let (Some(place), Some(id)) = (place, id)
            && collection == Some(events)
            && is_plain
        {
            if told.commits.len() >= REMEMBERED {
                told.commits.clear();
            }
            told.commits.insert(id_text(&id), place);
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How documents are told apart in memory.
pub(in crate::stores::mongodb) fn id_text(id: &Bson) -> String {
    match id {
        Bson::ObjectId(id) => id.to_hex(),
        other => other.to_string(),
    }
}
