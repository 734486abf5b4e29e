//! Making the journal, and telling one of another version.

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::{Sqlite, error};
use crate::error::{Error, Kind, Result};

/// What leads from one version to the next: the first one makes version 1.
const MIGRATIONS: [&[&str]; 2] = [
    &[include_str!("schema/journal.sql"), include_str!("schema/lanes.sql"), include_str!("schema/outbox_status.sql")],
    &[include_str!("schema/audit.sql")],
];

impl Sqlite {
    /// Brings the journal to the version of this library. As often as one likes, from as many processes as one likes: the
    /// first does the work, the others wait for it.
    pub async fn migrate(&self) -> Result<()> {
        let partitions = self.shared.options.partitions.max(1);
        self.writing(move |transaction| apply(transaction, partitions)).await
    }
}

fn apply(transaction: &Transaction<'_>, partitions: u16) -> Result<()> {
    let version = match found(transaction) {
        Ok(found) => found.version,
        Err(error) if error.kind() == Kind::Schema => 0,
        Err(error) => return Err(error),
    };
    let known = MIGRATIONS.len() as i64;
    if version > known {
        return Err(too_new(version));
    }
    for step in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or_default()) {
        step.iter().try_for_each(|sql| transaction.execute_batch(sql))?;
    }
    if version == 0 {
        transaction.execute(include_str!("migrate_schema.sql"), (known, partitions))?;
        transaction.execute(include_str!("migrate_leases.sql"), [partitions])?;
    } else if version < known {
        transaction.execute(include_str!("migrate_version.sql"), [known])?;
    }
    Ok(())
}

/// What a journal says about itself.
struct Found {
    version: i64,
    partitions: u16,
}

fn found(connection: &Connection) -> Result<Found> {
    let mut statement = connection.prepare_cached(include_str!("partitions.sql"))?;
    let found =
        statement.query_row([], |row| Ok(Found { version: row.get(0)?, partitions: row.get(1)? })).optional()?;
    found.ok_or_else(error::no_journal)
}

/// The number of partitions of a journal of the right version.
pub(super) fn partitions(connection: &Connection) -> Result<u16> {
    usable(found(connection)?)
}

/// As [`partitions`], on a connection of sqlx.
#[cfg(feature = "sqlx-sqlite")]
pub(super) async fn partitions_sqlx(connection: &mut sqlx::SqliteConnection) -> Result<u16> {
    let found = sqlx::query_as(include_str!("partitions.sql")).fetch_optional(connection).await.map_err(error::sqlx)?;
    let (version, partitions) = found.ok_or_else(error::no_journal)?;
    usable(Found { version, partitions })
}

fn usable(found: Found) -> Result<u16> {
    match found.version.cmp(&(MIGRATIONS.len() as i64)) {
        std::cmp::Ordering::Equal => Ok(found.partitions),
        std::cmp::Ordering::Greater => Err(too_new(found.version)),
        std::cmp::Ordering::Less => {
            let text = format!(
                "the journal is of version {}, older than this program: run `posthaste migrate`",
                found.version
            );
            Err(Error::new(Kind::Schema, text))
        }
    }
}

fn too_new(version: i64) -> Error {
    let known = MIGRATIONS.len();
    let text = format!("the journal is of version {version}, this program knows versions up to {known}: update it");
    Error::new(Kind::Schema, text)
}
