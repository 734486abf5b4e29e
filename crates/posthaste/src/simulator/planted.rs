//! Mistakes that are planted to see whether the checks would notice.

use crate::engine::mistakes::{Mistake, Mistakes};

/// A mistake in the engine or in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// A mistake in the engine.
    Engine(Mistake),
    /// The store takes commits of any epoch.
    NoFence,
    /// The store grants partitions that another worker holds.
    LeaseGrantedTwice,
    /// A commit's cursor is stored, what it parked is not: two transactions instead of one.
    CommitTorn,
    /// What waits behind a held key is read without its last message.
    HeldReadCutShort,
    /// The letters of a commit are stored, whether or not the commit is: two transactions instead of one.
    LettersTorn,
    /// After a failover, positions are given out again that were used in what is gone.
    PositionsReused,
    /// The store takes the answer to any hand-over for the one that waits.
    AnyHandOverAnswered,
    /// The store takes what was read of a source from anyone.
    IngestUnfenced,
}

impl Planted {
    /// Every mistake that can be planted.
    pub fn all() -> Vec<Self> {
        let store = [
            Self::NoFence,
            Self::LeaseGrantedTwice,
            Self::CommitTorn,
            Self::HeldReadCutShort,
            Self::LettersTorn,
            Self::PositionsReused,
            Self::AnyHandOverAnswered,
            Self::IngestUnfenced,
        ];
        Mistake::ALL.map(Self::Engine).into_iter().chain(store).collect()
    }

    /// Whether it shows only where two workers believe to hold one partition, so that it is hunted there.
    pub(super) fn needs_contention(self) -> bool {
        self == Self::Engine(Mistake::HeldReadUnfenced)
    }

    /// Whether it is a mistake about sources, which have a world of their own.
    pub(super) fn is_of_sources(self) -> bool {
        let of_engine = [Mistake::CheckpointTooEarly, Mistake::SourceWindowIgnored].map(Self::Engine);
        self == Self::IngestUnfenced || of_engine.contains(&self)
    }

    /// What the engine gets of it.
    pub(super) fn in_engine(planted: Option<Self>) -> Mistakes {
        match planted {
            Some(Self::Engine(mistake)) => Mistakes::planted(mistake),
            _ => Mistakes::NONE,
        }
    }
}
