//! From one release to the next. The schema of a release stands in `releases/` and never changes, so that every later version can be
//! tried on a journal that was really made by it. Relays that run meanwhile go on: a step of a migration takes nothing away that they use.

use std::path::Path;

#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

/// The schema of a release.
fn schema(store: &str, version: u32) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/stores/releases/{store}-{version}.sql"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What an application and an operator left in a journal: three messages of one order, and a destination that is paused.
const LEFT: [&str; 4] = [
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.changed', 'order', 'a', '0')",
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.changed', 'order', 'a', '1')",
    "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.changed', 'order', 'a', '2')",
    "INSERT INTO outbox_destinations (name, active, paused) VALUES ('paused', TRUE, TRUE)",
];
