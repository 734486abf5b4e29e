//! The engine at one moment, for live displays and metrics.

/// One destination as this worker sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DestinationSnapshot {
    /// Its name.
    pub name: String,
    /// Confirmed by the sink since the relay started.
    pub delivered: u64,
    /// Failed attempts since the relay started.
    pub failed: u64,
    /// Declared dead since the relay started.
    pub dead: u64,
    /// Messages handed to the sink and not answered.
    pub in_flight: usize,
    /// Set while the destination is out of reach.
    pub outage: Option<String>,
    /// Whether an operator has paused it.
    pub paused: bool,
    /// Tenants an operator has paused there.
    pub paused_tenants: usize,
}

/// The relay at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Partitions held.
    pub partitions: usize,
    /// In the order in which they were given to the relay.
    pub destinations: Vec<DestinationSnapshot>,
}
