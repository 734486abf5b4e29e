//! What happens in the simulated world, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::world::receivers::Callback;
use crate::engine::{HandOver, HandOverId, Input, StoreRequest};
use crate::journal::WorkerId;
use crate::message::Message;
use crate::sink::Run;

/// Something that happens at some time.
#[derive(Debug)]
pub(super) enum Event {
    /// An application begins a transaction.
    Begin,
    /// An application commits.
    Commit(Vec<Message>),
    /// A worker wakes up by itself.
    Wake,
    /// A request of a worker reaches the store.
    Request(StoreRequest),
    /// A request that nobody waits for any more is carried out after all.
    LateRequest { worker: WorkerId, request: StoreRequest },
    /// A worker is told something.
    Answer(Input),
    /// A worker hands runs over.
    HandOver(HandOver),
    /// Runs reach their destination.
    Arrive { destination: usize, id: HandOverId, runs: Vec<Run> },
    /// A destination is out of reach for a while.
    Outage { destination: usize, until: Duration },
    /// A worker dies.
    Crash,
    /// A worker starts.
    Start,
    /// A worker is asked to stop.
    Stop,
    /// A worker does nothing for a while.
    Freeze(Duration),
    /// The store's clock jumps by so many milliseconds.
    ClockJump(i64),
    /// A replica of the store has everything up to now, and hears no more.
    Replicate,
    /// The replica takes over: what the store got since is gone.
    FailOver,
    /// A receiver says what became of what it was handed.
    Settle(Callback),
    /// An operator intervenes.
    Operate,
    /// The watcher looks whether somebody has to be told.
    Look,
    /// Faults are over: has everything come to rest?
    Drained,
}

/// An event of a worker's life does not outlive that life.
#[derive(Debug)]
pub(super) struct Scheduled<E = Event> {
    pub(super) at: Duration,
    pub(super) order: u64,
    pub(super) node: usize,
    pub(super) life: u64,
    /// Boxed, because the queue moves what it holds again and again.
    pub(super) event: Box<E>,
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl<E> Eq for Scheduled<E> {}

impl<E> PartialOrd for Scheduled<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Scheduled<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// What is still to happen: by time, and at the same time in the order in which it was scheduled.
#[derive(Debug)]
pub(super) struct Queue<E = Event> {
    /// Scheduled before anything happened: sorted once, the first at the end.
    planned: Vec<Scheduled<E>>,
    /// Scheduled since. Without what was planned there are few at a time, and few to compare with.
    added: BinaryHeap<Reverse<Scheduled<E>>>,
    begun: bool,
}

impl<E> Queue<E> {
    pub(super) fn new() -> Self {
        Self { planned: Vec::new(), added: BinaryHeap::new(), begun: false }
    }

    pub(super) fn push(&mut self, scheduled: Scheduled<E>) {
        if self.begun {
            self.added.push(Reverse(scheduled));
        } else {
            self.planned.push(scheduled);
        }
    }

    /// What happens next.
    pub(super) fn pop(&mut self) -> Option<Scheduled<E>> {
        if !self.begun {
            self.begun = true;
            self.planned.sort_unstable_by(|one, other| other.cmp(one));
        }
        match (self.planned.last(), self.added.peek()) {
            (Some(planned), Some(Reverse(added))) if added < planned => self.added.pop().map(|Reverse(added)| added),
            (None, _) => self.added.pop().map(|Reverse(added)| added),
            _ => self.planned.pop(),
        }
    }
}
