//! Places in the journal, and the slices it is cut into.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::Message;

/// A place in the journal. A store whose sequence numbers follow the commit order leaves `tick` at zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// The part of the journal that was committed up to some moment.
    pub tick: u64,
    /// The place within the tick.
    pub seq: u64,
}

impl Position {
    /// Before the first message.
    pub const START: Self = Self { tick: 0, seq: 0 };

    /// After every message there will ever be.
    pub const END: Self = Self { tick: u64::MAX, seq: u64::MAX };

    /// A position in a store without ticks.
    pub fn seq(seq: u64) -> Self {
        Self { tick: 0, seq }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tick {
            0 => write!(f, "{}", self.seq),
            tick => write!(f, "{tick}.{}", self.seq),
        }
    }
}

/// A slice of the journal by hash of (tenant, key). Counts from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Partition(u16);

impl Partition {
    /// The partition of this number.
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Its place in a list that has one item for each partition.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All partitions of a journal that has `count` of them.
    pub fn all(count: u16) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Grows each time a partition changes hands and fences every write of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(u64);

impl Epoch {
    /// The epoch of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How many partitions a journal has unless its migration was told otherwise.
pub const PARTITIONS: u16 = 64;

/// The partition of a message, for stores that compute it in the library.
pub fn partition_of(message: &Message, partitions: u16) -> Partition {
    // FNV-1a: stable over versions and platforms, and short enough for any language to repeat.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    match &message.key {
        Some(key) => {
            eat(message.tenant.as_deref().unwrap_or_default().as_bytes());
            eat(&[0x1f]);
            eat(key.as_bytes());
        }
        None => eat(message.id.0.as_bytes()),
    }
    // The low bits of FNV are its weakest, so fold the high half in.
    Partition(((hash ^ (hash >> 32)) % u64::from(partitions)) as u16)
}
