//! The engine's side of a store.
//!
//! Only durations cross this port, never instants: the store's clock rules. A store has no capability flags; it passes the
//! whole store suite (`testkit::store_suite`) or does not ship. `stores::memory` is the executable specification.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::message::{Message, OrderKey};

mod parking;

pub use self::parking::{Attempt, Due, DueBatch, HeldKey, Park, ParkedState};

/// A place in the journal. A store whose sequence numbers follow the commit order leaves `tick` at zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    pub tick: u64,
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

/// A slice of the journal by hash of (tenant, key).
pub type Partition = u16;

/// Grows each time a partition changes hands and fences every write of a lane.
pub type Epoch = u64;

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
    ((hash ^ (hash >> 32)) % u64::from(partitions)) as Partition
}

/// The name of a running relay.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(pub String);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ownership of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    pub partition: Partition,
    pub epoch: Epoch,
    /// Taken over because the holder before let it expire: it died, and something in flight may have killed it.
    pub expired_before: bool,
}

/// Answer to [`Journal::lease`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// Newly acquired.
    pub leases: Vec<Lease>,
    /// Workers alive, the asking one included: the partitions are shared among them.
    pub workers: usize,
    /// Destinations an operator has paused.
    pub paused: Vec<Name>,
}

/// One message at its place in the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    pub position: Position,
    pub partition: Partition,
    pub message: Arc<Message>,
    /// For a scheduled message that is not due yet: how long from now by the store's clock.
    pub due_in: Option<Duration>,
}

/// What an enqueue did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Enqueued {
    pub stored: usize,
    /// Messages whose origin was stored before; writing them again is a quiet no-op.
    pub duplicates: usize,
}

/// What to read: everything in `partitions` after `after`, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Sorted, without repeats.
    pub partitions: Vec<Partition>,
    pub after: Position,
    /// Nothing beyond this; [`Position::END`] reads on as far as there is something.
    pub until: Position,
    pub limit: usize,
    /// Stop when this much is gathered; the first entry is returned whatever it weighs ([`Message::weight`]).
    pub max_bytes: usize,
}

/// A stretch of the journal.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// In journal order.
    pub entries: Vec<Entry>,
    /// Everything asked for up to here is in `entries`. At least the position of the last entry, at most the request's `until`
    /// and the journal's newest position.
    pub upto: Position,
}

/// How far a lane got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Everything up to here is settled.
    pub low: Position,
    /// Settled beyond `low`, ascending.
    pub done: Vec<Position>,
}

/// Everything a lane wants recorded, in one transaction, only if its lease still holds. Absolute values: applying it twice
/// is the same as once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCommit {
    pub destination: Name,
    pub partition: Partition,
    pub epoch: Epoch,
    pub cursor: Option<Cursor>,
    pub park: Vec<Park>,
    pub unpark: Vec<Position>,
    /// Parked deliveries that someone discarded, and of which the lane has taken note. Whatever is no longer
    /// [`ParkedState::Discarding`] is left alone.
    pub let_go: Vec<Position>,
    pub hold: Vec<HeldKey>,
    pub free: Vec<OrderKey>,
    pub attempts: Vec<Attempt>,
}

impl LaneCommit {
    /// Changes nothing, and is refused like any other once the lease is gone.
    pub fn nothing(destination: Name, partition: Partition, epoch: Epoch) -> Self {
        Self {
            destination,
            partition,
            epoch,
            cursor: None,
            park: Vec::new(),
            unpark: Vec::new(),
            let_go: Vec::new(),
            hold: Vec::new(),
            free: Vec::new(),
            attempts: Vec::new(),
        }
    }

    /// Whether the cursor is all there is to record.
    pub fn is_cursor_only(&self) -> bool {
        self.park.is_empty()
            && self.unpark.is_empty()
            && self.let_go.is_empty()
            && self.hold.is_empty()
            && self.free.is_empty()
            && self.attempts.is_empty()
    }
}

/// What a lane finds when it opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneState {
    pub partition: Partition,
    pub cursor: Cursor,
    /// With each held key: whether a parked delivery stands at its head.
    pub held: Vec<(HeldKey, bool)>,
    /// How long until the first parked delivery is due.
    pub next_due_in: Option<Duration>,
}

/// What a worker tells the others about itself, for `status` and `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    pub destinations: Vec<DestinationReport>,
}

/// One destination as one worker sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DestinationReport {
    pub name: String,
    pub in_flight: usize,
    /// Set while the destination is out of reach: the error that said so.
    pub outage: Option<String>,
    /// Lanes that do not walk because too many of their keys are held.
    pub overfull_lanes: usize,
}

/// Whether there can be something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The store is sure that nothing was written since the last look.
    Nothing,
    /// Something was written, or the store cannot tell.
    Maybe,
}

/// What a purge did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    pub messages: u64,
    /// More is left to remove; call again.
    pub more: bool,
}

/// The journal as the engine uses it.
#[async_trait]
pub trait Journal: fmt::Debug + Send + Sync {
    /// The number of partitions, fixed at migration. Also the check that there is a journal of the right version.
    async fn partitions(&self) -> Result<u16>;

    /// Makes the destinations known: their cursors exist afterwards, the status view knows their routes, and whatever is no
    /// longer named holds up no purge. A destination seen for the first time starts where its `start_from` says.
    async fn register(&self, destinations: &[Destination]) -> Result<()>;

    /// Announces the worker as alive for `ttl` and acquires up to `want` free or expired partitions for as long. Two workers
    /// never get the same one; each acquisition has a higher epoch than all before. `want` may be zero.
    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant>;

    /// Extends leases by `ttl` from now and returns those that are still held with their epoch. Never brings one back that
    /// another worker has taken. Keeps the report for others to read.
    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>>;

    /// Gives leases back at once; those that are no longer held are left alone. With `leaving`, the worker is gone.
    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()>;

    /// Gives what was committed its place and returns the newest position that can be read.
    async fn advance(&self) -> Result<Position>;

    /// Where the lanes of a destination stand. Only for partitions whose lease is held.
    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>>;

    /// Reads on. What was once beyond `upto` of an answer never appears before it.
    async fn read(&self, request: &ReadRequest) -> Result<Batch>;

    /// Reads what waits behind a held key: its messages in `(after, until]` that are not parked on their own, in order. Only
    /// believed while the lease is held: a later holder may have parked the next one.
    async fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>>;

    /// Parked deliveries whose time has come, except those whose key is held by another one.
    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch>;

    /// Records what lanes did: all of a lane's changes or none, and none unless (partition, epoch) still holds. Returns the
    /// partitions that were refused. A parked delivery that someone discarded stays discarded.
    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>>;

    /// Waits for something new, `timeout` at most.
    async fn wait(&self, timeout: Duration) -> Result<Hint>;

    /// Removes up to `limit` messages older than `older_than` that every destination has settled and nothing refers to. None
    /// before destinations are known.
    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged>;
}
