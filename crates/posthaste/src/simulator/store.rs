//! The simulated store: the executable specification, with the planted mistakes of stores.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};

use super::checks::{Checks, Spot, Violation};
use super::plan::LEASE_TTL;
use super::planted::Planted;
use crate::destination::Name;
use crate::engine::{StoreAnswer, StoreCall};
use crate::error::Result;
use crate::inspect::{Answer, Says, Settled, Status};
use crate::journal::{Batch, Epoch, Grant, LaneCommit, Lease, Park, ParkedState, Partition, Position, WorkerId};
use crate::message::{Message, MessageId};
use crate::rules::dead_letter::header;
use crate::stores::memory::Core;

/// The store of one schedule.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) core: Core,
    pub(super) planted: Option<Planted>,
    /// Newest lease of each partition.
    leases: Vec<Lease>,
    /// As the store was when its replica heard of it last.
    replica: Option<Core>,
    /// The destinations that have a dead-letter destination.
    with_letters: Vec<Name>,
}

impl Store {
    /// A store without leases.
    pub(super) fn new(core: Core, planted: Option<Planted>, with_letters: Vec<Name>) -> Self {
        let unleased = |partition| Lease { partition, epoch: Epoch::default(), expired_before: false };
        let leases = Partition::all(core.partitions()).map(unleased).collect();
        Self { core, planted, leases, replica: None, with_letters }
    }

    /// Whether this is the newest lease of its partition.
    pub(super) fn is_current(&self, partition: Partition, epoch: Epoch) -> bool {
        self.leases[partition.index()].epoch == epoch
    }

    /// Does what a worker asked for and says what it would be answered.
    pub(super) fn execute(&mut self, worker: &WorkerId, call: &StoreCall, checks: &mut Checks) -> Result<StoreAnswer> {
        Ok(match call {
            StoreCall::Lease { want } => StoreAnswer::Leased(self.lease(worker, *want)),
            StoreCall::Renew { leases, report } => {
                StoreAnswer::Renewed(self.core.renew(worker, LEASE_TTL, leases, report))
            }
            StoreCall::Release { leases, leaving } => {
                self.core.release(worker, leases, *leaving);
                StoreAnswer::Released
            }
            StoreCall::Advance { .. } => StoreAnswer::Advanced(Some(self.core.advance())),
            StoreCall::Open { destination, leases } => StoreAnswer::Opened(self.core.open(destination, leases)?),
            StoreCall::Read(request) => StoreAnswer::Read(self.core.read(request)),
            StoreCall::ReadKey { destination, partition, held, limit } => {
                let batch = self.core.read_key(destination, *partition, held, *limit)?;
                StoreAnswer::KeyRead(self.cut_short(in_part(batch)))
            }
            StoreCall::Due { destination, partitions, limit } => {
                StoreAnswer::Due(self.core.due(destination, partitions, *limit)?)
            }
            StoreCall::Commit(commits) => StoreAnswer::Committed(self.commit(commits.clone(), checks)?),
            StoreCall::Pause { destination, .. } => {
                self.core.pause(destination)?;
                StoreAnswer::Paused
            }
            StoreCall::Purge { older_than, limit } => StoreAnswer::Purged(self.core.purge(*older_than, *limit)),
        })
    }

    /// A receiver says what became of what it was handed.
    pub(super) fn settle(
        &mut self,
        id: MessageId,
        destination: &Name,
        hand_over: &str,
        says: &Says,
    ) -> Result<Settled> {
        let careless = self.planted == Some(Planted::AnyHandOverAnswered);
        let hand_over = Some(hand_over.to_owned()).filter(|_| !careless);
        self.core.settle(id, destination, &Answer { hand_over, says: says.clone() })
    }

    /// A replica has everything up to now.
    pub(super) fn replicate(&mut self) {
        self.replica = Some(self.core.clone());
    }

    pub(super) fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// The replica, if there is one, takes over. Says which messages are gone with the old one.
    pub(super) fn fail_over(&mut self) -> Option<HashSet<MessageId>> {
        let replica = self.replica.take()?;
        let now = self.core.now();
        let mut gone: HashSet<MessageId> = self.core.messages().map(|message| message.id).collect();
        self.core = replica;
        for message in self.core.messages() {
            gone.remove(&message.id);
        }
        self.core.set_now(now);
        self.core.seam(self.planted != Some(Planted::PositionsReused));
        for lease in &mut self.leases {
            lease.epoch = self.core.epoch(lease.partition);
        }
        Some(gone)
    }

