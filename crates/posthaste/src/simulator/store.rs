//! The simulated store: the executable specification, with the planted mistakes of stores.

use std::time::Duration;

use super::checks::{Checks, Violation};
use super::node::Node;
use super::plan::LEASE_TTL;
use super::planted::Planted;
use crate::destination::Name;
use crate::engine::{Action, Input};
use crate::error::{Error, Kind};
use crate::journal::{Epoch, LaneCommit, Lease, ParkedState, Partition, Position};
use crate::stores::memory::Core;

#[derive(Debug)]
pub(super) struct Store {
    pub(super) core: Core,
    pub(super) planted: Option<Planted>,
    /// Commits change this; with hints on, whoever looks learns whether it changed.
    pub(super) writes: u64,
    /// Newest lease of each partition.
    leases: Vec<Lease>,
}

impl Store {
    pub(super) fn new(core: Core, planted: Option<Planted>) -> Self {
        let unleased = |partition| Lease { partition, epoch: Epoch::default(), expired_before: false };
        let leases = Partition::all(core.partitions()).map(unleased).collect();
        Self { core, planted, writes: 0, leases }
    }

    pub(super) fn is_current(&self, partition: Partition, epoch: Epoch) -> bool {
        self.leases[partition.index()].epoch == epoch
    }

    /// Does what a worker asked for and says what it would be answered.
    pub(super) fn execute(
        &mut self,
        node: &Node,
        names: &[Name],
        asked_at: Duration,
        action: &Action,
        checks: &mut Checks,
    ) -> Input {
        match action {
            Action::Lease { want } => {
                let mut grant = self.core.lease(&node.worker, LEASE_TTL, *want);
                for lease in &grant.leases {
                    self.leases[lease.partition.index()] = *lease;
                }
                if self.planted == Some(Planted::LeaseGrantedTwice) && *want > grant.leases.len() {
                    grant.leases.extend(self.leases.iter().filter(|lease| lease.epoch > Epoch::default()).take(1));
                }
                Input::Leased { asked_at, result: Ok(grant) }
            }
            Action::Renew { leases, report } => {
                let kept = self.core.renew(&node.worker, LEASE_TTL, leases, report);
                Input::Renewed { asked_at, leases: leases.clone(), result: Ok(kept) }
            }
            Action::Release { leases, leaving } => {
                if node.has_in_flight_for(leases) {
                    checks.violated(Violation::ReleasedInFlight);
                }
                self.core.release(&node.worker, leases, *leaving);
                Input::Released { leases: leases.clone(), leaving: *leaving, result: Ok(()) }
            }
            Action::Look { .. } => Input::Looked { result: Ok(Some(self.core.advance())) },
            Action::Open { walk, leases } => {
                let result = self.core.open(&names[*walk], leases);
                Input::Opened { walk: *walk, leases: leases.clone(), result }
            }
            Action::Read { walk, lanes, request } => {
                Input::Read { walk: *walk, lanes: lanes.clone(), result: Ok(self.core.read(request)) }
            }
            Action::ReadKey { walk, lane, line, held, limit, asked_at } => {
                let mut result = self.core.read_key(&names[*walk], lane.partition, held, *limit);
                if let Ok(entries) = &mut result
                    && self.planted == Some(Planted::HeldReadCutShort)
                {
                    entries.pop();
                }
                let fence = LaneCommit::nothing(names[*walk].clone(), lane.partition, lane.epoch);
                if self.planted != Some(Planted::NoFence)
                    && self.core.commit(&[fence]).is_ok_and(|lost| !lost.is_empty())
                {
                    result = Err(crate::Error::new(crate::error::Kind::Unavailable, "the lease has changed hands"));
                }
                let (held, asked_at) = (held.clone(), *asked_at);
                Input::KeyRead { walk: *walk, lane: *lane, line: *line, held, asked_at, result }
            }
            Action::Due { walk, lanes, limit, asked_at } => {
                let partitions: Vec<_> = lanes.iter().map(|(partition, _)| *partition).collect();
                let result = self.core.due(&names[*walk], &partitions, *limit);
                Input::Due { walk: *walk, lanes: lanes.clone(), limit: *limit, asked_at: *asked_at, result }
            }
            Action::Commit { walk, commits } => {
                Input::Committed { walk: *walk, result: self.commit(commits.clone(), checks) }
            }
            Action::Pause { walk, .. } => Input::Paused { result: self.core.pause(&names[*walk]).map(drop) },
            Action::Purge { older_than, limit } => Input::Purged { result: Ok(self.core.purge(*older_than, *limit)) },
            Action::Deliver { .. } | Action::Cancel { .. } | Action::Probe { .. } => Input::Stop,
        }
    }

    fn commit(&mut self, mut commits: Vec<LaneCommit>, checks: &mut Checks) -> crate::Result<Vec<Partition>> {
        let epochs: Vec<Epoch> = commits.iter().map(|commit| commit.epoch).collect();
        for commit in &mut commits {
            match self.planted {
                Some(Planted::NoFence) => commit.epoch = self.leases[commit.partition.index()].epoch,
                Some(Planted::CommitTorn) => commit.park.clear(),
                _ => {}
            }
        }
        let refused = self.core.commit(&commits)?;
        for (commit, epoch) in commits.iter().zip(epochs) {
            if refused.contains(&commit.partition) {
                continue;
            }
            self.writes += 1;
            if !self.is_current(commit.partition, epoch) {
                checks.violated(Violation::ForeignSettlement);
            }
            for park in commit.park.iter().filter(|park| park.state == ParkedState::Dead) {
                checks.died(&(commit.destination.clone(), park.position), park.kills);
            }
        }
        Ok(refused)
    }

    /// Everything committed, with its position.
    pub(super) fn newest(&self) -> Position {
        self.core.advance()
    }
}

/// The answer to a question that was lost, or whose answer was.
pub(super) fn refused(asked_at: Duration, action: &Action) -> Input {
    let error = || Error::new(Kind::Unavailable, "lost");
    match action {
        Action::Lease { .. } => Input::Leased { asked_at, result: Err(error()) },
        Action::Renew { leases, .. } => Input::Renewed { asked_at, leases: leases.clone(), result: Err(error()) },
        Action::Release { leases, leaving } => {
            Input::Released { leases: leases.clone(), leaving: *leaving, result: Err(error()) }
        }
        Action::Look { .. } => Input::Looked { result: Err(error()) },
        Action::Open { walk, leases } => Input::Opened { walk: *walk, leases: leases.clone(), result: Err(error()) },
        Action::Read { walk, lanes, .. } => Input::Read { walk: *walk, lanes: lanes.clone(), result: Err(error()) },
        Action::ReadKey { walk, lane, line, held, asked_at, .. } => {
            let (held, asked_at) = (held.clone(), *asked_at);
            Input::KeyRead { walk: *walk, lane: *lane, line: *line, held, asked_at, result: Err(error()) }
        }
        Action::Due { walk, lanes, limit, asked_at } => {
            let (limit, asked_at) = (*limit, *asked_at);
            Input::Due { walk: *walk, lanes: lanes.clone(), limit, asked_at, result: Err(error()) }
        }
        Action::Commit { walk, .. } => Input::Committed { walk: *walk, result: Err(error()) },
        Action::Pause { .. } => Input::Paused { result: Err(error()) },
        Action::Purge { .. } => Input::Purged { result: Err(error()) },
        Action::Deliver { .. } | Action::Cancel { .. } | Action::Probe { .. } => Input::Stop,
    }
}
