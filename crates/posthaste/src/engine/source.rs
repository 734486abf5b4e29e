//! One source of one worker: who may read it, when it is read on, what is stored with which checkpoint, and what an error means.
//!
//! ```text
//!   lease ──granted──► open after the stored checkpoint ──► read ──► backlog ──► ingest (one at a time) ──► settled
//!     ▲                       ▲                              │                     │ refused: the lease is gone
//!     │                       └── rest ◄── an error ─────────┘                     │
//!     └───────────────────── begin anew ◄──────────────────────────────────────────┘
//! ```
//! The store is authoritative about who reads and from where. A reading that fails is opened anew after the *stored* checkpoint, once what
//! was read before is stored. Nothing is read beyond the window, so a slow journal slows the source and nothing else. An event that nothing
//! can be made of is kept as the policy says; where that is to stop, what came before it is stored first.

use std::time::Duration;

use self::backlog::Backlog;
use self::holding::Holding;
use self::presence::Presence;
use self::reading::{Reading, Step};
use self::storing::Storing;
use super::mistakes::{Mistake, Mistakes};
use crate::journal::{Ingest, SourceReport, SourceState, WorkerId};
use crate::source::{Feed, Made};

pub(crate) use self::protocol::{
    Arrived, IngestFailure, Opened, Piece, ReadingId, SourceAction, SourceEvent, SourceInput, SourceSnapshot,
};

mod answers;
mod backlog;
mod holding;
mod presence;
mod protocol;
mod reading;
mod rest;
mod storing;
#[cfg(test)]
mod tests;

/// The state of one source.
#[derive(Debug)]
pub(crate) struct SourceEngine {
    feed: Feed,
    worker: WorkerId,
    mistakes: Mistakes,
    holding: Holding,
    reading: Reading,
    backlog: Backlog,
    storing: Storing,
    /// Why nothing more is read until a person has seen to it.
    stopped: Option<String>,
    report: SourceReport,
    presence: Presence,
    actions: Vec<SourceAction>,
    events: Vec<SourceEvent>,
}

impl SourceEngine {
    /// A source that nothing is known of yet.
    pub(crate) fn new(feed: Feed, worker: WorkerId, lease_ttl: Duration, mistakes: Mistakes) -> Self {
        Self {
            holding: Holding::new(lease_ttl),
            reading: Reading::new(feed.retry_min, feed.retry_max),
            backlog: Backlog::default(),
            storing: Storing::new(&feed),
            stopped: None,
            report: SourceReport::default(),
            presence: Presence::Staying,
            actions: Vec::new(),
            events: Vec::new(),
            feed,
            worker,
            mistakes,
        }
    }

    /// Takes note of what happened.
    pub(crate) fn handle(&mut self, now: Duration, input: SourceInput) {
        match input {
            SourceInput::Leased(answer) => self.leased(now, answer),
            SourceInput::Opened { reading, result } => self.opened(now, reading, result),
            SourceInput::Arrived { reading, result } => self.arrived(now, reading, result),
            SourceInput::Ingested { id, result } => self.ingested(now, id, result),
            SourceInput::Refused(made) => self.refused(made),
            SourceInput::Released => self.presence.released(),
            SourceInput::Stop => self.presence.stop(),
        }
    }

    /// What to do now.
    pub(crate) fn poll(&mut self, now: Duration) -> Vec<SourceAction> {
        if self.holding.has_expired(now) {
            self.lose("the lease expired, for the store did not renew it in time");
        }
        self.store(now);
        if self.is_staying() {
            self.lease(now);
            self.read(now);
        } else {
            self.leave();
        }
        std::mem::take(&mut self.actions)
    }

    /// When to poll again at the latest although nothing happens.
    pub(crate) fn wake_at(&self) -> Option<Duration> {
        let held = self.holding.epoch().is_some() && self.is_staying();
        let store = self.storing.wake_at();
        let empty = self.backlog.empty_since().filter(|_| self.storing.portion.is_none());
        let checkpoint = empty.map(|since| since + self.feed.checkpoint_interval);
        let reading = self.reading.wake_at().filter(|_| held && self.stopped.is_none() && self.is_drained());
        let lease = self.holding.wake_at().filter(|_| self.is_staying());
        [store, checkpoint, reading, lease].into_iter().flatten().min()
    }

    /// Everything is stored and given back.
    pub(crate) fn is_stopped(&self) -> bool {
        self.presence == Presence::Left
    }

    /// What an operator should hear about, since the last time.
    pub(crate) fn take_events(&mut self) -> Vec<SourceEvent> {
        std::mem::take(&mut self.events)
    }

    /// The source at this moment.
    pub(crate) fn snapshot(&self) -> SourceSnapshot {
        let (held, backlog) = (self.holding.epoch().is_some(), self.backlog());
        SourceSnapshot { held, report: self.report.clone(), backlog }
    }

