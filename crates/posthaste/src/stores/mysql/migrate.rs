//! Making the journal, or bringing it up to date.
//!
//! A server of this family commits each table by itself, so a migration that is interrupted leaves some of them. The row of
//! `outbox_schema` comes last: without it there is no journal, and the tables that are there, in which nobody can have written, are made
//! anew. Of a later step, what is there already is left as it is.

use std::collections::BTreeSet;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, params};

use super::error::is_there_already;
use super::family::{Family, with_server};
use super::partitions::{self, VERSION};
use super::{MySql, check, codec};
use crate::error::{Error, Kind, Result};
use crate::stores::version::migratable;

/// What leads from one version to the next: the first one makes version 1.
const MIGRATIONS: [&[&str]; VERSION as usize] = [
    &[
        include_str!("sql/schema/journal.sql"),
        include_str!("sql/schema/places.sql"),
        include_str!("sql/schema/lanes.sql"),
        include_str!("sql/schema/audit.sql"),
    ],
    &[include_str!("sql/schema/sources.sql")],
    &[include_str!("sql/schema/jobs.sql")],
    &[include_str!("sql/schema/replies.sql")],
    &[include_str!("sql/schema/paused_tenants.sql")],
    &[
        include_str!("sql/schema/key_in_order.sql"),
        include_str!("sql/schema/cells.sql"),
        include_str!("sql/schema/outbox_status.sql"),
    ],
];

/// Rows that keys are locked by.
pub(super) const KEY_LOCKS: u16 = 1_024;

/// Brings the journal to the version of this library. As often as one likes, from as many processes as one likes: the first does
/// the work, the others wait for it.
pub(super) async fn migrate(store: &MySql) -> Result<()> {
    let mut connection = store.connection().await?;
    let family = store.family().await?;
    surroundings(&mut connection, family).await?;
    let locked: Option<Option<i64>> = connection.query_first(include_str!("sql/migrate/lock.sql")).await?;
    if locked.flatten() != Some(1) {
        return Err(Error::new(Kind::Unavailable, "somebody else has been migrating this database for a minute"));
    }
    let migrated = apply(store, &mut connection, family).await;
    let _: Option<Option<i64>> = connection.query_first(include_str!("sql/migrate/unlock.sql")).await?;
    migrated
}

/// A journal on TiDB is made with its constraints, or not at all: without them it would take what cannot be delivered.
async fn surroundings(connection: &mut Conn, family: Family) -> Result<()> {
    match family == Family::TiDb && !check::enforces_constraints(connection).await? {
        true => Err(Error::new(Kind::Invalid, check::NO_CONSTRAINTS)),
        false => Ok(()),
    }
}

async fn apply(store: &MySql, connection: &mut Conn, family: Family) -> Result<()> {
    let found = match partitions::version(connection).await {
        Err(error) if error.kind() == Kind::Schema => 0,
        found => found?,
    };
    migratable(found, VERSION)?;
    if found == VERSION {
        return Ok(());
    }
    if found == 0 {
        remove_half(connection).await?;
    }
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        for sql in step.iter().flat_map(|file| statements(&resolved(file, store.shared.options.partitions, family))) {
            let made = connection.query_drop(sql).await;
            made.map_err(Error::from).or_else(|error| if is_there_already(&error) { Ok(()) } else { Err(error) })?;
        }
    }
    if found == 0 {
        fill(store, connection).await
    } else {
        let version = params! { "version" => VERSION };
        Ok(connection.exec_drop(include_str!("sql/migrate/version.sql"), version).await?)
    }
}

/// What a migration that did not come to its end has left. Nothing is in it: without a version nobody writes.
async fn remove_half(connection: &mut Conn) -> Result<()> {
    let found: Vec<String> = connection.query(include_str!("sql/migrate/found.sql")).await?;
    for name in BTreeSet::from_iter(found) {
        let kind = if ["outbox_status", "outbox_deliveries"].contains(&name.as_str()) { "VIEW" } else { "TABLE" };
        let is_used = kind == "TABLE" && name == "outbox" && {
            let rows: Option<i64> = connection.query_first("SELECT 1 FROM outbox LIMIT 1").await?;
            rows.is_some()
        };
        if is_used {
            let text = "the database has a table `outbox` of somebody else: use another database for the journal";
            return Err(Error::new(Kind::Invalid, text));
        }
        connection.query_drop(format!("DROP {kind} IF EXISTS `{}`", name.replace('`', "``"))).await?;
    }
    Ok(())
}

/// What is in a journal from the beginning.
async fn fill(store: &MySql, connection: &mut Conn) -> Result<()> {
    let count = store.shared.options.partitions.max(1);
    let state = with_server(store, include_str!("sql/migrate/state.sql")).await?;
    connection.query_drop(state).await?;
    let leases = include_str!("sql/migrate/leases.sql").replace("{partitions}", &rows(count));
    connection.query_drop(leases).await?;
    let locks = include_str!("sql/migrate/key_locks.sql").replace("{slots}", &rows(KEY_LOCKS));
    connection.query_drop(locks).await?;
    let schema = params! { "version" => VERSION, "partitions" => count };
    Ok(connection.exec_drop(include_str!("sql/migrate/schema.sql"), schema).await?)
}

/// `(0), (1), …`
fn rows(count: u16) -> String {
    codec::numbers((0..count).map(|number| format!("({number})")))
}

/// The statements of a file. None of them has a semicolon within, but in a comment.
fn statements(file: &str) -> Vec<String> {
    let says_something =
        |statement: &&str| statement.lines().any(|line| !line.trim().is_empty() && !line.starts_with("--"));
    file.split(";\n").filter(says_something).map(str::to_owned).collect()
}

/// A file of the schema for this server, with names and numbers put in.
fn resolved(file: &str, partitions: u16, family: Family) -> String {
    family
        .variant(file)
        .replace("{partitions}", &partitions.max(1).to_string())
        .replace("{collation}", family.collation())
}
