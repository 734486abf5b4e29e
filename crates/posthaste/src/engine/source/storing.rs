//! What is on its way to the journal: one portion at a time, sent until the journal has it.

use std::time::Duration;

use super::backlog::Portion;
use super::rest::Rest;
use crate::source::{Checkpoint, Feed};

#[derive(Debug)]
pub(super) struct Storing {
    pub(super) portion: Option<Portion>,
    /// When it is tried again, after the journal has failed.
    pub(super) rest: Rest,
    /// Where the store says that reading goes on.
    pub(super) checkpoint: Option<Checkpoint>,
    /// How often something was sent to the journal: an answer counts only for what was sent last.
    pub(super) sent: u64,
    /// The store has refused the next event, and what becomes of it is not said yet.
    pub(super) refusing: bool,
}

impl Storing {
    pub(super) fn new(feed: &Feed) -> Self {
        let rest = Rest::new(feed.retry_min, feed.retry_max);
        Self { portion: None, rest, checkpoint: None, sent: 0, refusing: false }
    }

    /// Whether the next portion may be taken.
    pub(super) fn is_free(&self) -> bool {
        self.portion.is_none() && !self.refusing
    }

    /// Events that are on their way.
    pub(super) fn len(&self) -> usize {
        self.portion.as_ref().map_or(0, Portion::len)
    }

    /// The portion that goes to the journal now, and how often something has gone there with it.
    pub(super) fn send(&mut self, now: Duration) -> Option<(&Portion, u64)> {
        let portion = self.portion.as_mut().filter(|portion| portion.is_waiting() && self.rest.is_over(now))?;
        self.sent += 1;
        portion.sent(self.sent);
        Some((portion, self.sent))
    }

    /// The journal has failed: the same goes there once more.
    pub(super) fn failed(&mut self, now: Duration, mut portion: Portion) {
        portion.failed();
        self.portion = Some(portion);
        self.rest.begin(now, None);
    }

    /// Whatever was on its way is no longer ours.
    pub(super) fn forget(&mut self) {
        self.portion = None;
        self.refusing = false;
        self.rest.end();
    }

    /// When a portion is sent again.
    pub(super) fn wake_at(&self) -> Option<Duration> {
        let waits = self.portion.as_ref().is_some_and(Portion::is_waiting);
        self.rest.until().filter(|_| waits)
    }
}
