//! What a relay tells about itself: logs and live figures. The engine and its shell count; sinks and stores contain neither.

pub use self::histogram::Histogram;
pub(super) use self::log::{log, log_claim, log_grant, log_sent, log_start, span};
pub use self::monitor::Monitor;
pub(super) use self::source_log::{SourceLog, log_ingest};
pub(super) use self::store_outage::StoreOutage;
pub(super) use self::trace::Spans;
pub use self::trace::{AttemptSpan, Tracer};

mod histogram;
mod log;
mod monitor;
mod outage;
mod source_log;
mod store_outage;
mod trace;

/// What has happened since the relay started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Partitions taken over from workers that died.
    pub recovered_leases: u64,
    /// Partitions that went to another worker while this one believed to hold them.
    pub lost_leases: u64,
    /// How long the store took to record what lanes did.
    pub commits: Histogram,
    /// Requests that the store answered with an error, or not in time.
    pub store_errors: u64,
    /// How long sinks took, in the order in which the destinations were given.
    pub deliveries: Vec<Histogram>,
    /// How often something happened after which a message may arrive twice.
    pub possible_duplicates: PossibleDuplicates,
    /// The sources of this relay, by name.
    pub sources: std::collections::BTreeMap<String, SourceFigures>,
}

/// A source as this worker sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFigures {
    /// Whether this worker reads it.
    pub held: bool,
    /// Events that are read and not stored.
    pub backlog: usize,
    /// Events that were read and stored, or ignored.
    pub events: u64,
    /// Messages that were stored.
    pub stored: u64,
    /// Messages that were stored before.
    pub duplicates: u64,
    /// Events that nothing could be made of.
    pub refused: u64,
    /// How often reading has failed.
    pub failures: u64,
}

/// Events after which a message may arrive twice, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PossibleDuplicates {
    /// A sink did not answer in time; it may have delivered.
    pub timeout: u64,
    /// A hand-over was called off, because the lease was gone or the time to stop was up.
    pub cancelled: u64,
    /// What was delivered could not be recorded, because another worker had the lease.
    pub refused_commit: u64,
    /// A partition was taken over from a worker that died with something in flight.
    pub took_over: u64,
}
