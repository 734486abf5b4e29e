//! What all drivers of MySQL and MariaDB share: the statements of the inbox.

use crate::domain::inbox::Receipt;
use crate::error::{Error, Kind};

pub(super) const PREPARE: [&str; 2] = [include_str!("mysql/prepare.sql"), include_str!("mysql/prepare_order.sql")];
pub(super) const RECEIVE: &str = include_str!("mysql/receive.sql");
pub(super) const RECEIVE_FIRST: &str = include_str!("mysql/receive_first.sql");
pub(super) const RECEIVE_IN_ORDER: &str = include_str!("mysql/receive_in_order.sql");
pub(super) const SEEN: &str = include_str!("mysql/seen.sql");
pub(super) const EXPIRE: &str = include_str!("mysql/expire.sql");
pub(super) const FORGET: &str = include_str!("mysql/forget.sql");

/// A statement on the tables of the inbox: in this database, or in that of the connection.
pub(super) fn in_database(sql: &str, database: Option<&str>) -> String {
    let prefix = database.map_or_else(String::new, |name| format!("`{}`.", name.replace('`', "``")));
    sql.replace("{schema}.", &prefix)
}

/// The retention in microseconds.
pub(super) fn retention(receipt: &Receipt<'_>) -> i64 {
    i64::try_from(receipt.retention.as_micros()).unwrap_or(i64::MAX / 2)
}

/// A deadlock undoes the whole transaction, and what follows is no longer part of one. Whoever passes over that error would commit nothing
/// and say nothing; the mark of the message is gone too, which tells.
pub(super) fn undone() -> Error {
    Error::new(
        Kind::Unavailable,
        "the database has undone the transaction, and an effect has passed over the error that said so",
    )
}
