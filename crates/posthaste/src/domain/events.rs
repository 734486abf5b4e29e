//! The events of one aggregate that are not written yet.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;

use super::event::{DomainEvent, decode};
use crate::message::{Invalid, Message};

/// Over all aggregates of the process: the order in which things happened.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// What has happened to an aggregate since it was loaded, and at which version that was.
///
/// An event becomes a message when it is registered, so it is told as it was then, and keeps its id however often a unit of work
/// is repeated. With serde, mark the field `#[serde(skip)]`: events are not part of the state.
#[derive(Default)]
pub struct Events {
    version: AtomicU64,
    pending: Mutex<Vec<Registered>>,
}

/// One event on its way to a unit of work.
#[derive(Clone)]
pub(super) struct Registered {
    pub(super) number: u64,
    event_type: &'static str,
    /// What is wrong with an event is told when it is saved, where an error can be dealt with.
    pub(super) message: Result<Message, Invalid>,
}

impl Events {
    /// For an aggregate that was loaded, with the version it had then. A new one has version 0: `Events::default()`.
    pub fn at_version(version: u64) -> Self {
        Self { version: AtomicU64::new(version), pending: Mutex::default() }
    }

    /// Takes note of what happened.
    pub fn register<E: DomainEvent>(&mut self, event: E) {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let registered = Registered { number, event_type: E::EVENT_TYPE, message: event.to_message() };
        self.pending_mut().push(registered);
    }

    /// As [`Events::register`], in place of whatever of the same type was not written yet: only the newest counts.
    pub fn register_replacing<E: DomainEvent>(&mut self, event: E) {
        self.pending_mut().retain(|other| other.event_type != E::EVENT_TYPE);
        self.register(event);
    }

    /// How often the aggregate was saved, for an optimistic check:
    /// `UPDATE customers SET …, version = version + 1 WHERE id = ? AND version = ?`.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Whether the statement that compared the version found its row.
    pub fn check_version(&self, rows_affected: u64) -> Result<(), Conflict> {
        if rows_affected == 1 { Ok(()) } else { Err(Conflict { version: self.version() }) }
    }

    /// How many events are not written yet.
    pub fn len(&self) -> usize {
        self.pending().len()
    }

    /// Whether all events are written.
    pub fn is_empty(&self) -> bool {
        self.pending().is_empty()
    }

    /// The types of the events, in order.
    pub fn types(&self) -> Vec<&'static str> {
        self.pending().iter().map(|registered| registered.event_type).collect()
    }

    /// The events of one type, in order.
    pub fn of<E: DomainEvent + DeserializeOwned>(&self) -> Vec<E> {
        let pending = self.pending();
        let of_type = pending.iter().filter(|registered| registered.event_type == E::EVENT_TYPE);
        of_type.filter_map(|registered| decode(registered.message.as_ref().ok()?).ok()).collect()
    }

    /// As they will be written, in order.
    pub fn messages(&self) -> Result<Vec<Message>, Invalid> {
        self.pending().iter().map(|registered| registered.message.clone()).collect()
    }

    pub(super) fn pending(&self) -> MutexGuard<'_, Vec<Registered>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_mut(&mut self) -> &mut Vec<Registered> {
        self.pending.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of it is in the database. Nothing can have been registered since it was saved: the unit of work borrows the aggregate.
    pub(super) fn committed(&self) {
        self.pending().clear();
        self.version.fetch_add(1, Ordering::Relaxed);
    }
}

/// The same events with the same ids: of an aggregate and its clone, both saved, each event is still one event.
impl Clone for Events {
    fn clone(&self) -> Self {
        Self { version: AtomicU64::new(self.version()), pending: Mutex::new(self.pending().clone()) }
    }
}

/// Shows types and no payloads.
impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("version", &self.version()).field("pending", &self.types()).finish()
    }
}

/// Somebody else saved the aggregate since it was loaded. Load it again and repeat what was to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The version that is gone.
    pub version: u64,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "somebody else saved this aggregate since it was at version {}: load it and repeat", self.version)
    }
}

impl std::error::Error for Conflict {}
