//! What happens in the simulated world, and when.

use std::time::Duration;

use crate::engine::{Action, Input};
use crate::message::Message;
use crate::sink::Run;

#[derive(Debug)]
pub(super) enum Event {
    Begin,
    Commit(Vec<Message>),
    Wake,
    Ask { asked_at: Duration, action: Action },
    Answer(Input),
    HandOver { walk: usize, id: u64, run: Run, not_after: Duration },
    Arrive { walk: usize, id: u64, run: Run },
    Outage { destination: usize, until: Duration },
    Crash,
    Start,
    Stop,
    Freeze(Duration),
    ClockJump(i64),
    Operate,
    Drained,
}

/// An event of a worker's life does not outlive that life.
#[derive(Debug)]
pub(super) struct Scheduled {
    pub(super) at: Duration,
    pub(super) order: u64,
    pub(super) node: usize,
    pub(super) life: u64,
    pub(super) event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
