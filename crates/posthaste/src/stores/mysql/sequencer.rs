//! The sequencer: committed messages get consecutive positions.
//!
//! One transaction places a batch: it locks the row of `outbox_state`, reads what has no position, and writes ranges, gaps and the row.
//! So a crash leaves nothing half done, nobody sees position n+1 before n, and of two sequencers that meet one waits for the other. The
//! lease only saves them from meeting all the time. What a sequencer remembers of gaps and of the newest range holds for as long as
//! nobody else has changed them (`changes`).
//!
//! In a batch messages stand by their numbers. Application transactions of one key follow each other, so what the later one inserts is
//! inserted, and numbered, after the earlier one's commit. For the same reason gaps are looked at after what is new was found: if
//! something new follows from something late, that was committed by then.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, params};
use tokio::sync::Mutex;
use uuid::Uuid;

use self::batch::Batch;
use super::family::{Family, with_server};
use super::gaps::{Gap, Gaps};
use super::overview::oldest_transaction;
use super::ranges::Range;
use super::retry::again;
use super::seam::{cross, no_journal};
use super::{MySql, codec, connection};
use crate::error::{Error, Kind, Result};
use crate::journal::Position;
use crate::stores::values;

mod batch;

/// How long a sequencer is left alone after it did something.
const LEASE: Duration = Duration::from_secs(2);

/// Batches that are placed before the first of them are delivered.
const AT_ONCE: usize = 4;

/// Gaps that are looked at with one statement.
const GAPS_AT_ONCE: usize = 500;

/// For so long TiDB lets a transaction keep its locks, and so commit, unless it was told otherwise.
const LONGEST_TRANSACTION: Duration = Duration::from_secs(3_600);

/// By how much clocks of a cluster may differ.
const SKEW: Duration = Duration::from_secs(10);

/// What this process knows about the journal as its sequencer.
#[derive(Debug)]
pub(super) struct Sequencer {
    name: String,
    memory: Mutex<Memory>,
}

impl Default for Sequencer {
    fn default() -> Self {
        Self { name: Uuid::now_v7().to_string(), memory: Mutex::default() }
    }
}

impl Sequencer {
    /// What the store calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// What holds for as long as `changes` is what the store says.
#[derive(Debug, Default)]
struct Memory {
    changes: Option<i64>,
    gaps: Gaps,
    last: Option<Range>,
}

impl Memory {
    /// As it is in the store now.
    async fn refresh(&mut self, connection: &mut impl Queryable, changes: i64) -> Result<()> {
        if self.changes == Some(changes) {
            return Ok(());
        }
        let gaps: Vec<(i64, i64)> = connection.exec(include_str!("sql/advance/gaps.sql"), ()).await?;
        let last: Option<Row> = connection.exec_first(include_str!("sql/advance/last.sql"), ()).await?;
        self.last = last.as_ref().map(Range::of).transpose()?;
        self.gaps = Gaps::found(gaps, &self.gaps, Instant::now());
        self.changes = Some(changes);
        Ok(())
    }

    /// Finds out which gaps somebody may be about to commit, unless that was done a moment ago. Returns whether it was done.
    async fn look_through(&mut self, connection: &mut Conn, family: Family) -> Result<bool> {
        let started = Instant::now();
        if self.gaps.is_empty() || !self.gaps.may_look_through(started) {
            return Ok(self.gaps.is_empty());
        }
        let (used, hidden) = if family.shows_uncommitted() {
            let mut uncommitted = connection::uncommitted(connection).await?;
            let used = in_gaps(&mut uncommitted, self.gaps.all()).await?;
            uncommitted.rollback().await?;
            (used, Duration::ZERO)
        } else {
            // Before it: whoever commits in between is found.
            let hidden = hidden_for(connection, family).await;
            (in_gaps(connection, self.gaps.all()).await?, hidden)
        };
        self.gaps.looked_through(&used, hidden, started.elapsed(), Instant::now());
        Ok(true)
    }

