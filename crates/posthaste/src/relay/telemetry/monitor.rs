//! A view of a running relay that others can look at.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Tally;
use crate::destination::Name;
use crate::engine::source::{SourceEvent, SourceSnapshot};
use crate::engine::{Event, Input, Snapshot};

/// A shared, cheap view of a running relay.
#[derive(Debug, Clone, Default)]
pub struct Monitor(Arc<Figures>);

#[derive(Debug, Default)]
struct Figures {
    snapshot: Mutex<Snapshot>,
    published: Mutex<Option<Instant>>,
    tally: Mutex<Tally>,
}

impl Monitor {
    /// The relay as it was a moment ago.
    pub fn snapshot(&self) -> Snapshot {
        self.0.snapshot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What has happened so far.
    pub fn tally(&self) -> Tally {
        self.count().clone()
    }

    /// How long the relay's loop has not come round; nothing before it has begun. A relay that runs is heard every few seconds.
    pub fn silent_for(&self) -> Option<Duration> {
        self.0.published.lock().unwrap_or_else(PoisonError::into_inner).map(|at| at.elapsed())
    }

    /// The relay has ended, and its silence means nothing.
    pub(in crate::relay) fn ended(&self) {
        *self.0.published.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Shows the relay as it is now.
    pub(in crate::relay) fn publish(&self, snapshot: Snapshot) {
        *self.0.published.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        *self.0.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }

    /// To count something.
    pub(in crate::relay) fn count(&self) -> MutexGuard<'_, Tally> {
        self.0.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A relay begins, perhaps with other destinations than the one before it.
    pub(in crate::relay) fn began(&self) {
        let mut tally = self.count();
        tally.deliveries.clear();
        tally.sources.clear();
    }

    /// The store took so long for a commit.
    pub(in crate::relay) fn committed(&self, took: Duration) {
        self.count().commits.observe(took);
    }

    /// Counts what the engine says.
    pub(in crate::relay) fn saw(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let mut tally = self.count();
        for event in events {
            match event {
                Event::TookOver { partitions } => {
                    tally.recovered_leases += partitions.len() as u64;
                    tally.possible_duplicates.took_over += partitions.len() as u64;
                }
                Event::LeaseLost { .. } => tally.lost_leases += 1,
                Event::CommitRefused { lanes } => tally.possible_duplicates.refused_commit += *lanes as u64,
                _ => {}
            }
        }
    }

    /// Counts what the engine of a source says.
    pub(in crate::relay) fn source_saw(&self, name: &Name, events: &[SourceEvent], now: SourceSnapshot) {
        let mut tally = self.count();
        let figures = tally.sources.entry(name.to_string()).or_default();
        (figures.held, figures.backlog) = (now.held, now.backlog);
        for event in events {
            match event {
                SourceEvent::Stored { enqueued, events, .. } => {
                    figures.events += events;
                    figures.stored += enqueued.stored as u64;
                    figures.duplicates += enqueued.duplicates as u64;
                }
                SourceEvent::Refused { .. } | SourceEvent::Stopped { .. } => figures.refused += 1,
                SourceEvent::Failed { .. } => figures.failures += 1,
                SourceEvent::Took { .. }
                | SourceEvent::Lost { .. }
                | SourceEvent::MarkedApart { .. }
                | SourceEvent::Recovered => {}
            }
        }
    }

    /// Counts what the engine is told.
    pub(in crate::relay) fn heard(&self, inputs: &[Input]) {
        let mut tally = self.count();
        for input in inputs {
            if let Input::Delivered { destination, took, .. } = input {
                if tally.deliveries.len() <= *destination {
                    tally.deliveries.resize_with(destination + 1, Default::default);
                }
                tally.deliveries[*destination].observe(*took);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Outcome;

    fn delivered(destination: usize) -> Input {
        let outcomes = vec![Outcome { confirmed: 1, error: None, progress: None, replies: Vec::new() }];
        Input::Delivered { destination, id: 1, outcomes, took: Duration::from_millis(3) }
    }

    #[test]
    fn durations_belong_to_the_destinations_of_the_relay_that_runs() {
        let monitor = Monitor::default();
        monitor.heard(&[delivered(1), delivered(1)]);
        let counts = |tally: Tally| tally.deliveries.iter().map(|histogram| histogram.count()).collect::<Vec<_>>();
        assert_eq!(counts(monitor.tally()), [0, 2]);
        monitor.began();
        monitor.heard(&[delivered(0)]);
        assert_eq!(counts(monitor.tally()), [1]);
    }
}
