//! Ticks as the relay knows them: the newest ones are kept in memory, because every read needs them and they never change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_postgres::Row;

use super::codec::Xid;
use super::pool::Client;
use super::session::Statements;
use crate::error::{Error, Kind, Result};
use crate::journal::Position;
use crate::stores::values::{signed, unsigned};

/// Ticks fetched together, and considered together.
const CHUNK: usize = 1_000;
/// Ticks kept.
const KEPT: usize = 10_000;

/// From so many messages on, what a tick weighs is an estimate; as in `sql/advance.sql`.
const WEIGHED: i64 = 2_000;

/// One tick; see the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tick {
    pub(super) n: u64,
    pub(super) floor: Xid,
    pub(super) ceiling: Xid,
    pub(super) running: Vec<Xid>,
    pub(super) late: Vec<Xid>,
    /// First and last sequence number of what is not late.
    pub(super) span: Option<(i64, i64)>,
    pub(super) end_seq: i64,
    pub(super) messages: i64,
    pub(super) bytes: i64,
}

impl Tick {
    pub(super) fn of(row: &Row) -> Result<Self> {
        let span: (Option<i64>, Option<i64>) = (row.try_get("first_seq")?, row.try_get("last_seq")?);
        Ok(Self {
            n: unsigned(row.try_get("n")?),
            floor: row.try_get("floor")?,
            ceiling: row.try_get("ceiling")?,
            running: row.try_get("running")?,
            late: row.try_get("late")?,
            span: span.0.zip(span.1),
            end_seq: row.try_get("end_seq")?,
            messages: row.try_get("messages")?,
            bytes: row.try_get("bytes")?,
        })
    }

    /// Whether its weight was estimated from some of its messages.
    pub(super) fn is_estimated(&self) -> bool {
        self.messages >= WEIGHED
    }

    /// Where it ends: the position of its last message.
    pub(super) fn end(&self) -> Position {
        Position { tick: self.n, seq: unsigned(self.end_seq) }
    }
}

/// Makes a tick if there is something new, and returns the newest one.
pub(super) async fn newest(client: &Client) -> Result<Tick> {
    let tick = client.query_opt(include_str!("sql/advance.sql"), &[]).await?.as_ref().map(Tick::of).transpose()?;
    tick.ok_or_else(|| Error::new(Kind::Corrupt, "the journal has no ticks: run `posthaste migrate`"))
}

/// The ticks this process has seen last: without a gap, each beginning where the one before it ends.
#[derive(Debug, Default)]
pub(super) struct Ticks(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    ticks: VecDeque<Arc<Tick>>,
    /// How often everything was forgotten: what was asked before that is not kept.
    seams: u64,
}

impl Ticks {
    /// As [`newest`], and remembers it.
    pub(super) async fn advance(&self, client: &Client, seams: u64) -> Result<Arc<Tick>> {
        let tick = Arc::new(newest(client).await?);
        self.append(&tick, seams);
        Ok(tick)
    }

    /// Ticks from the one that `after` is in, in order: until they hold `messages`, or there are no more at hand.
    pub(super) async fn from(
        &self,
        client: &Client,
        seams: u64,
        after: Position,
        messages: i64,
    ) -> Result<Vec<Arc<Tick>>> {
        if let Some(known) = self.at_hand(seams, after, messages) {
            return Ok(known);
        }
        let rows = client.query(include_str!("sql/ticks.sql"), &[&signed(after.tick), &signed(CHUNK)]).await?;
        let ticks = rows.iter().map(|row| Tick::of(row).map(Arc::new)).collect::<Result<VecDeque<_>>>()?;
        let chosen = enough(ticks.iter(), messages);
        if let Some(mut known) = self.known_after(seams) {
            known.ticks = ticks;
        }
        Ok(chosen)
    }

    /// How many failovers this process has seen. To be asked before a connection is taken: what comes by a connection that was made
    /// before a failover is not kept.
    pub(super) fn seams(&self) -> u64 {
        self.known().seams
    }

    /// The database failed over: ticks that are known may not exist there.
    pub(super) fn forget(&self) {
        let mut known = self.known();
        known.ticks.clear();
        known.seams += 1;
    }

    /// Nothing if the newest one known ends before or at `after`, or the oldest one known begins behind it.
    fn at_hand(&self, seams: u64, after: Position, messages: i64) -> Option<Vec<Arc<Tick>>> {
        let known = &self.known_after(seams)?.ticks;
        if known.front()?.n > after.tick || after >= known.back()?.end() {
            return None;
        }
        let first = known.partition_point(|tick| tick.n < after.tick);
        Some(enough(known.range(first..), messages))
    }

    /// Adds the tick that follows; anything else would leave a gap.
    fn append(&self, tick: &Arc<Tick>, seams: u64) {
        let Some(mut known) = self.known_after(seams) else { return };
        let known = &mut known.ticks;
        if known.back().is_some_and(|last| last.n + 1 == tick.n && last.ceiling == tick.floor) {
            known.push_back(Arc::clone(tick));
            if known.len() > KEPT {
                known.pop_front();
            }
        }
    }

    /// What is known, unless something was forgotten since.
    fn known_after(&self, seams: u64) -> Option<MutexGuard<'_, Known>> {
        Some(self.known()).filter(|known| known.seams == seams)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As many as it takes, and one more: the first may be done with already.
fn enough<'a>(ticks: impl Iterator<Item = &'a Arc<Tick>>, messages: i64) -> Vec<Arc<Tick>> {
    let mut chosen = Vec::new();
    let mut held = 0;
    for (n, tick) in ticks.take(CHUNK).enumerate() {
        chosen.push(Arc::clone(tick));
        held += if n == 0 { 0 } else { tick.messages };
        if held >= messages {
            break;
        }
    }
    chosen
}
