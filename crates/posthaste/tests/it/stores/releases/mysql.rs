//! Journals in MySQL and MariaDB.

use mysql_async::prelude::Queryable;
use posthaste::Result;
use posthaste::error::Kind;
use posthaste::inspect::Inspect;
use posthaste::journal::Journal;
use posthaste::store::Store;
use posthaste::stores::mysql::MySql;

use super::super::ledger::Ledger;
use super::super::mysql::{InDatabase, on};
use super::super::worker::Worker;
use super::{LEFT, schema};

/// What differs between the servers, as the releases had it: the collation, and what names the server.
const SERVERS: [(&str, &str, &str); 2] = [
    ("mariadb", "utf8mb4_nopad_bin", "IF(@@wsrep_on, @@wsrep_cluster_name, CONCAT('server ', @@server_id))"),
    ("mysql", "utf8mb4_0900_bin", "@@server_uuid"),
];

/// A journal as this release made it, with something in it.
async fn released((server, collation, name): (&str, &str, &str), version: u32) -> Result<InDatabase> {
    let t = on(server).await;
    let mut client = t.application().await;
    client.query_drop(format!("DROP DATABASE `{0}`; CREATE DATABASE `{0}`; USE `{0}`", t.name)).await?;
    let rows = |count: u32| (0..count).map(|n| format!("({n})")).collect::<Vec<_>>().join(", ");
    let sql = schema("mysql", version).replace("{collation}", collation).replace("{server}", name);
    let sql = sql.replace("{leases}", &rows(64)).replace("{slots}", &rows(1_024)).replace("{partitions}", "64");
    for statement in sql.split(";\n").filter(|statement| !statement.trim().is_empty()).chain(LEFT) {
        client.query_drop(statement).await?;
    }
    Ok(t)
}

/// Everything there is in a database, without its name.
async fn structure(t: &InDatabase) -> Result<Vec<String>> {
    let sql = "SELECT CONCAT_WS(' ', TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLLATION_NAME, EXTRA,
                   GENERATION_EXPRESSION) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()
               UNION ALL SELECT CONCAT_WS(' ', TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE)
                   FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()
               UNION ALL SELECT CONCAT_WS(' ', CONSTRAINT_NAME, CHECK_CLAUSE)
                   FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()
               UNION ALL SELECT CONCAT_WS(' ', TABLE_NAME, VIEW_DEFINITION)
                   FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()
               ORDER BY 1";
    let lines: Vec<String> = t.application().await.query(sql).await?;
    Ok(lines.iter().map(|line| line.replace(&t.name, "database")).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_of_every_release_becomes_like_a_new_one_and_keeps_what_is_in_it() -> Result<()> {
    for server in SERVERS {
        let expected = structure(&on(server.0).await).await?;
        for version in [1, 2] {
            let t = released(server, version).await?;
            let store = MySql::open(t.options.clone())?;
            let refused = store.partitions().await.expect_err("it is older");
            assert!(refused.to_string().contains("run `posthaste migrate`"), "{refused}");
            store.migrate().await?;
            assert_eq!(structure(&t).await?, expected, "version {version} on {}", server.0);
            let ledger = Ledger::default();
            let worker = Worker::start("one", store.clone(), &ledger);
            ledger.until_count(3).await;
            worker.stop().await;
            assert!(ledger.positions_grow());
            assert_eq!(store.overview().await?.messages, 3);
        }
    }
    Ok(())
}

/// Each table is committed by itself, and the version last.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_that_was_interrupted_is_done_again() -> Result<()> {
    for server in SERVERS {
        let t = released(server, 1).await?;
        t.store.migrate().await?;
        let migrated = structure(&t).await?;
        t.application().await.query_drop("UPDATE outbox_schema SET version = 1").await?;
        MySql::open(t.options.clone())?.migrate().await?;
        assert_eq!(structure(&t).await?, migrated, "on {}", server.0);
    }
    Ok(())
}

/// Migrate first, then replace the relays one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relays_that_run_go_on_after_a_migration_and_an_older_program_does_not_start() -> Result<()> {
    for (server, ..) in SERVERS {
        let t = on(server).await;
        let ledger = Ledger::default();
        let worker = Worker::start("one", t.store.clone(), &ledger);
        let mut client = t.application().await;
        client.query_drop(LEFT[0]).await?;
        ledger.until_count(1).await;
        // What the next version may bring.
        for table in ["outbox", "outbox_ranges", "outbox_cursors", "outbox_workers"] {
            client.query_drop(format!("ALTER TABLE {table} ADD COLUMN later TEXT")).await?;
        }
        client.query_drop("UPDATE outbox_schema SET version = version + 1").await?;
        client.query_drop(LEFT[1]).await?;
        client.query_drop(LEFT[2]).await?;
        ledger.until_count(3).await;
        let older = MySql::open(t.options.clone())?;
        for refused in [older.partitions().await.map(drop), older.migrate().await] {
            let refused = refused.expect_err("it is newer");
            assert!(refused.kind() == Kind::Schema && refused.to_string().contains("update it"), "{refused}");
        }
        worker.stop().await;
    }
    Ok(())
}
