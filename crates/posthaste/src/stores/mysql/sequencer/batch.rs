//! What is placed in one transaction.

use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Transaction, params};

use super::super::codec;
use super::super::gaps::Changes;
use super::super::ranges::{Placed, Range};
use super::{LEASE, Memory};
use crate::error::Result;

/// New messages that are placed in one transaction.
const BATCH: usize = 5_000;

/// Committed messages without a position, both in the order of their numbers.
pub(super) struct Batch {
    pub(super) newest: i64,
    pub(super) head: i64,
    /// Below the head.
    pub(super) late: Vec<i64>,
    /// Beyond it.
    pub(super) new: Vec<i64>,
}

impl Batch {
    /// What is beyond the head, as much of it as one batch holds.
    pub(super) async fn beyond(transaction: &mut Transaction<'_>, head: i64) -> Result<Vec<i64>> {
        let sql = include_str!("../sql/advance/new.sql").replace("{limit}", &BATCH.to_string());
        Ok(transaction.exec(sql, params! { "head" => head }).await?)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.late.is_empty() && self.new.is_empty()
    }

    /// Whether there may be more beyond it.
    pub(super) fn is_full(&self) -> bool {
        self.new.len() == BATCH
    }

    /// Gives all of it positions, and returns the newest.
    pub(super) async fn write(
        &self,
        transaction: &mut Transaction<'_>,
        memory: &mut Memory,
        sequencer: &str,
    ) -> Result<i64> {
        let seqs: Vec<i64> = self.late.iter().chain(&self.new).copied().collect();
        let mut placed = Placed::after(self.newest, memory.last, &seqs);
        if let Some(range) = placed.extended
            && !extend(transaction, range).await?
        {
            // Somebody has removed it.
            placed = Placed::after(self.newest, None, &seqs);
        }
        add(transaction, &placed.added).await?;
        let changes = memory.gaps.changes(&self.late, self.head, &self.new, Instant::now());
        change_gaps(transaction, &changes).await?;
        let newest = self.newest + seqs.len() as i64;
        let head = self.new.last().copied().unwrap_or(self.head);
        let lease = codec::micros(LEASE);
        let done = params! { "newest" => newest, "head" => head, "sequencer" => sequencer, "lease" => lease };
        transaction.exec_drop(include_str!("../sql/advance/done.sql"), done).await?;
        memory.last = placed.last();
        memory.gaps.apply(&changes);
        Ok(newest)
    }
}

/// Whether the range is still there.
async fn extend(transaction: &mut Transaction<'_>, range: Range) -> Result<bool> {
    let longer = params! { "last" => range.last, "position" => range.position };
    let extended = transaction.exec_iter(include_str!("../sql/advance/extend.sql"), longer).await?;
    let is_there = extended.affected_rows() == 1;
    extended.drop_result().await?;
    Ok(is_there)
}

async fn add(transaction: &mut Transaction<'_>, ranges: &[Range]) -> Result<()> {
    let row = |range: &Range| format!("({}, {}, {}, {})", range.position, range.first, range.last, range.block());
    let rows: Vec<String> = ranges.iter().map(row).collect();
    insert(transaction, include_str!("../sql/advance/ranges.sql"), "{ranges}", &rows).await
}

async fn change_gaps(transaction: &mut Transaction<'_>, changes: &Changes) -> Result<()> {
    if !changes.closed.is_empty() {
        let sql = include_str!("../sql/advance/close.sql").replace("{gaps}", &codec::numbers(&changes.closed));
        transaction.query_drop(sql).await?;
    }
    let rows: Vec<String> = changes.opened.iter().map(|gap| format!("({}, {})", gap.first, gap.last)).collect();
    insert(transaction, include_str!("../sql/advance/open.sql"), "{gaps}", &rows).await
}

/// Inserts rows, if there are any.
async fn insert(transaction: &mut Transaction<'_>, sql: &str, place: &str, rows: &[String]) -> Result<()> {
    if !rows.is_empty() {
        transaction.query_drop(sql.replace(place, &rows.join(", "))).await?;
    }
    Ok(())
}
