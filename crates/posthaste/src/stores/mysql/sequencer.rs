//! The sequencer: committed messages get consecutive positions.
//!
//! One transaction places a batch: it locks the row of `outbox_state`, reads what has no position, and writes ranges, gaps and the row.
//! So a crash leaves nothing half done, nobody sees position n+1 before n, and of two sequencers that meet one waits for the other. The
//! lease only saves them from meeting all the time. What a sequencer remembers of gaps and of the newest range holds for as long as
//! nobody else has changed them (`changes`).
//!
//! In a batch messages stand by their numbers. Application transactions of one key follow each other, so what the later one inserts is
//! inserted, and numbered, after the earlier one's commit.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, params};
use tokio::sync::Mutex;
use uuid::Uuid;

use self::batch::Batch;
use super::family::with_server;
use super::gaps::{Gap, Gaps};
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

/// Gaps that are looked at with one statement.
const GAPS_AT_ONCE: usize = 500;

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

/// What holds for as long as `changes` is what the store says.
#[derive(Debug, Default)]
struct Memory {
    changes: Option<i64>,
    gaps: Gaps,
    /// Messages in gaps that were found and not placed yet, in the order of their numbers.
    late: Vec<i64>,
    last: Option<Range>,
}

impl Memory {
    async fn load(connection: &mut impl Queryable, changes: i64) -> Result<Self> {
        let gaps: Vec<(i64, i64)> = connection.exec(include_str!("sql/advance/gaps.sql"), ()).await?;
        let last: Option<Row> = connection.exec_first(include_str!("sql/advance/last.sql"), ()).await?;
        let last = last.as_ref().map(Range::of).transpose()?;
        Ok(Self { changes: Some(changes), gaps: Gaps::found(gaps, Instant::now()), late: Vec::new(), last })
    }

    /// As it is in the store now.
    async fn refresh(&mut self, connection: &mut impl Queryable, changes: i64) -> Result<()> {
        if self.changes != Some(changes) {
            *self = Self::load(connection, changes).await?;
        }
        Ok(())
    }

    /// Looks for messages that were committed after the head had passed them, and says whether there are any.
    async fn find_late(&mut self, connection: &mut impl Queryable) -> Result<bool> {
        let started = Instant::now();
        let all = self.gaps.may_look_at_all(started);
        self.late.extend(late(connection, &self.gaps.to_look_at(started)).await?);
        self.late.sort_unstable();
        self.late.dedup();
        if all && !self.gaps.is_empty() {
            self.gaps.looked_at_all(started.elapsed(), Instant::now());
        }
        Ok(!self.late.is_empty())
    }
}

/// Places what waits, unless another sequencer is at it, and returns the newest position.
pub(super) async fn place_new(store: &MySql) -> Result<Position> {
    let mut memory = store.shared.sequencer.memory.lock().await;
    let mut connection = store.connection().await?;
    let seen = Seen::now(store, &mut connection).await?;
    if !seen.is_same_server {
        drop(connection);
        cross(store).await?;
        return place_all(store, &mut memory).await;
    }
    if !seen.is_ours {
        return Ok(values::position(seen.newest));
    }
    memory.refresh(&mut connection, seen.changes).await?;
    if !seen.is_waiting && !memory.find_late(&mut connection).await? {
        return Ok(values::position(seen.newest));
    }
    drop(connection);
    place_all(store, &mut memory).await
}

/// Places everything that is committed by now, whoever the sequencer is.
pub(super) async fn place_everything(store: &MySql) -> Result<Position> {
    let mut memory = store.shared.sequencer.memory.lock().await;
    place_all(store, &mut memory).await
}

async fn place_all(store: &MySql, memory: &mut Memory) -> Result<Position> {
    loop {
        let (newest, more) = again!(place_batch(store, memory))?;
        if !more {
            return Ok(values::position(newest));
        }
    }
}

/// One batch. Returns the newest position, and whether there may be more.
async fn place_batch(store: &MySql, memory: &mut Memory) -> Result<(i64, bool)> {
    let mut connection = store.connection().await?;
    let lock = with_server(store, &mut connection, include_str!("sql/advance/lock.sql")).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let state: Row = transaction.exec_first(&lock, ()).await?.ok_or_else(no_journal)?;
    if !codec::get::<bool>(&state, "is_same_server")? {
        return Err(Error::new(Kind::Unavailable, "another server has just taken over"));
    }
    let (newest, head, changes) =
        (codec::get(&state, "newest")?, codec::get(&state, "head")?, codec::get(&state, "changes")?);
    memory.refresh(&mut transaction, changes).await?;
    memory.find_late(&mut transaction).await?;
    // Until the commit is answered nobody knows what is in the store.
    memory.changes = None;
    let batch = Batch::find(&mut transaction, newest, head, std::mem::take(&mut memory.late)).await?;
    if batch.is_empty() {
        memory.changes = Some(changes);
        return Ok((newest, false));
    }
    let newest = batch.write(&mut transaction, memory, &store.shared.sequencer.name).await?;
    transaction.commit().await?;
    memory.changes = Some(changes + 1);
    Ok((newest, batch.is_full()))
}

/// Whether something was committed after the head had passed it, or there are too many gaps to tell.
pub(super) async fn may_be_late(store: &MySql, connection: &mut Conn, changes: i64) -> Result<bool> {
    let mut memory = store.shared.sequencer.memory.lock().await;
    memory.refresh(connection, changes).await?;
    let can_tell = memory.gaps.may_look_at_all(Instant::now());
    Ok(memory.find_late(connection).await? || !can_tell && !memory.gaps.is_empty())
}

async fn late(connection: &mut impl Queryable, gaps: &[Gap]) -> Result<Vec<i64>> {
    let mut late = Vec::new();
    for some in gaps.chunks(GAPS_AT_ONCE) {
        let each = some.iter().map(|gap| format!("seq BETWEEN {} AND {}", gap.first, gap.last));
        let sql = include_str!("sql/advance/late.sql").replace("{gaps}", &each.collect::<Vec<_>>().join(" OR "));
        late.extend(connection.query::<i64, _>(sql).await?);
    }
    Ok(late)
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
        let glance = with_server(store, connection, include_str!("sql/advance/glance.sql")).await?;
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

