//! Journals in SQLite.

use posthaste::Result;
use posthaste::error::Kind;
use posthaste::inspect::Inspect;
use posthaste::journal::{Journal, Position, WorkerId};
use posthaste::store::Store;
use posthaste::stores::sqlite::{Options, Sqlite};

use super::super::sqlite::{OnDisk, fresh};
use super::{LEFT, schema};

/// A journal as this release made it, with something in it.
async fn released(version: u32) -> (OnDisk, Sqlite) {
    let t = fresh().await;
    let file = t.file().with_file_name("released.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch(&schema("sqlite", version)).unwrap();
    LEFT.iter().for_each(|statement| connection.execute_batch(statement).unwrap());
    let store = Sqlite::open(file, Options::default()).unwrap();
    (t, store)
}

fn structure(file: &std::path::Path) -> Vec<(String, String)> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(|row| row.unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_of_every_release_becomes_like_a_new_one_and_keeps_what_is_in_it() -> Result<()> {
    for version in [1, 3] {
        let (t, store) = released(version).await;
        let refused = store.partitions().await.expect_err("it is older");
        assert!(refused.to_string().contains("run `posthaste migrate`"), "{refused}");
        store.migrate().await?;
        assert_eq!(structure(&t.file().with_file_name("released.db")), structure(&t.file()), "version {version}");
        assert_eq!(store.overview().await?.messages, 3);
        let grant = store.lease(&WorkerId("w".into()), std::time::Duration::from_secs(60), 64).await?;
        assert_eq!((grant.leases.len(), grant.paused.len()), (64, 1), "what is paused stays so");
    }
    Ok(())
}

/// Migrate first, then replace the relays one by one.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_in_use_goes_on_after_a_migration_and_an_older_program_does_not_start() -> Result<()> {
    let t = fresh().await;
    let lease = async || t.store.lease(&WorkerId("w".into()), std::time::Duration::from_secs(60), 64).await;
    assert_eq!(lease().await?.leases.len(), 64);
    let next = "ALTER TABLE outbox ADD COLUMN later TEXT; UPDATE outbox_schema SET version = version + 1;";
    rusqlite::Connection::open(t.file()).unwrap().execute_batch(&format!("{next}{};", LEFT[0])).unwrap();
    assert!(t.store.advance().await? > Position::START);
    lease().await?;
    let older = Sqlite::open(t.file(), Options::default())?;
    for refused in [older.partitions().await.map(drop), older.migrate().await] {
        let refused = refused.expect_err("it is newer");
        assert!(refused.kind() == Kind::Schema && refused.to_string().contains("update it"), "{refused}");
    }
    Ok(())
}
