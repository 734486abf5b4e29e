//! Who holds which partition.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Epoch, Partition};
use crate::destination::Name;

/// The name of a running relay.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(pub String);

impl WorkerId {
    /// A name for this process: `hostname-pid` and a random suffix, so that a restarted container is not taken for the one
    /// before.
    pub fn of_this_process() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = match host.trim() {
            "" => "worker",
            name => name,
        };
        let suffix = uuid::Uuid::now_v7().simple().to_string();
        Self(format!("{host}-{}-{}", std::process::id(), &suffix[suffix.len() - 6..]))
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ownership of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    /// What is owned.
    pub partition: Partition,
    /// Higher than that of every earlier lease of this partition; fences every write.
    pub epoch: Epoch,
    /// The holder before let it expire: that worker died, and something in flight may have killed it.
    pub expired_before: bool,
}

/// Answer to [`Journal::lease`](super::Journal::lease).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// Newly acquired.
    pub leases: Vec<Lease>,
    /// Workers alive, the asking one included: the partitions are shared among them.
    pub workers: usize,
    /// Destinations an operator has paused.
    pub paused: Vec<Name>,
    /// Tenants an operator has paused, by destination; destinations without any are left out.
    pub paused_tenants: Vec<(Name, Vec<String>)>,
}

/// What a worker tells the others about itself, for `status` and `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// One for each destination that it serves.
    pub destinations: Vec<DestinationReport>,
}

/// One destination as one worker sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DestinationReport {
    /// Which destination.
    pub name: String,
    /// Messages that were handed to the sink and not answered yet.
    pub in_flight: usize,
    /// Set while the destination is out of reach: the error that said so.
    pub outage: Option<String>,
    /// Lanes that do not walk because too many of their keys are held.
    pub overfull_lanes: usize,
}
