//! The number of partitions, which is also the check that there is a journal of the right version.

use std::sync::OnceLock;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row};

use super::seam::no_journal;
use super::{MySql, codec};
use crate::error::Result;
use crate::stores::version;

/// The version of the journal that this library makes and uses.
pub(super) const VERSION: i64 = 6;

/// The number of partitions as it was read first: it never changes.
#[derive(Debug, Default)]
pub(super) struct Known(OnceLock<u16>);

pub(super) async fn partitions(store: &MySql) -> Result<u16> {
    read(&mut store.connection().await?).await
}

/// As [`partitions`], but reads it only once.
pub(super) async fn known(store: &MySql, connection: &mut Conn) -> Result<u16> {
    let Known(known) = &store.shared.partitions;
    match known.get() {
        Some(partitions) => Ok(*partitions),
        None => {
            let partitions = read(connection).await?;
            Ok(*known.get_or_init(|| partitions))
        }
    }
}

/// The version that is there; zero if there is none.
pub(super) async fn version(connection: &mut Conn) -> Result<i64> {
    let row: Option<Row> = connection.exec_first(include_str!("sql/partitions.sql"), ()).await?;
    row.map_or(Ok(0), |row| codec::get(&row, "version"))
}

async fn read(connection: &mut Conn) -> Result<u16> {
    let row: Option<Row> = connection.exec_first(include_str!("sql/partitions.sql"), ()).await?;
    let row = row.ok_or_else(no_journal)?;
    version::usable(codec::get(&row, "version")?, VERSION)?;
    codec::get(&row, "partitions")
}
