//! Reading what waits behind a held key.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::MySql;
use super::codec::{self, MESSAGE_COLUMNS};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Entry, HeldKey, Partition};
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn read_key(
    store: &MySql,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let mut connection = store.connection().await?;
    let beyond = params! { "slowest" => values::seq(held.after) };
    let first: Option<Option<i64>> = connection.exec_first(include_str!("sql/overview/first.sql"), beyond).await?;
    let of_key = params! {
        "destination" => destination.as_str(),
        "partition" => partition.number(),
        "key" => held.key.key.as_str(),
        "tenant" => held.key.tenant.as_deref(),
        "after" => values::seq(held.after),
        "until" => values::seq(held.until),
        "first" => first.flatten().unwrap_or_default(),
        "limit" => values::signed(limit),
    };
    let sql = with_columns!(MESSAGE_COLUMNS, "sql/read_key.sql");
    let rows: Vec<Row> = connection.exec(sql, of_key).await?;
    rows.into_iter().map(placed).collect()
}

/// The message of a row that has its position too.
pub(super) fn placed(row: Row) -> Result<Entry> {
    let position = codec::position(&row, "position")?;
    codec::entry(row, position)
}
