//! How many messages lanes have not come to. Of each destination some messages beyond its slowest cursor are read. If there are more, as
//! many of those between its cursors and the end are its own as of those that were read.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction, params};

use super::super::codec;
use super::super::ranges::{self, Range};
use super::Size;
use crate::error::Result;
use crate::inspect::DestinationCounts;
use crate::stores::values;

/// Messages that are read for all destinations together, and for each at least.
const MESSAGES_READ: usize = 20_000;
const LEAST: usize = 1_000;

/// Numbers between two ranges that are rather read than looked for around.
const SLACK: i64 = 100;

pub(super) async fn count(snapshot: &mut Transaction<'_>, all: &mut [DestinationCounts], size: Size) -> Result<()> {
    let most = (MESSAGES_READ / all.len().max(1)).max(LEAST);
    let cursors: Vec<Row> = snapshot.exec(include_str!("../sql/overview/cursors.sql"), ()).await?;
    for cursor in &cursors {
        let destination: String = codec::get(cursor, "destination")?;
        let Some(counts) = all.iter_mut().find(|counts| counts.destination == destination) else { continue };
        let (slowest, average) = (codec::get(cursor, "slowest")?, codec::get::<i64>(cursor, "average")?);
        let beyond = Beyond::of(snapshot, slowest, most).await?;
        if let Some(counted) = beyond.count(snapshot, slowest, &destination).await? {
            let to_come = if beyond.is_all { 0 } else { to_come(snapshot, average, size).await? };
            counted.note(counts, &beyond, to_come);
        }
    }
    Ok(())
}

/// How many messages follow a position, more or less.
async fn to_come(snapshot: &mut Transaction<'_>, position: i64, size: Size) -> Result<i64> {
    let sql = include_str!("../sql/overview/number_at.sql");
    let seq: Option<i64> = snapshot.exec_first(sql, params! { "position" => position }).await?;
    let numbers = seq.map_or(i64::MAX, |seq| size.head.saturating_sub(seq));
    Ok(numbers.min(values::signed(size.messages)))
}

/// The messages beyond a cursor, or as many of them as are read.
struct Beyond {
    ranges: Vec<Range>,
    messages: i64,
    is_all: bool,
}

impl Beyond {
    async fn of(snapshot: &mut Transaction<'_>, slowest: i64, most: usize) -> Result<Self> {
        let found = ranges::find(snapshot, slowest, i64::MAX, most).await?;
        let mut beyond = Self { ranges: Vec::new(), messages: 0, is_all: found.is_all };
        for range in found.ranges {
            let room = values::signed(most) - beyond.messages;
            if range.messages() > room {
                beyond.is_all = false;
            }
            let Some(range) = range.between(slowest, range.position - 1 + room) else { break };
            beyond.messages += range.messages();
            beyond.ranges.push(range);
        }
        Ok(beyond)
    }

    async fn count(&self, snapshot: &mut Transaction<'_>, slowest: i64, destination: &str) -> Result<Option<Counted>> {
        let Some(last) = self.ranges.last() else { return Ok(None) };
        let intervals = ranges::intervals(&self.ranges, SLACK).into_iter();
        let each = intervals.map(|(first, last)| format!("s.seq BETWEEN {first} AND {last}"));
        let sql = include_str!("../sql/overview/pending.sql");
        let sql = sql.replace("{intervals}", &each.collect::<Vec<_>>().join(" OR "));
        let of = params! { "slowest" => slowest, "upto" => last.end(), "destination" => destination };
        codec::uncached(snapshot, sql, of).await?.first().map(Counted::of).transpose()
    }
}

/// What was found among the messages beyond a cursor.
struct Counted {
    taken: i64,
    pending: u64,
    /// Of the oldest pending one, in microseconds.
    age: Option<i64>,
}

impl Counted {
    fn of(row: &Row) -> Result<Self> {
        Ok(Self {
            taken: codec::get(row, "taken")?,
            pending: codec::get(row, "pending")?,
            age: codec::get(row, "age")?,
        })
    }

    /// `to_come` is how many messages a cursor of the destination has before it on average, whoever takes them.
    fn note(&self, counts: &mut DestinationCounts, beyond: &Beyond, to_come: i64) {
        let share = i128::from(self.taken) * i128::from(to_come) / i128::from(beyond.messages.max(1));
        let estimated = u64::try_from(share).unwrap_or_default();
        counts.pending = if beyond.is_all { self.pending } else { self.pending.max(estimated) };
        counts.estimated |= !beyond.is_all;
        counts.oldest_pending_seconds = self.age.map(|age| codec::until(age).as_secs_f64());
    }
}