    /// Messages that were committed after the head had passed them.
    async fn late(&self, connection: &mut impl Queryable) -> Result<Vec<i64>> {
        in_gaps(connection, &self.gaps.in_use(Instant::now())).await
    }
}

/// How long what a transaction writes may be out of sight, where nobody sees it before its commit.
async fn hidden_for(connection: &mut Conn, family: Family) -> Duration {
    oldest_transaction(connection, family).await.map_or(LONGEST_TRANSACTION, |age| age + SKEW)
}

/// Places what waits, unless another sequencer is at it, and returns the newest position.
pub(super) async fn place_new(store: &MySql) -> Result<Position> {
    let mut memory = store.shared.sequencer.memory.lock().await;
    let mut connection = store.connection().await?;
    let seen = Seen::now(store, &mut connection).await?;
    if !seen.is_same_server {
        drop(connection);
        cross(store).await?;
        return place_some(store, &mut memory, AT_ONCE).await;
    }
    if !seen.is_ours {
        return Ok(values::position(seen.newest));
    }
    memory.refresh(&mut connection, seen.changes).await?;
    let family = store.family().await?;
    memory.look_through(&mut connection, family).await?;
    if !seen.is_waiting && memory.late(&mut connection).await?.is_empty() {
        return Ok(values::position(seen.newest));
    }
    drop(connection);
    place_some(store, &mut memory, AT_ONCE).await
}

/// Places everything that is committed by now, whoever the sequencer is.
pub(super) async fn place_everything(store: &MySql) -> Result<Position> {
    let mut memory = store.shared.sequencer.memory.lock().await;
    place_some(store, &mut memory, usize::MAX).await
}

/// So many batches at most.
async fn place_some(store: &MySql, memory: &mut Memory, batches: usize) -> Result<Position> {
    let mut placed = 1;
    loop {
        let (newest, more) = again!(place_batch(store, memory))?;
        if !more || placed >= batches {
            return Ok(values::position(newest));
        }
        placed += 1;
    }
}

/// One batch. Returns the newest position, and whether there may be more.
async fn place_batch(store: &MySql, memory: &mut Memory) -> Result<(i64, bool)> {
    let mut connection = store.connection().await?;
    let lock = with_server(store, include_str!("sql/advance/lock.sql")).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let state: Row = transaction.exec_first(&lock, ()).await?.ok_or_else(no_journal)?;
    if !codec::get::<bool>(&state, "is_same_server")? {
        return Err(Error::new(Kind::Unavailable, "another server has just taken over"));
    }
    let (newest, head, changes) =
        (codec::get(&state, "newest")?, codec::get(&state, "head")?, codec::get(&state, "changes")?);
    memory.refresh(&mut transaction, changes).await?;
    let new = Batch::beyond(&mut transaction, head).await?;
    // After it: see above.
    let batch = Batch { newest, head, new, late: memory.late(&mut transaction).await? };
    if batch.is_empty() {
        return Ok((newest, false));
    }
    // Until the commit is answered nobody knows what is in the store.
    memory.changes = None;
    let newest = batch.write(&mut transaction, memory, &store.shared.sequencer.name).await?;
    transaction.commit().await?;
    memory.changes = Some(changes + 1);
    Ok((newest, batch.is_full()))
}

/// Whether something was committed after the head had passed it, or there are too many gaps to tell now.
pub(super) async fn may_be_late(store: &MySql, connection: &mut Conn, changes: i64) -> Result<bool> {
    // Somebody is placing messages just now, or looks at gaps.
    let Ok(mut memory) = store.shared.sequencer.memory.try_lock() else { return Ok(true) };
    memory.refresh(connection, changes).await?;
    let family = store.family().await?;
    let can_tell = memory.look_through(connection, family).await?;
    Ok(!can_tell || !memory.late(connection).await?.is_empty())
}

/// Whether there are gaps in which something may be committed late, or nobody can tell at the moment.
pub(super) fn has_gaps(store: &MySql, changes: i64) -> bool {
    let memory = store.shared.sequencer.memory.try_lock();
    !memory.is_ok_and(|memory| memory.changes == Some(changes) && memory.gaps.is_empty())
}

/// The numbers in these gaps that the connection sees.
async fn in_gaps(connection: &mut impl Queryable, gaps: &[Gap]) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    for some in gaps.chunks(GAPS_AT_ONCE) {
        let each = some.iter().map(|gap| format!("seq BETWEEN {} AND {}", gap.first, gap.last));
        let sql = include_str!("sql/advance/late.sql").replace("{gaps}", &each.collect::<Vec<_>>().join(" OR "));
        found.extend(connection.query::<i64, _>(sql).await?);
    }
    Ok(found)
}

/// What a sequencer sees before it writes anything.
struct Seen {
    newest: i64,
    changes: i64,
    is_same_server: bool,
    is_ours: bool,
    is_waiting: bool,
}

impl Seen {
    async fn now(store: &MySql, connection: &mut Conn) -> Result<Self> {
        let glance = with_server(store, include_str!("sql/advance/glance.sql")).await?;
        let sequencer = &store.shared.sequencer.name;
        let row: Option<Row> = connection.exec_first(&glance, params! { "sequencer" => sequencer }).await?;
        let row = row.ok_or_else(no_journal)?;
        Ok(Self {
            newest: codec::get(&row, "newest")?,
            changes: codec::get(&row, "changes")?,
            is_same_server: codec::get(&row, "is_same_server")?,
            is_ours: codec::get(&row, "is_ours")?,
            is_waiting: codec::get(&row, "is_waiting")?,
        })
    }
}