    fn lease(&mut self, worker: &WorkerId, want: usize) -> Grant {
        let mut grant = self.core.lease(worker, LEASE_TTL, want);
        for lease in &grant.leases {
            self.leases[lease.partition.index()] = *lease;
        }
        if self.planted == Some(Planted::LeaseGrantedTwice) && want > grant.leases.len() {
            grant.leases.extend(self.leases.iter().filter(|lease| lease.epoch > Epoch::default()).take(1));
        }
        grant
    }

    fn cut_short(&self, mut batch: Batch) -> Batch {
        if self.planted == Some(Planted::HeldReadCutShort) {
            batch.entries.pop();
        }
        batch
    }

    fn commit(&mut self, mut commits: Vec<LaneCommit>, checks: &mut Checks) -> Result<Vec<Partition>> {
        let epochs: Vec<Epoch> = commits.iter().map(|commit| commit.epoch).collect();
        for commit in &mut commits {
            match self.planted {
                Some(Planted::NoFence) => commit.epoch = self.leases[commit.partition.index()].epoch,
                Some(Planted::CommitTorn) => commit.park.clear(),
                _ => {}
            }
        }
        if self.planted == Some(Planted::LettersTorn) {
            self.core.append(commits.iter_mut().flat_map(|commit| std::mem::take(&mut commit.letters)));
        }
        // A commit whose answer was lost is sent again. If someone replayed the message meanwhile, it dies again of the same death.
        let known = |letter: &&Message| self.core.messages().any(|message| message.id == letter.id);
        let repeated: Vec<Spot> =
            commits.iter().flat_map(|commit| &commit.letters).filter(known).filter_map(about).collect();
        let before = self.dead(&commits);
        let unsuccessful = self.unsuccessful(&commits);
        let refused = self.core.commit(&commits)?;
        unsuccessful.into_iter().for_each(|spot| *checks.failures.entry(spot).or_default() += 1);
        let after = self.dead(&commits);
        after
            .difference(&before)
            .filter(|spot| self.has_letters(&spot.0) && !repeated.contains(spot))
            .for_each(|spot| checks.needs_letter(spot.clone()));
        for (commit, epoch) in commits.iter().zip(epochs) {
            if refused.contains(&commit.partition) {
                continue;
            }
            if !self.is_current(commit.partition, epoch) {
                checks.violated(Violation::ForeignSettlement);
            }
            for park in commit.park.iter().filter(|park| park.state == ParkedState::Dead) {
                checks.died(&(commit.destination.clone(), park.position));
            }
        }
        Ok(refused)
    }

    /// Deliveries that waited for an answer, and of which these commits say that it was a failure, or that none came.
    fn unsuccessful(&self, commits: &[LaneCommit]) -> Vec<Spot> {
        let failed = |park: &&Park| matches!(park.state, ParkedState::Retrying | ParkedState::Dead);
        let spots = commits.iter().flat_map(|commit| {
            commit.park.iter().filter(failed).map(|park| (commit.destination.clone(), park.position))
        });
        spots.filter(|(name, position)| self.core.awaited(name, *position).is_some()).collect()
    }

    /// Which of the deliveries that these commits declare dead are so in the store.
    fn dead(&self, commits: &[LaneCommit]) -> BTreeSet<Spot> {
        let dead = |park: &&Park| park.state == ParkedState::Dead;
        let spots = commits
            .iter()
            .flat_map(|commit| commit.park.iter().filter(dead).map(|park| (commit.destination.clone(), park.position)));
        spots.filter(|(name, position)| self.core.status(name, *position) == Some(Status::Dead)).collect()
    }

    fn has_letters(&self, name: &Name) -> bool {
        self.with_letters.contains(name)
    }

    /// How many letters about each message there are.
    pub(super) fn letters(&self) -> HashMap<Spot, u32> {
        let mut letters = HashMap::default();
        for spot in self.core.messages().filter_map(about) {
            *letters.entry(spot).or_default() += 1;
        }
        letters
    }

    /// Everything committed, with its position.
    pub(super) fn newest(&self) -> Position {
        self.core.advance()
    }
}

/// Some answers as real stores give them, too: with fewer entries than there are, and saying so.
fn in_part(mut batch: Batch) -> Batch {
    if let [first, second, ..] = batch.entries.as_slice()
        && second.position.seq % 3 == 0
    {
        batch.upto = first.position;
        batch.entries.truncate(1);
    }
    batch
}

/// What a letter is about; nothing for any other message.
fn about(message: &Message) -> Option<Spot> {
    let header = |name| message.headers.get(name);
    let (name, position) = header(header::DESTINATION).zip(header(header::POSITION))?;
    Some((Name::from(name), Position::seq(position.parse().ok()?)))
}
