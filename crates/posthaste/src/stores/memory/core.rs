//! The whole state of a store, and the rules of the port without any machinery around them.
//!
//! Synchronous and deterministic: no tasks, no clock of its own, no randomness. [`super::Memory`] puts it behind a lock and
//! a real clock; a simulator drives it directly and moves the clock as it likes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use jiff::{SignedDuration, Timestamp};

use super::lane::Lane;
use super::lease::{Holding, Presence};
use super::sources::KnownSource;
use crate::destination::{Name, Route};
use crate::error::{Error, Result};
use crate::inspect::{AuditEntry, Job, TenantPause};
use crate::journal::{Enqueued, Entry, Partition, Position, WorkerId, partition_of};
use crate::message::{Message, MessageId, Origin, Text};
use crate::rules::route;

/// A journal and everything beside it.
#[derive(Debug, Clone)]
pub struct Core {
    pub(super) partitions: u16,
    pub(super) now: Duration,
    pub(super) newest: Position,
    pub(super) journal: BTreeMap<Position, Stored>,
    pub(super) by_id: HashMap<MessageId, Position>,
    pub(super) origins: HashSet<(Origin, Option<Text>)>,
    pub(super) destinations: BTreeMap<Name, Known>,
    pub(super) holdings: Vec<Holding>,
    pub(super) workers: BTreeMap<WorkerId, Presence>,
    pub(super) audit: Vec<AuditEntry>,
    pub(super) jobs: Vec<Job>,
    pub(super) sources: BTreeMap<Name, KnownSource>,
}

/// A committed message.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) partition: Partition,
    pub(super) message: Arc<Message>,
    pub(super) recorded_at: Duration,
}

/// A destination that was registered once.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) route: Route,
    /// Named by the latest registration.
    pub(super) current: bool,
    pub(super) paused: bool,
    pub(super) paused_tenants: Vec<TenantPause>,
    /// One per partition.
    pub(super) lanes: Vec<Lane>,
}

impl Core {
    /// An empty journal whose clock stands at the Unix epoch.
    pub fn new(partitions: u16) -> Self {
        Self {
            partitions,
            now: Duration::ZERO,
            newest: Position::START,
            journal: BTreeMap::new(),
            by_id: HashMap::new(),
            origins: HashSet::new(),
            destinations: BTreeMap::new(),
            holdings: vec![Holding::default(); usize::from(partitions)],
            workers: BTreeMap::new(),
            audit: Vec::new(),
            jobs: Vec::new(),
            sources: BTreeMap::new(),
        }
    }

    /// The store's clock, as time since the Unix epoch.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The store's clock as a person reads it.
    pub fn timestamp(&self) -> Timestamp {
        timestamp(self.now)
    }

    /// Sets the store's clock, forwards or backwards.
    pub fn set_now(&mut self, now: Duration) {
        self.now = now;
    }

    /// Moves the store's clock forwards.
    pub fn advance_clock(&mut self, by: Duration) {
        self.now += by;
    }

    /// See [`crate::journal::Journal::partitions`].
    pub fn partitions(&self) -> u16 {
        self.partitions
    }

    /// See [`crate::journal::Journal::advance`]. Positions are given at commit, so there is nothing left to do.
    pub fn advance(&self) -> Position {
        self.newest
    }

    /// Commits one application transaction: its messages become visible and get their positions, in this order. A message
    /// that was stored before, by its origin or its id, is left out.
    pub fn append<M: Into<Arc<Message>>>(&mut self, messages: impl IntoIterator<Item = M>) -> Enqueued {
        let mut enqueued = Enqueued::default();
        for message in messages {
            if self.store(message.into()) {
                enqueued.stored += 1;
            } else {
                enqueued.duplicates += 1;
            }
        }
        enqueued
    }

    fn store(&mut self, message: Arc<Message>) -> bool {
        let fence = message.origin.clone().map(|origin| (origin, message.destination.clone()));
        let repeated = fence.as_ref().is_some_and(|fence| self.origins.contains(fence));
        if repeated || self.by_id.contains_key(&message.id) {
            return false;
        }
        self.origins.extend(fence);
        self.newest.seq += 1;
        self.by_id.insert(message.id, self.newest);
        let partition = partition_of(&message, self.partitions);
        self.journal.insert(self.newest, Stored { partition, message, recorded_at: self.now });
        true
    }

    pub(super) fn known(&self, name: &Name) -> Result<&Known> {
        self.destinations.get(name).ok_or_else(|| Error::unknown_destination(name))
    }

    pub(super) fn known_mut(&mut self, name: &Name) -> Result<&mut Known> {
        self.destinations.get_mut(name).ok_or_else(|| Error::unknown_destination(name))
    }

    /// The destinations named by the latest registration.
    pub(super) fn current(&self) -> impl Iterator<Item = (&Name, &Known)> {
        self.destinations.iter().filter(|(_, known)| known.current)
    }

    /// Those of them that take a message.
    pub(super) fn takers<'a>(&'a self, stored: &'a Stored) -> impl Iterator<Item = (&'a Name, &'a Known)> {
        self.current().filter(|(name, known)| route::takes(&known.route, name, &stored.message))
    }

    pub(super) fn entry(&self, position: Position, stored: &Stored) -> Entry {
        let due_at = stored.message.due_at.map(since_epoch);
        Entry {
            position,
            partition: stored.partition,
            message: Arc::clone(&stored.message),
            due_in: due_at.filter(|&due_at| due_at > self.now).map(|due_at| due_at - self.now),
        }
    }
}

/// A lane is only asked for by the partition of a stored message or of a held lease, so it exists.
impl Known {
    pub(super) fn lane(&self, partition: Partition) -> &Lane {
        &self.lanes[partition.index()]
    }

    pub(super) fn lane_mut(&mut self, partition: Partition) -> &mut Lane {
        &mut self.lanes[partition.index()]
    }
}

/// The store's clock as a person reads it.
pub(super) fn timestamp(at: Duration) -> Timestamp {
    SignedDuration::try_from(at).ok().and_then(|at| Timestamp::from_duration(at).ok()).unwrap_or(Timestamp::MAX)
}

/// The inverse of [`timestamp`]; what lies before the epoch was due then.
fn since_epoch(at: Timestamp) -> Duration {
    Duration::try_from(at.as_duration()).unwrap_or_default()
}
