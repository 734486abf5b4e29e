//! What both drivers of SQLite share: the statements, and their parameters.

use crate::domain::inbox::Receipt;
use crate::message::OrderKey;

pub(in crate::domain) const PREPARE: &str = include_str!("sqlite/prepare.sql");
pub(in crate::domain) const RECEIVE: &str = include_str!("sqlite/receive.sql");
pub(in crate::domain) const RECEIVE_IN_ORDER: &str = include_str!("sqlite/receive_in_order.sql");
pub(in crate::domain) const EXPIRE: &str = include_str!("sqlite/expire.sql");
pub(in crate::domain) const FORGET: &str = include_str!("sqlite/forget.sql");

/// A statement on the tables of the inbox: in this attached database, or in the main one.
pub(in crate::domain) fn in_schema(sql: &str, schema: Option<&str>) -> String {
    sql.replace("{schema}.", &super::schema_prefix(schema))
}

/// Milliseconds since 1970: the machine's clock, which all who share the file share too.
pub(in crate::domain) fn now() -> i64 {
    crate::clock::now().as_millisecond()
}

/// What was seen before this time is forgotten.
pub(in crate::domain) fn expiry(receipt: &Receipt<'_>) -> i64 {
    now().saturating_sub(i64::try_from(receipt.retention.as_millis()).unwrap_or(i64::MAX))
}

pub(in crate::domain) fn tenant(key: &OrderKey) -> &str {
    key.tenant.as_deref().unwrap_or_default()
}
