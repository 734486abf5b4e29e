//! Reading on: the hot path.
//!
//! A read is one range of sequence numbers, whatever ticks lie in it. Several small ticks are read together and put in order here;
//! a large one is read page by page. Messages of transactions that were late are fetched beside them by their transaction.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::codec::{self, Xid};
use super::pool::Client;
use super::session::Statements;
use super::ticks::Tick;
use super::{Postgres, partitions};
use crate::error::Result;
use crate::journal::{Batch, Entry, Position, ReadRequest};
use crate::stores::statement::with_columns;
use crate::stores::values::{signed, unsigned};

/// The longest stretch of the journal that one call reads over, so that a lane that catches up alone among many partitions occupies
/// no connection for long.
const STRETCH: i64 = 50_000;

/// From how many messages on a page is shared by two connections.
const LONG_PAGE: usize = 1_000;

pub(super) async fn read(store: &Postgres, request: &ReadRequest) -> Result<Batch> {
    let seams = store.shared.ticks.seams();
    let client = store.client().await?;
    let total = partitions::known(store, &client).await?;
    let share = usize::from(total) / request.partitions.len().max(1);
    // Lanes of few partitions read over more messages at once, most of which are not theirs.
    let messages = signed(request.limit.saturating_mul(share.clamp(1, 16)));
    let ticks = store.shared.ticks.from(&client, seams, request.after, messages).await?;
    let newest = ticks.last().map_or(request.after, |tick| tick.end());
    let wanted = |tick: &Arc<Tick>| tick.end() > request.after && tick.n <= request.until.tick;
    let ticks: Vec<_> = ticks.into_iter().filter(wanted).collect();
    let Some(stretch) = Stretch::of(&ticks, request, messages) else {
        return Ok(Batch { entries: Vec::new(), upto: newest.min(request.until).max(request.after) });
    };
    let all = request.partitions.len() == usize::from(total);
    let middle = stretch.middle(share.clamp(1, 16));
    let spare = if middle.is_some() { store.spare_client().await } else { None };
    // After a seam it may lead to another server than the first one.
    let spare = spare.filter(|_| store.shared.ticks.seams() == seams);
    let halves = middle.zip(spare.as_ref());
    Reading { client: &client, request, stretch, all, halves }.run().await
}

/// The part of the journal that one call reads.
struct Stretch<'a> {
    ticks: &'a [Arc<Tick>],
    /// Sequence numbers in `(after, bound]`; those of late transactions in `(late_after, bound]`.
    after: i64,
    late_after: i64,
    bound: i64,
    rows: usize,
    /// Everything that was requested up to here is in the answer, if no limit was in the way.
    end: Position,
}

impl<'a> Stretch<'a> {
    fn of(ticks: &'a [Arc<Tick>], request: &ReadRequest, messages: i64) -> Option<Self> {
        let first = ticks.first()?;
        let max_bytes = signed(request.max_bytes);
        if first.is_estimated() || first.messages > messages || first.bytes > max_bytes {
            return Some(Self::page_of(first, &ticks[..1], request));
        }
        let (mut held, mut bytes) = (0_i64, 0_i64);
        let fits = |tick: &&Arc<Tick>| {
            held += tick.messages;
            bytes = bytes.saturating_add(tick.bytes);
            held <= messages && bytes <= max_bytes && !tick.is_estimated()
        };
        let ticks = &ticks[..ticks.iter().take_while(fits).count().max(1)];
        if let [only] = ticks {
            return Some(Self::page_of(only, ticks, request));
        }
        let spans = || ticks.iter().filter_map(|tick| tick.span);
        let end = ticks.last()?.end();
        Some(Self {
            after: spans().map(|(first, _)| first - 1).min().unwrap_or(i64::MAX),
            late_after: 0,
            bound: ticks.iter().map(|tick| tick.end_seq).max()?,
            rows: usize::MAX,
            end: end.min(request.until).max(request.after),
            ticks,
        })
    }

    /// A part of one tick, which is in the order of its sequence numbers.
    fn page_of(tick: &Tick, ticks: &'a [Arc<Tick>], request: &ReadRequest) -> Self {
        let from = if request.after.tick == tick.n { signed(request.after.seq) } else { 0 };
        let until = if request.until.tick == tick.n { signed(request.until.seq) } else { i64::MAX };
        let after = tick.span.map_or(i64::MAX, |(first, _)| from.max(first - 1));
        let rest_fits = tick.span.is_none_or(|(_, last)| after.saturating_add(STRETCH) >= last);
        let bound = if rest_fits { tick.end_seq } else { after + STRETCH }.min(until);
        let weight = usize::try_from(tick.bytes / tick.messages.max(1)).unwrap_or(0) + 512;
        Self {
            ticks,
            after,
            late_after: from,
            bound,
            rows: request.limit.min(request.max_bytes / weight).max(1),
            end: Position { tick: tick.n, seq: unsigned(bound) },
        }
    }

    /// Where to divide a page of many messages, so that two connections share in it while a lane catches up.
    fn middle(&self, share: usize) -> Option<i64> {
        let page = signed(self.rows.saturating_mul(share));
        (self.rows >= LONG_PAGE && self.after.saturating_add(page) < self.bound).then(|| self.after + page / 2)
    }

