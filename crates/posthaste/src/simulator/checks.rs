//! What must hold, watched from outside the engine.

use std::collections::BTreeMap;
use std::fmt;

use foldhash::{HashMap, HashSet};

use super::plan::MAX_ATTEMPTS;
use crate::destination::Name;
use crate::inspect::{Says, Status};
use crate::journal::{Epoch, Position};
use crate::message::{Message, MessageId, OrderKey};
use crate::retry::OnDead;

/// A message that takes its worker down more often than this was not stopped in time: five deaths are expected, and a
/// zombie or two may share in.
const MOST_DEATHS: u32 = 8;

/// A guarantee that did not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Violation {
    /// Settled as delivered, but it never arrived.
    Lost,
    /// First arrivals of a key were not in order.
    OutOfOrder,
    /// A message arrived while an earlier one of its key had not and was not let go.
    Overtaken,
    /// The holder of a lane delivered what the store knew as delivered.
    DeliveredAgain,
    /// A worker delivered again what had been confirmed to it.
    RepeatedAfterConfirmation,
    /// A worker delivered after its lease had ended by its own clock.
    WithoutLease,
    /// The store took a settlement of an older epoch.
    ForeignSettlement,
    /// Two runs of one key were in flight at one worker.
    TwoRunsOfAKey,
    /// A lease was given back while its deliveries were in flight.
    ReleasedInFlight,
    /// Dead although it was neither rejected nor out of attempts.
    DeadWithoutCause,
    /// A message died and its dead-letter destination got no letter, or got one about a death that never was.
    LettersWrong,
    /// Settled as delivered, but its receiver never said so.
    Unanswered,
    /// An answer to one hand-over was taken for another.
    AnswerMisplaced,
    /// Handed over again while it waited for its answer, or after that had come.
    HandedOverAgain,
    /// A worker handed over a message of a tenant of which it had been told that it is paused.
    PausedTenantServed,
    /// Delivered before its time.
    TooEarly,
    /// Two messages arrived under one position.
    PositionReused,
    /// A message killed worker after worker.
    KilledTooMany,
    /// More messages in memory than the window allows.
    MemoryExceeded,
    /// A worker was woken again and again with nothing to do.
    Spinning,
    /// Something was left when everything should have drained.
    Stuck,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// One message at one destination.
pub(super) type Spot = (Name, Position);

/// Everything the checks remember.
#[derive(Debug, Default)]
pub(super) struct Checks {
    pub(super) violations: Vec<Violation>,
    pub(super) duplicates: BTreeMap<&'static str, u64>,
    pub(super) arrivals: u64,
    arrived: HashMap<Spot, u32>,
    /// Which message arrived under a position.
    ids: HashMap<Spot, MessageId>,
    /// Newest first arrival of a key.
    newest: HashMap<(Name, OrderKey), Position>,
    /// Confirmed to a worker in an epoch.
    confirmed: HashSet<((usize, u64), Epoch, Spot)>,
    /// Failures that spend an attempt, as the destination knows them.
    pub(super) failures: HashMap<Spot, u32>,
    pub(super) rejected: HashSet<Spot>,
    /// Workers that a message took down, since a worker last survived it.
    pub(super) deaths: HashMap<Spot, u32>,
    /// The store's clock jumped ahead, so that two workers may have believed in one lease.
    pub(super) leases_ended_early: bool,
    /// Messages whose commits a failover lost.
    gone: HashSet<MessageId>,
    /// The store's clock jumped, ahead or back.
    pub(super) clock_jumped: bool,
    /// An operator let it go.
    pub(super) discarded: HashSet<Spot>,
    /// An operator asked for it again: its order is off.
    replayed: HashSet<Spot>,
    /// Deaths of a message at a destination with dead letters.
    letters_due: HashMap<Spot, u32>,
    /// Said to be done by its receiver, and that counts.
    answered: HashSet<Spot>,
    /// The same, and the store has not gone back since.
    settled: HashSet<Spot>,
    /// The acknowledgement was lost on its way.
    pub(super) lost_acks: HashSet<Spot>,
}

impl Checks {
    pub(super) fn violated(&mut self, violation: Violation) {
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
    }

    pub(super) fn has_arrived(&self, spot: &Spot) -> bool {
        self.arrived.contains_key(spot)
    }

    /// A message reached a destination. `earlier` finds the messages of its key before it that go there too.
    pub(super) fn arrival(
        &mut self,
        spot: Spot,
        message: &Message,
        on_dead: OnDead,
        earlier: impl FnOnce() -> Vec<Position>,
    ) {
        self.arrivals += 1;
        if *self.ids.entry(spot.clone()).or_insert(message.id) != message.id {
            self.violated(Violation::PositionReused);
        }
        let times = self.arrived.entry(spot.clone()).or_default();
        *times += 1;
        if *times > 1 {
            return self.duplicate(&spot);
        }
        let Some(key) = message.order_key().filter(|_| message.due_at.is_none()) else { return };
        let (name, position) = &spot;
        let newest = self.newest.entry((name.clone(), key)).or_default();
        // A dead message that was skipped or discarded comes late when someone replays it; others are never overtaken.
        let overtaken = on_dead == OnDead::Skip || self.discarded.contains(&spot);
        // So does one that died and was skipped, from a worker whose lease ended early and who does not know it yet.
        let skipped_unknown = self.leases_ended_early && self.failures.contains_key(&spot);
        let comes_late = overtaken && (self.replayed.contains(&spot) || skipped_unknown);
        // What a failover lost may still be with a worker who had the lease before it; it has no place in the order any more.
        let out_of_order = *newest > *position && !comes_late && !self.gone.contains(&message.id);
        *newest = (*newest).max(*position);
        if out_of_order {
            self.violated(Violation::OutOfOrder);
        }
        if earlier().into_iter().any(|position| !self.is_let_go(&(name.clone(), position), on_dead)) {
            self.violated(Violation::Overtaken);
        }
    }