    /// Events in memory that are not stored.
    pub(crate) fn backlog(&self) -> usize {
        self.backlog.len() + self.storing.len()
    }

    fn is_drained(&self) -> bool {
        self.backlog.is_empty() && self.storing.portion.is_none()
    }

    fn is_staying(&self) -> bool {
        self.presence == Presence::Staying
    }

    /// Asks for the source, or for more time with it.
    fn lease(&mut self, now: Duration) {
        if let Some(held) = self.holding.plan(now) {
            self.report.events_per_second = self.holding.rate(now, self.reading.events());
            self.actions.push(SourceAction::Lease { held, report: self.report.clone() });
        }
    }

    /// Opens a reading, or reads on while there is room.
    fn read(&mut self, now: Duration) {
        if self.holding.epoch().is_none() || self.stopped.is_some() {
            return;
        }
        let room = match self.mistakes.has(Mistake::SourceWindowIgnored) {
            true => self.feed.max_batch,
            false if self.backlog.bytes() >= self.feed.window_bytes => 0,
            false => self.feed.window.saturating_sub(self.backlog()),
        };
        let limit = room.min(self.feed.max_batch);
        match self.reading.plan(now, self.is_drained(), room > 0) {
            Some(Step::Open(reading)) => {
                self.actions.push(SourceAction::Open { reading, after: self.storing.checkpoint.clone() });
            }
            Some(Step::Read(reading)) => self.actions.push(SourceAction::Read { reading, limit }),
            None => {}
        }
    }

    /// Sends the next portion to the journal, or the same once more.
    fn store(&mut self, now: Duration) {
        let Some(epoch) = self.holding.epoch() else { return };
        if self.storing.is_free() && self.stopped.is_none() {
            // A reading that has ended begins anew at the stored checkpoint, so nothing waits for more to go with.
            let is_last = !self.is_staying() || self.reading.is_closed();
            let interval = if is_last { Duration::ZERO } else { self.feed.checkpoint_interval };
            self.storing.portion = self.backlog.take(now, self.feed.max_batch, interval);
            self.storing.rest.end();
            self.stop_at_a_refusal();
        }
        let Some((portion, id)) = self.storing.send(now) else { return };
        let early = self.mistakes.has(Mistake::CheckpointTooEarly);
        let checkpoint = self.backlog.newest().filter(|_| early).unwrap_or(portion.checkpoint());
        let ingest = Ingest {
            source: self.feed.name.clone(),
            worker: self.worker.clone(),
            epoch,
            messages: portion.messages(),
            checkpoint: checkpoint.clone(),
            tally: portion.tally(),
            last_event: portion.last_event(),
            marking: self.reading.marker().and_then(|marker| portion.marking(marker)),
        };
        self.actions.push(SourceAction::Ingest { id, ingest });
    }

    /// When the next event is one that is to stop the source, and everything before it is stored.
    fn stop_at_a_refusal(&mut self) {
        if self.storing.portion.is_some() {
            return;
        }
        if let Some((event, reason)) = self.backlog.refusal() {
            let why = format!("event {} of stream {} ({}): {reason}", event.id, event.stream, event.event_type);
            self.events.push(SourceEvent::Stopped { why: why.clone() });
            self.backlog.clear();
            self.close();
            self.become_state(SourceState::Stopped, Some(why.clone()));
            self.stopped = Some(why);
        }
    }

    /// Stores what was read, then gives the source back.
    fn leave(&mut self) {
        self.close();
        let is_done = self.is_drained() || self.stopped.is_some() || self.storing.rest.until().is_some();
        if self.presence != Presence::Finishing || !is_done || self.holding.is_asking() {
            return;
        }
        match self.holding.forget() {
            Some(held) => {
                self.presence = Presence::Releasing;
                self.actions.push(SourceAction::Release { held });
            }
            None => self.presence = Presence::Left,
        }
    }

    /// Whatever was read is no longer ours to store.
    fn lose(&mut self, why: &'static str) {
        if self.holding.forget().is_some() {
            self.events.push(SourceEvent::Lost { why });
        }
        self.begin_anew();
    }

    fn begin_anew(&mut self) {
        self.close();
        self.backlog.clear();
        self.storing.forget();
        self.stopped = None;
    }

    fn close(&mut self) {
        if let Some(reading) = self.reading.close() {
            self.actions.push(SourceAction::Close { reading });
        }
    }

    /// The beginning and the end of trouble are reported at once.
    fn become_state(&mut self, state: SourceState, error: Option<String>) {
        let is_trouble = |state| matches!(state, SourceState::Failing | SourceState::Stopped);
        if is_trouble(self.report.state) != is_trouble(state) || state == SourceState::Stopped {
            self.holding.report_at_once();
        }
        (self.report.state, self.report.error) = (state, error);
    }
}
