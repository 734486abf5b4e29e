//! Ranges and gaps that no message needs any more.

use std::collections::BTreeSet;

use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction, params};

use super::super::ranges::BLOCK;
use super::super::{MySql, codec, connection};
use super::Found;
use crate::error::Result;

/// Removes the ranges of blocks in which no message is left, and makes one of all gaps below the oldest message. No sequencer is at work
/// meanwhile: whatever it places later gets a range of its own.
pub(super) async fn tidy(store: &MySql, found: &[Found]) -> Result<()> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    transaction.query_drop(include_str!("../sql/register/lock.sql")).await?;
    drop_ranges(&mut transaction, found).await?;
    merge_gaps(&mut transaction).await?;
    transaction.query_drop(include_str!("../sql/purge/changed.sql")).await?;
    Ok(transaction.commit().await?)
}

async fn drop_ranges(transaction: &mut Transaction<'_>, found: &[Found]) -> Result<()> {
    let blocks: BTreeSet<i64> = found.iter().map(|one| one.seq / BLOCK).collect();
    let each = blocks.iter().map(|block| format!("seq BETWEEN {} AND {}", block * BLOCK, (block + 1) * BLOCK - 1));
    let intervals = each.collect::<Vec<_>>().join(" OR ");
    let sql = include_str!("../sql/purge/blocks.sql").replace("{intervals}", &intervals);
    let full: Vec<i64> = transaction.query(sql).await?;
    let empty: Vec<&i64> = blocks.iter().filter(|block| !full.contains(block)).collect();
    if !empty.is_empty() {
        let sql = include_str!("../sql/purge/ranges.sql").replace("{blocks}", &codec::numbers(empty));
        transaction.query_drop(sql).await?;
    }
    Ok(())
}

async fn merge_gaps(transaction: &mut Transaction<'_>) -> Result<()> {
    let oldest: Option<Option<i64>> = transaction.query_first(include_str!("../sql/purge/oldest.sql")).await?;
    let below = || params! { "oldest" => oldest.flatten().unwrap_or(i64::MAX) };
    let gaps: Option<Row> = transaction.exec_first(include_str!("../sql/purge/gaps.sql"), below()).await?;
    let Some(gaps) = gaps.filter(|gaps| codec::get::<i64>(gaps, "gaps").is_ok_and(|gaps| gaps > 1)) else {
        return Ok(());
    };
    let (first, last): (i64, i64) = (codec::get(&gaps, "first_seq")?, codec::get(&gaps, "last_seq")?);
    transaction.exec_drop(include_str!("../sql/purge/merge.sql"), below()).await?;
    let one = include_str!("../sql/advance/open.sql").replace("{gaps}", &format!("({first}, {last})"));
    Ok(transaction.query_drop(one).await?)
}