    /// It arrived, or need not before later ones may.
    fn is_let_go(&self, spot: &Spot, on_dead: OnDead) -> bool {
        let failed = self.rejected.contains(spot) || self.failures.contains_key(spot) || self.deaths.contains_key(spot);
        self.arrived.contains_key(spot) || self.discarded.contains(spot) || (on_dead == OnDead::Skip && failed)
    }

    fn duplicate(&mut self, spot: &Spot) {
        let cause = if self.replayed.contains(spot) {
            "replay"
        } else if self.lost_acks.contains(spot) {
            "lost acknowledgement"
        } else {
            "worker or commit lost"
        };
        *self.duplicates.entry(cause).or_default() += 1;
    }

    pub(super) fn confirmed(&mut self, worker: (usize, u64), epoch: Epoch, spot: Spot) {
        self.confirmed.insert((worker, epoch, spot));
    }

    /// The holder of a lane hands something over that the store has as `status`.
    pub(super) fn handed_over(&mut self, worker: (usize, u64), epoch: Epoch, spot: &Spot, status: Option<Status>) {
        if status == Some(Status::Delivered) {
            self.violated(Violation::DeliveredAgain);
        }
        if self.confirmed.contains(&(worker, epoch, spot.clone())) && !self.replayed.contains(spot) {
            self.violated(Violation::RepeatedAfterConfirmation);
        }
    }

    /// The answer of a receiver was taken. `asked` says whether it is about the hand-over that waited.
    pub(super) fn answered(&mut self, spot: Spot, says: &Says, asked: bool) {
        if !asked {
            self.violated(Violation::AnswerMisplaced);
        }
        match says {
            Says::Sent => {
                self.answered.insert(spot.clone());
                self.settled.insert(spot);
            }
            // An attempt is spent when the lane takes note of it.
            Says::Failed { retry: true, .. } => {}
            Says::Failed { retry: false, .. } => drop(self.rejected.insert(spot)),
        }
    }

    /// Whether its receiver said that it is done.
    pub(super) fn is_answered(&self, spot: &Spot) -> bool {
        self.answered.contains(spot)
    }

    /// The holder of a lane hands something over that its receiver is to answer. `earlier` are the messages of its key before it, as far
    /// as they wait for an answer.
    pub(super) fn handed_over_to_be_answered(&mut self, spot: &Spot, status: Option<Status>, earlier: &[Position]) {
        // Where the clock jumps, an answer may come in time although its time was over for the lane.
        let settled = self.settled.contains(spot) && !self.leases_ended_early && !self.clock_jumped;
        let again = status == Some(Status::Awaiting) || settled;
        if again && !self.replayed.contains(spot) {
            self.violated(Violation::HandedOverAgain);
        }
        let unanswered = |position: &&Position| !self.replayed.contains(&(spot.0.clone(), **position));
        if !self.replayed.contains(spot) && earlier.iter().any(|position| unanswered(&position)) {
            self.violated(Violation::Overtaken);
        }
    }

    /// An operator asked for a message again: whatever was held against it is forgotten. True for the first time.
    pub(super) fn replay(&mut self, spot: Spot) -> bool {
        self.survived(&spot);
        self.replayed.insert(spot)
    }

    /// A worker lived to see a message fail, perhaps because its destination was out of reach.
    pub(super) fn survived(&mut self, spot: &Spot) {
        self.deaths.entry(spot.clone()).and_modify(|deaths| *deaths = 0);
    }

    /// The store went on from an earlier state. Whoever had a lease goes on for a moment, beside the one who has it now, and what the
    /// store knew of deaths may be forgotten.
    pub(super) fn failed_over(&mut self, gone: HashSet<MessageId>) {
        self.gone.extend(gone);
        self.leases_ended_early = true;
        self.settled.clear();
        self.deaths.values_mut().for_each(|deaths| *deaths = 0);
    }

    /// A message took its worker down.
    pub(super) fn killed(&mut self, spot: Spot) {
        let deaths = self.deaths.entry(spot).or_default();
        *deaths += 1;
        if *deaths > MOST_DEATHS {
            self.violated(Violation::KilledTooMany);
        }
    }

    /// A message died that was not dead before, at a destination with dead letters.
    pub(super) fn needs_letter(&mut self, spot: Spot) {
        *self.letters_due.entry(spot).or_default() += 1;
    }

    /// So many letters about each message are in the store.
    pub(super) fn letters(&mut self, stored: &HashMap<Spot, u32>) {
        if *stored != self.letters_due {
            self.violated(Violation::LettersWrong);
        }
    }

    pub(super) fn memory(&mut self, unsettled: usize, window: usize, set_aside: impl FnOnce() -> usize) {
        if unsettled > window && unsettled > window + set_aside() {
            self.violated(Violation::MemoryExceeded);
        }
    }

    /// A message was declared dead.
    pub(super) fn died(&mut self, spot: &Spot) {
        let tried = self.failures.get(spot).is_some_and(|failures| *failures >= MAX_ATTEMPTS);
        if !tried && !self.rejected.contains(spot) && !self.deaths.contains_key(spot) {
            self.violated(Violation::DeadWithoutCause);
        }
    }
}
