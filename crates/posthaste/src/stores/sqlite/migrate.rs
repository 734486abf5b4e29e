//! Making the journal, or bringing it up to date.

use rusqlite::Transaction;

use super::Sqlite;
use super::partitions::{self, VERSION};
use crate::error::{Kind, Result};
use crate::stores::version::migratable;

/// What leads from one version to the next: the first one makes version 1.
const MIGRATIONS: [&[&str]; VERSION as usize] = [
    &[
        include_str!("sql/schema/journal.sql"),
        include_str!("sql/schema/lanes.sql"),
        include_str!("sql/schema/outbox_status.sql"),
    ],
    &[include_str!("sql/schema/audit.sql")],
    &[include_str!("sql/schema/sources.sql")],
    &[include_str!("sql/schema/jobs.sql")],
    &[include_str!("sql/schema/replies.sql")],
    &[include_str!("sql/schema/paused_tenants.sql")],
];

/// Brings the journal to the version of this library. As often as one likes, from as many processes as one likes: the first does
/// the work, the others wait for it.
pub(super) async fn migrate(store: &Sqlite) -> Result<()> {
    let partitions = store.shared.options.partitions.max(1);
    store.writing(move |transaction| apply(transaction, partitions)).await
}

fn apply(transaction: &Transaction<'_>, partitions: u16) -> Result<()> {
    let version = match partitions::found(transaction) {
        Ok(found) => found.version,
        Err(error) if error.kind() == Kind::Schema => 0,
        Err(error) => return Err(error),
    };
    migratable(version, VERSION)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or_default()) {
        step.iter().try_for_each(|sql| transaction.execute_batch(sql))?;
    }
    if version == 0 {
        transaction.execute(include_str!("sql/migrate/schema.sql"), (VERSION, partitions))?;
        transaction.execute(include_str!("sql/migrate/leases.sql"), [partitions])?;
    } else if version < VERSION {
        transaction.execute(include_str!("sql/migrate/version.sql"), [VERSION])?;
    }
    Ok(())
}
