//! The reading that is open, and when the next one is opened.

use std::sync::Arc;
use std::time::Duration;

use super::protocol::{Opened, ReadingId};
use super::rest::Rest;
use crate::source::Marker;

/// What to do about the reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Open(ReadingId),
    Read(ReadingId),
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Closed,
    Opening,
    /// Nothing is asked of it.
    Idle,
    /// It has been asked for more.
    Asked,
}

#[derive(Debug)]
pub(super) struct Reading {
    id: ReadingId,
    state: State,
    rest: Rest,
    wants_settled: bool,
    /// Events that came, from this reading and all before it.
    events: u64,
    /// Of the reading that is open, or was open last: what is in memory comes from it.
    marker: Option<Arc<dyn Marker>>,
}

impl Reading {
    pub(super) fn new(min: Duration, max: Duration) -> Self {
        Self { id: 0, state: State::Closed, rest: Rest::new(min, max), wants_settled: false, events: 0, marker: None }
    }

    /// A new one is opened only when everything of the one before is stored: it begins at the stored checkpoint.
    pub(super) fn plan(&mut self, now: Duration, is_drained: bool, has_room: bool) -> Option<Step> {
        match self.state {
            State::Closed if is_drained && self.rest.is_over(now) => {
                self.id += 1;
                self.state = State::Opening;
                Some(Step::Open(self.id))
            }
            State::Idle if has_room => {
                self.state = State::Asked;
                Some(Step::Read(self.id))
            }
            _ => None,
        }
    }

    /// Whether this is said of the reading that is open.
    pub(super) fn is_current(&self, id: ReadingId) -> bool {
        self.id == id && self.state != State::Closed
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    pub(super) fn opened(&mut self, opened: Opened) {
        self.state = State::Idle;
        (self.wants_settled, self.marker) = (opened.wants_settled, opened.marker);
    }

    /// So many events came. Returns whether it had failed before.
    pub(super) fn arrived(&mut self, events: usize) -> bool {
        self.state = State::Idle;
        self.events += events as u64;
        self.rest.end()
    }

    /// It has failed; the next one rests for so long.
    pub(super) fn failed(&mut self, now: Duration, asked: Option<Duration>) -> Duration {
        self.state = State::Closed;
        self.rest.begin(now, asked)
    }

    /// Events that came so far.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Which one there is to close.
    pub(super) fn close(&mut self) -> Option<ReadingId> {
        let was = std::mem::replace(&mut self.state, State::Closed);
        (was != State::Closed).then_some(self.id)
    }

    /// The reading that wants to hear what became of events.
    pub(super) fn wants_settled(&self) -> Option<ReadingId> {
        (self.state != State::Closed && self.wants_settled).then_some(self.id)
    }

    /// How the journal is to mark what comes from this reading.
    pub(super) fn marker(&self) -> Option<&dyn Marker> {
        self.marker.as_deref()
    }

    /// The journal cannot, and is not asked again before the next reading.
    pub(super) fn mark_apart(&mut self) {
        self.marker = None;
    }

    pub(super) fn wake_at(&self) -> Option<Duration> {
        (self.state == State::Closed).then(|| self.rest.until().unwrap_or_default())
    }
}