    /// Transactions whose messages are not for the range to find, though they lie in it.
    fn excluded(&self) -> Vec<Xid> {
        let mut excluded: Vec<_> =
            self.ticks.iter().flat_map(|tick| tick.running.iter().chain(&tick.late).copied()).collect();
        excluded.sort_unstable();
        excluded.dedup();
        excluded
    }

    fn late(&self) -> HashMap<Xid, u64> {
        self.ticks.iter().flat_map(|tick| tick.late.iter().map(|&xid| (xid, tick.n))).collect()
    }

    /// The tick of a transaction that was not late.
    fn tick_of(&self, xid: Xid) -> u64 {
        let at = self.ticks.partition_point(|tick| tick.ceiling <= xid);
        self.ticks[at.min(self.ticks.len() - 1)].n
    }
}

struct Reading<'a> {
    client: &'a Client,
    request: &'a ReadRequest,
    stretch: Stretch<'a>,
    all: bool,
    /// Where a long page is divided, and the connection for its second half.
    halves: Option<(i64, &'a Client)>,
}

impl Reading<'_> {
    async fn run(self) -> Result<Batch> {
        let (entries, is_cut) = self.range().await?;
        let late = self.late().await?;
        let is_cut = is_cut || late.len() >= self.stretch.rows;
        let mut entries =
            if late.is_empty() && self.stretch.ticks.len() == 1 { entries } else { sorted(entries, late) };
        entries.retain(|entry| self.request.after < entry.position && entry.position <= self.request.until);
        let fitting = self.fitting(&entries);
        let upto = if fitting < entries.len() || is_cut {
            entries.truncate(fitting);
            entries.last().map_or(self.request.after, |entry| entry.position)
        } else {
            self.stretch.end
        };
        Ok(Batch { entries, upto })
    }

    /// What is not late, and whether there is more of it.
    async fn range(&self) -> Result<(Vec<Entry>, bool)> {
        let Stretch { after, bound, rows, .. } = self.stretch;
        if after >= bound {
            return Ok((Vec::new(), false));
        }
        let Some((middle, spare)) = self.halves else { return self.part(self.client, (after, bound), rows).await };
        let (first, second) = tokio::try_join!(
            self.part(self.client, (after, middle), rows),
            self.part(spare, (middle, bound), rows.div_ceil(2)),
        )?;
        let ((mut entries, is_cut), (rest, rest_is_cut)) = (first, second);
        if !is_cut {
            entries.extend(rest);
        }
        Ok((entries, is_cut || rest_is_cut))
    }

    /// What is not late of these sequence numbers, and whether there is more of it.
    async fn part(&self, client: &Client, (after, bound): (i64, i64), rows: usize) -> Result<(Vec<Entry>, bool)> {
        let ticks = self.stretch.ticks;
        let ([first, ..], Some(last)) = (ticks, ticks.last()) else { return Ok((Vec::new(), false)) };
        let (excluded, partitions) = (self.stretch.excluded(), codec::partitions(&self.request.partitions));
        let (ceiling, limit) = (last.ceiling, signed(rows));
        let params: [&(dyn ToSql + Sync); 8] =
            [&after, &bound, &first.floor, &ceiling, &excluded, &self.all, &partitions, &limit];
        let (mut entries, mut weight): (Vec<Entry>, usize) = (Vec::new(), 0);
        // Only one tick comes in its final order, so that the rest can be left for the next read.
        let enough = if ticks.len() == 1 { self.request.max_bytes } else { usize::MAX };
        let take = |row: &Row| {
            let entry = codec::entry(row, self.stretch.tick_of(codec::xid_of(row)?))?;
            weight += entry.message.weight();
            entries.push(entry);
            Ok(if weight >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        client.each(with_columns!(codec::COLUMNS, "sql/read/range.sql"), &params, take).await?;
        let is_cut = weight >= enough || entries.len() >= rows;
        Ok((entries, is_cut))
    }

    async fn late(&self) -> Result<Vec<Entry>> {
        let late = self.stretch.late();
        if late.is_empty() {
            return Ok(Vec::new());
        }
        let xids: Vec<Xid> = late.keys().copied().collect();
        let (partitions, rows) = (codec::partitions(&self.request.partitions), signed(self.stretch.rows));
        let Stretch { late_after, bound, .. } = &self.stretch;
        let params: [&(dyn ToSql + Sync); 6] = [&xids, late_after, bound, &self.all, &partitions, &rows];
        let found = self.client.query(with_columns!(codec::COLUMNS, "sql/read/late.sql"), &params).await?;
        let entry = |row: &Row| codec::entry(row, late.get(&codec::xid_of(row)?).copied().unwrap_or_default());
        found.iter().map(entry).collect()
    }

    /// How many of the entries the request has room for.
    fn fitting(&self, entries: &[Entry]) -> usize {
        let mut weight = 0;
        let fits = |entry: &&Entry| {
            let before = weight;
            weight += entry.message.weight();
            before < self.request.max_bytes
        };
        let limit = self.request.limit.min(self.stretch.rows);
        entries.iter().take(limit).take_while(fits).count().max(usize::from(limit > 0)).min(entries.len())
    }
}

fn sorted(mut entries: Vec<Entry>, late: Vec<Entry>) -> Vec<Entry> {
    entries.extend(late);
    entries.sort_by_key(|entry| entry.position);
    entries
}
