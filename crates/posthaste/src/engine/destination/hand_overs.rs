//! Runs on their way: those that will go to the sink together, and those that are with it.
//!
//! A hand-over holds at most one run of a key, for a key of which a run is in flight is not served. It may hold runs of several lanes,
//! and then lasts only as long as the first of their leases.

use std::time::Duration;

use foldhash::{HashMap, HashMapExt};

use crate::engine::lane::{LaneId, QueueId};
use crate::engine::mistakes::Mistakes;
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
        let gathered = self.gathered.get_or_insert_with(|| Gathered::until(not_after));
        gathered.add(flight, run);
        gathered.not_after = gathered.not_after.min(not_after);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Epoch;
    use crate::message::Message;
    use crate::sink::Delivery;

    /// What has left so far: how many runs each hand-over has, and until when it may be made.
    fn left(outbox: &mut Outbox) -> Vec<(usize, u64)> {
        let told = outbox.take().into_iter().map(|action| match action {
            Action::HandOver(hand_over) => (hand_over.runs.len(), hand_over.not_after.as_secs()),
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    fn add(hand_overs: &mut HandOvers, outbox: &mut Outbox, partition: u16, bytes: usize, alone: bool) {
        let message = Message::builder("e", "order", "1").payload(vec![0; bytes], "text/plain").build();
        let delivery = Delivery::new(message.expect("a valid message"), crate::journal::Position::START);
        let lane = LaneId { partition: Partition::new(partition), epoch: Epoch::default() };
        let run = Run::new("app", lane.partition, vec![delivery]);
        let flight = Flight { lane, queue: 0, messages: 1 };
        hand_overs.add(flight, run, alone, Duration::from_secs(100 - u64::from(partition)), outbox);
    }

    #[test]
    fn as_many_go_together_as_the_sink_wants_and_half_of_what_may_be_in_flight() {
        for (at_once, max_in_flight, expected) in
            [(4, 100, vec![4, 4, 2]), (100, 6, vec![3, 3, 3, 1]), (1, 64, vec![1; 10])]
        {
            let mut outbox = Outbox::new();
            let mut hand_overs = HandOvers::new(0, at_once, max_in_flight, Mistakes::NONE);
            (0..10).for_each(|_| add(&mut hand_overs, &mut outbox, 0, 10, false));
            hand_overs.leave(&mut outbox);
            assert_eq!(left(&mut outbox).iter().map(|(runs, _)| *runs).collect::<Vec<_>>(), expected);
            assert_eq!((hand_overs.runs(), hand_overs.messages()), (10, 10));
        }
    }

    #[test]
    fn a_hand_over_that_weighs_enough_gets_no_more() {
        let (mut outbox, mut hand_overs) = (Outbox::new(), HandOvers::new(0, 100, 1_000, Mistakes::NONE));
        (0..6).for_each(|_| add(&mut hand_overs, &mut outbox, 0, ENOUGH_BYTES / 2, false));
        assert_eq!(left(&mut outbox).iter().map(|(runs, _)| *runs).collect::<Vec<_>>(), [2, 2, 2]);
    }

    #[test]
    fn a_suspect_goes_by_itself_and_the_first_lease_to_end_counts() {
        let (mut outbox, mut hand_overs) = (Outbox::new(), HandOvers::new(0, 100, 1_000, Mistakes::NONE));
        for (partition, alone) in [(1, false), (3, false), (2, true), (0, false)] {
            add(&mut hand_overs, &mut outbox, partition, 10, alone);
        }
        hand_overs.leave(&mut outbox);
        assert_eq!(left(&mut outbox), [(2, 97), (1, 98), (1, 100)]);
    }

    #[test]
    fn a_partition_that_is_lost_takes_whole_hand_overs_with_it() {
        let (mut outbox, mut hand_overs) = (Outbox::new(), HandOvers::new(0, 2, 1_000, Mistakes::NONE));
        for partition in [1, 2, 3, 4, 2, 5] {
            add(&mut hand_overs, &mut outbox, partition, 10, false);
        }
        let mut cancelled = hand_overs.cancel(Partition::new(2));
        cancelled.sort_by_key(|(id, _)| *id);
        assert_eq!(cancelled.iter().map(|(id, flights)| (*id, flights.len())).collect::<Vec<_>>(), [(1, 2), (3, 2)]);
        assert_eq!((hand_overs.runs(), hand_overs.came_back(1).is_none()), (2, true));
    }
}
