//! Runs on their way: those that will go to the sink together, and those that are with it.
//!
//! A hand-over holds at most one run of a key, for a key of which a run is in flight is not served. It may hold runs of several lanes,
//! and then lasts only as long as the first of their leases.

use std::time::Duration;

use foldhash::{HashMap, HashMapExt};

use crate::engine::lane::{LaneId, QueueId};
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::engine::outbox::Outbox;
use crate::engine::protocol::{Action, DestinationIndex, HandOver, HandOverId};
use crate::journal::Partition;
use crate::sink::Run;

/// A hand-over that has so many messages or bytes gets no further run.
const ENOUGH_MESSAGES: usize = 1_000;
const ENOUGH_BYTES: usize = 1 << 20;

/// A run with a sink.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub(super) lane: LaneId,
    pub(super) queue: QueueId,
    pub(super) messages: usize,
}

/// Runs that leave together.
#[derive(Debug)]
struct Gathered {
    runs: Vec<Run>,
    flights: Vec<Flight>,
    messages: usize,
    bytes: usize,
    not_after: Duration,
}

/// The hand-overs of one destination.
#[derive(Debug)]
pub(super) struct HandOvers {
    destination: DestinationIndex,
    /// How many runs the sink wants together.
    runs_at_once: usize,
    gathered: Option<Gathered>,
    /// By hand-over, in the order of its runs.
    under_way: HashMap<HandOverId, Vec<Flight>>,
    runs: usize,
    messages: usize,
    mistakes: Mistakes,
}

impl HandOvers {
    /// Nothing is on its way. `max_in_flight` runs are enough for two hand-overs, so that one is made up while the sink has the other.
    pub(super) fn new(
        destination: DestinationIndex,
        runs_at_once: usize,
        max_in_flight: usize,
        mistakes: Mistakes,
    ) -> Self {
        let runs_at_once = runs_at_once.min(max_in_flight.div_ceil(2)).max(1);
        Self { destination, runs_at_once, gathered: None, under_way: HashMap::new(), runs: 0, messages: 0, mistakes }
    }

    /// Runs that have left their lanes.
    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// Messages of these runs.
    pub(super) fn messages(&self) -> usize {
        self.messages
    }

    /// Lets a run go with others, or by itself.
    pub(super) fn add(&mut self, flight: Flight, run: Run, alone: bool, not_after: Duration, outbox: &mut Outbox) {
        if alone {
            self.leave(outbox);
        }
        self.runs += 1;
        self.messages += flight.messages;
        let later = self.mistakes.has(Mistake::LastLeaseCounts);
        let gathered = self.gathered.get_or_insert_with(|| Gathered::until(not_after));
        gathered.add(flight, run);
        gathered.not_after = if later { gathered.not_after.max(not_after) } else { gathered.not_after.min(not_after) };
        if alone || gathered.runs.len() >= self.runs_at_once || gathered.is_enough() {
            self.leave(outbox);
        }
    }

    /// Lets what has gathered go.
    pub(super) fn leave(&mut self, outbox: &mut Outbox) {
        let Some(Gathered { runs, flights, not_after, .. }) = self.gathered.take() else { return };
        let id = outbox.next_hand_over();
        self.under_way.insert(id, flights);
        let hand_over = HandOver { destination: self.destination, id, runs, not_after, mistakes: self.mistakes };
        outbox.push(Action::HandOver(hand_over));
    }

    /// Runs are with the sink no more.
    pub(super) fn came_back(&mut self, id: HandOverId) -> Option<Vec<Flight>> {
        let flights = self.under_way.remove(&id)?;
        self.runs -= flights.len();
        self.messages -= flights.iter().map(|flight| flight.messages).sum::<usize>();
        Some(flights)
    }

    /// Nobody waits for hand-overs with something of this partition. Returns them with all their runs.
    pub(super) fn cancel(&mut self, partition: Partition) -> Vec<(HandOverId, Vec<Flight>)> {
        let of_partition = |flights: &[Flight]| flights.iter().any(|flight| flight.lane.partition == partition);
        let concerned = self.under_way.iter().filter(|(_, flights)| of_partition(flights));
        let ids: Vec<HandOverId> = concerned.map(|(id, _)| *id).collect();
        ids.into_iter().filter_map(|id| Some((id, self.came_back(id)?))).collect()
    }

    /// Nobody waits for anything. Returns the hand-overs.
    pub(super) fn abandon(&mut self) -> Vec<HandOverId> {
        (self.runs, self.messages) = (0, 0);
        self.under_way.drain().map(|(id, _)| id).collect()
    }
}

impl Gathered {
    fn until(not_after: Duration) -> Self {
        Self { runs: Vec::new(), flights: Vec::new(), messages: 0, bytes: 0, not_after }
    }

    fn add(&mut self, flight: Flight, run: Run) {
        self.messages += flight.messages;
        self.bytes += run.deliveries.iter().map(|delivery| delivery.message.weight()).sum::<usize>();
        self.flights.push(flight);
        self.runs.push(run);
    }

    fn is_enough(&self) -> bool {
        self.messages >= ENOUGH_MESSAGES || self.bytes >= ENOUGH_BYTES
    }
}
