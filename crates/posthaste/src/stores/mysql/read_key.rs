//! Reading what waits behind a held key.
//!
//! The ranges that follow say which numbers come next, and the index has a key's messages by their numbers. So a page costs what it
//! returns, and its ranges. Of what was committed late, something may come later in the journal than what lies further on in the index:
//! then only that much is believed that nothing further on can come before.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params, Row, Value};

use super::codec::{self, MESSAGE_COLUMNS};
use super::ranges::Range;
use super::read::{self, Stretch};
use super::{MySql, ranges};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Entry, HeldKey, Partition, Position};
use crate::stores::statement::with_columns;
use crate::stores::values;

/// Ranges that are looked at first. If the key has nothing in them, more and more are.
const RANGES: usize = 64;
const MOST_RANGES: usize = 16_384;

/// Numbers of others between two ranges that are rather passed over than looked for around: the index has only those of the key.
const SLACK: i64 = 10_000;

pub(super) async fn read_key(
    store: &MySql,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Batch> {
    let mut connection = store.connection().await?;
    Request { connection: &mut connection, destination, partition, held, limit }.first().await
}

struct Request<'a> {
    connection: &'a mut Conn,
    destination: &'a Name,
    partition: Partition,
    held: &'a HeldKey,
    limit: usize,
}

impl Request<'_> {
    /// The first messages that wait, and how far that answers. There are none only if it answers all.
    async fn first(&mut self) -> Result<Batch> {
        let (mut after, mut most) = (self.held.after, RANGES);
        loop {
            let found = ranges::find(self.connection, values::seq(after), values::seq(self.held.until), most).await?;
            let mut batch = self.part(&found.ranges, after).await?;
            if found.is_all && found.ranges.last().is_none_or(|last| values::seq(batch.upto) >= last.end()) {
                batch.upto = self.held.until;
            }
            if !batch.entries.is_empty() || batch.upto >= self.held.until {
                return Ok(batch);
            }
            (after, most) = (batch.upto, (most * 4).min(MOST_RANGES));
        }
    }

    /// What the first of these ranges have, as many of them as can be told.
    async fn part(&mut self, ranges: &[Range], after: Position) -> Result<Batch> {
        let mut count = ranges.len();
        while let Some(stretch) = Stretch::of(&ranges[..count], usize::MAX, SLACK) {
            let batch = self.read(&stretch).await?;
            if batch.upto > after {
                return Ok(batch);
            }
            // All that was read comes later in the journal. The first range alone is in order.
            count = (count / 4).max(1);
        }
        Ok(Batch { entries: Vec::new(), upto: after })
    }

    async fn read(&mut self, stretch: &Stretch<'_>) -> Result<Batch> {
        let (intervals, numbers) = stretch.intervals();
        let key = &self.held.key;
        let mut params: Vec<Value> = vec![self.destination.as_str().into(), key.key.as_str().into()];
        params.extend([key.tenant.as_deref().into(), self.partition.number().into()]);
        params.extend(numbers);
        params.push(values::signed(self.limit).into());
        let sql = with_columns!(MESSAGE_COLUMNS, "sql/read_key.sql").replace("{intervals}", &intervals);
        let rows: Vec<Row> = self.connection.exec(sql, Params::Positional(params)).await?;
        let upto = match rows.last() {
            Some(last) if rows.len() >= self.limit => stretch.complete_to(codec::seq(last)?),
            _ => stretch.end(),
        };
        let entries = rows.into_iter().filter_map(|row| read::placed(stretch, row).transpose());
        let mut entries = entries.collect::<Result<Vec<Entry>>>()?;
        entries.retain(|entry| entry.position <= upto);
        entries.sort_unstable_by_key(|entry| entry.position);
        Ok(Batch { entries, upto })
    }
}

/// The message of a row that has its position too.
pub(super) fn placed(row: Row) -> Result<Entry> {
    let position = codec::position(&row, "position")?;
    codec::entry(row, position)
}
