//! What all drivers of PostgreSQL share: the statements of the inbox.

use crate::domain::inbox::Receipt;

pub(super) const PREPARE: &str = include_str!("postgres/prepare.sql");
pub(super) const RECEIVE: &str = include_str!("postgres/receive.sql");
pub(super) const RECEIVE_IN_ORDER: &str = include_str!("postgres/receive_in_order.sql");
pub(super) const EXPIRE: &str = include_str!("postgres/expire.sql");
pub(super) const FORGET: &str = include_str!("postgres/forget.sql");

/// A statement on the tables of the inbox: in this schema, or in the first one of the search path.
pub(super) fn in_schema(sql: &str, schema: Option<&str>) -> String {
    sql.replace("{schema}.", &super::schema_prefix(schema))
}

/// The retention in milliseconds, as the statement multiplies it.
pub(super) fn retention(receipt: &Receipt<'_>) -> f64 {
    receipt.retention.as_secs_f64() * 1_000.0
}
