//! Making the journal, and telling one of another version.

use std::cmp::Ordering;

use deadpool_postgres::Transaction;
use tokio_postgres::error::SqlState;

use super::{Postgres, connection};
use crate::error::{Error, Kind, Result};

/// What leads from one version to the next: the first one makes version 1.
const MIGRATIONS: [&[&str]; 1] = [&[
    include_str!("schema/journal.sql"),
    include_str!("schema/ticks.sql"),
    include_str!("schema/lanes.sql"),
    include_str!("schema/outbox_status.sql"),
    include_str!("schema/segments.sql"),
    include_str!("schema/merge_ticks.sql"),
    include_str!("schema/audit.sql"),
    include_str!("schema/roles.sql"),
]];

/// The oldest server with `xid8`, and with it snapshots that can be kept.
const OLDEST_SERVER: i32 = 130_000;

impl Postgres {
    /// Brings the journal to the version of this library. As often as one likes, from as many processes as one likes: the first
    /// does the work, the others wait for it.
    pub async fn migrate(&self) -> Result<()> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let schema = &self.shared.options.schema;
        transaction.execute(include_str!("migrate_lock.sql"), &[schema]).await?;
        check_server(&transaction).await?;
        let version = self.version(&transaction).await?;
        let known = MIGRATIONS.len();
        if usize::try_from(version).unwrap_or_default() > known {
            return Err(too_new(version));
        }
        for step in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or_default()) {
            for sql in *step {
                transaction.batch_execute(&self.resolved(sql)).await?;
            }
        }
        let known = i32::try_from(known).unwrap_or(i32::MAX);
        if version == 0 {
            let partitions = i32::from(self.shared.options.partitions.max(1));
            transaction.execute(include_str!("migrate_schema.sql"), &[&known, &partitions]).await?;
            transaction.execute(include_str!("segments_add.sql"), &[]).await?;
        } else if version < known {
            transaction.execute(include_str!("migrate_version.sql"), &[&known]).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The version that is there; zero if there is none. Makes the schema if it is missing and may be made.
    async fn version(&self, transaction: &Transaction<'_>) -> Result<i32> {
        let schema = &self.shared.options.schema;
        let row = transaction.query_one(include_str!("migrate_found.sql"), &[schema]).await?;
        let (has_schema, has_journal): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
        if !has_schema {
            transaction.batch_execute(&self.resolved("CREATE SCHEMA {schema}")).await.map_err(may_not_create)?;
        }
        if !has_journal {
            return Ok(0);
        }
        let version = transaction.query_opt("SELECT version FROM outbox_schema", &[]).await?;
        version.map_or(Ok(0), |row| Ok(row.try_get(0)?))
    }

    fn resolved(&self, sql: &str) -> String {
        let text = connection::quoted(&self.shared.options.schema).replace('\'', "''");
        let name = self.shared.options.schema.replace('\'', "''");
        let sql = connection::in_schema(sql, &self.shared.options.schema).replace("{schema_text}", &text);
        let sql = sql.replace("{schema_name}", &name);
        sql.replace("{partitions}", &self.shared.options.partitions.max(1).to_string())
    }
}

async fn check_server(transaction: &Transaction<'_>) -> Result<()> {
    let number: i32 =
        transaction.query_one("SELECT current_setting('server_version_num')::integer", &[]).await?.try_get(0)?;
    if number >= OLDEST_SERVER {
        return Ok(());
    }
    let text = format!("PostgreSQL {} has no snapshots that can be kept: use 13 or newer", number / 10_000);
    Err(Error::new(Kind::Invalid, text))
}

fn may_not_create(error: tokio_postgres::Error) -> Error {
    match error.code() {
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => Error::new(
            Kind::Invalid,
            "the schema of the journal is missing and may not be made: GRANT CREATE ON DATABASE, or make it beforehand",
        ),
        _ => error.into(),
    }
}

pub(super) fn check_version(version: i32) -> Result<()> {
    match usize::try_from(version).unwrap_or_default().cmp(&MIGRATIONS.len()) {
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(too_new(version)),
        Ordering::Less => {
            let text = format!("the journal is of version {version}, older than this program: run `posthaste migrate`");
            Err(Error::new(Kind::Schema, text))
        }
    }
}

fn too_new(version: i32) -> Error {
    let known = MIGRATIONS.len();
    let text = format!("the journal is of version {version}, this program knows versions up to {known}: update it");
    Error::new(Kind::Schema, text)
}
