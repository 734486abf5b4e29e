//! What the change stream has told.
//!
//! The stream (`stream`) tells when something was written, and in which order plain documents were committed. It is never needed:
//! the collection is the truth, and whoever waits here for the stream waits only so long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::bson::{Bson, Document, Timestamp};
use mongodb::change_stream::event::ResumeToken;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::sequence::codec_key;

/// How long a stream that goes on after a restart is given to tell what was committed meanwhile.
const CATCH_UP: Duration = Duration::from_secs(10);

/// Commits remembered until they are numbered. What is forgotten is numbered in the order of storage.
const REMEMBERED: usize = 100_000;

/// When a document was committed, and which one it was of those the stream told about.
pub(super) type Place = (Timestamp, u64);

/// How the stream stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Standing {
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
pub(super) struct Feed {
    /// Grows with everything that may be news.
    changes: AtomicU64,
    changed: Notify,
    pub(super) restarts: AtomicU64,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    standing: Standing,
    /// When it was last other than broken for the first time; nobody waits for it to catch up longer than [`CATCH_UP`] after that.
    since: Option<Instant>,
    token: Option<ResumeToken>,
    count: u64,
    commits: HashMap<String, Place>,
}

impl Feed {
    pub(super) fn is_live(&self) -> bool {
        matches!(self.told().standing, Standing::CatchingUp | Standing::Live)
    }

    /// Takes note of a change of the stream itself, after each of which everyone shall look.
    pub(super) fn stands(&self, standing: Standing) {
        {
            let mut told = self.told();
            if told.standing == Standing::Broken {
                told.since = Some(Instant::now());
            }
            told.standing = standing;
        }
        self.announce();
    }

    /// The stream has nothing more to tell about the past.
    pub(super) fn has_caught_up(&self) {
        if self.told().standing == Standing::CatchingUp {
            self.stands(Standing::Live);
        }
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

    /// When these documents were committed, once the stream has told about all of them; `None` if it does not in time. One that
    /// catches up is given the time it takes.
    pub(super) async fn order_of(&self, ids: &[&Bson], patience: Duration) -> Option<HashMap<String, Place>> {
        let keys: Vec<String> = ids.iter().map(|id| codec_key(id)).collect();
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
        match (told.standing, told.since) {
            (Standing::Live, _) => patience,
            (Standing::Opening | Standing::CatchingUp, Some(since)) => patience.max(since + CATCH_UP),
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

    /// Takes note of an event and of where the stream stands.
    pub(super) fn tell(&self, event: Option<&Document>, token: Option<ResumeToken>, events: &str) {
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

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
