//! Making the journal, and telling one of another version.

use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

use super::schema::{in_schema, quoted};
use super::session::{Statements, Transaction};
use super::{Options, Postgres};
use crate::error::{Error, Kind, Result};
use crate::stores::version;

/// What leads from one version to the next: the first one makes version 1.
const MIGRATIONS: [&[&str]; 8] = [
    FIRST,
    &[include_str!("sql/schema/seam.sql")],
    &[include_str!("sql/schema/sources.sql")],
    &[include_str!("sql/schema/jobs.sql")],
    &[include_str!("sql/schema/replies.sql")],
    &[include_str!("sql/schema/wakes.sql")],
    &[include_str!("sql/schema/paused_tenants.sql")],
    &[include_str!("sql/schema/on_insert.sql")],
];

const FIRST: &[&str] = &[
    include_str!("sql/schema/journal.sql"),
    include_str!("sql/schema/ticks.sql"),
    include_str!("sql/schema/lanes.sql"),
    include_str!("sql/schema/outbox_status.sql"),
    include_str!("sql/schema/segments.sql"),
    include_str!("sql/schema/merge_ticks.sql"),
    include_str!("sql/schema/audit.sql"),
    include_str!("sql/schema/roles.sql"),
];

/// The oldest server with `xid8`, and with it snapshots that can be kept.
const OLDEST_SERVER: i32 = 130_000;

/// The version that this library makes.
const VERSION: i32 = MIGRATIONS.len() as i32;

/// Brings the journal to the version of this library. As often as one likes, from as many processes as one likes: the first
/// does the work, the others wait for it.
pub(super) async fn migrate(store: &Postgres) -> Result<()> {
    let options = &store.shared.options;
    let mut client = store.client().await?;
    let transaction = client.unhurried().await?;
    transaction.execute(include_str!("sql/migrate/lock.sql"), &[&options.schema]).await?;
    check_server(&transaction).await?;
    let found = version_found(&transaction, options).await?;
    version::migratable(i64::from(found), i64::from(VERSION))?;
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        for sql in *step {
            transaction.batch_execute(&resolved(sql, options)).await.map_err(in_the_way)?;
        }
    }
    if found == 0 {
        let partitions = i32::from(options.partitions.max(1));
        let found =
            store.shared.identity.server().ok_or_else(|| Error::new(Kind::Unavailable, "no server was found"))?;
        let values: [&(dyn ToSql + Sync); 4] = [&VERSION, &partitions, &found.system, &found.timeline];
        transaction.execute(include_str!("sql/migrate/schema.sql"), &values).await?;
        transaction.execute(include_str!("sql/segments/add.sql"), &[]).await?;
    } else if found < VERSION {
        transaction.execute(include_str!("sql/migrate/version.sql"), &[&VERSION]).await?;
    }
    transaction.commit().await
}

/// The version that is there; zero if there is none. Makes the schema if it is missing and may be made.
async fn version_found(transaction: &Transaction<'_>, options: &Options) -> Result<i32> {
    let row = transaction.query_one(include_str!("sql/migrate/found.sql"), &[&options.schema]).await?;
    if !row.try_get::<_, bool>("has_schema")? {
        transaction.batch_execute(&resolved("CREATE SCHEMA {schema}", options)).await.map_err(may_not_create)?;
    }
    if !row.try_get::<_, bool>("has_journal")? {
        return Ok(0);
    }
    let version = transaction.query_opt("SELECT version FROM outbox_schema", &[]).await?;
    version.map_or(Ok(0), |row| Ok(row.try_get("version")?))
}

/// A statement of the schema, with names and numbers put in.
fn resolved(sql: &str, options: &Options) -> String {
    let text = quoted(&options.schema).replace('\'', "''");
    let name = options.schema.replace('\'', "''");
    let sql = in_schema(sql, &options.schema).replace("{schema_text}", &text);
    let sql = sql.replace("{schema_name}", &name);
    sql.replace("{partitions}", &options.partitions.max(1).to_string())
}

async fn check_server(transaction: &Transaction<'_>) -> Result<()> {
    let row = transaction.query_one("SELECT current_setting('server_version_num')::integer AS version", &[]).await?;
    let number: i32 = row.try_get("version")?;
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

/// A step waits for nobody for long, because writers would wait behind it.
fn in_the_way(error: tokio_postgres::Error) -> Error {
    match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => Error::new(
            Kind::Unavailable,
            "someone else has locked the outbox, so nothing was changed: run `posthaste migrate` again when that transaction has ended \
             (pg_stat_activity shows it)",
        ),
        _ => error.into(),
    }
}

/// Whether a relay may use a journal of this version.
pub(super) fn check_version(found: i32) -> Result<()> {
    version::usable(i64::from(found), i64::from(VERSION))
}
