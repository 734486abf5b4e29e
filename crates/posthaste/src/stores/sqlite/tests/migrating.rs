use super::*;
use crate::inspect::{Change, Inspect};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_open_and_migrate_a_new_file_at_once() -> Result<()> {
    let directory = Directory::new();
    let mut starting = JoinSet::new();
    for _ in 0..8 {
        let file = directory.file();
        starting.spawn_blocking(move || Sqlite::open(file, quick()));
    }
    let mut migrating = JoinSet::new();
    while let Some(opened) = starting.join_next().await {
        let store = opened.expect("opening does not panic")?;
        migrating.spawn(async move {
            store.migrate().await?;
            store.partitions().await
        });
    }
    while let Some(partitions) = migrating.join_next().await {
        assert_eq!(partitions.expect("migrating does not panic")?, 64);
    }
    Ok(())
}

#[tokio::test]
async fn the_number_of_partitions_is_fixed_by_the_first_migration() -> Result<()> {
    let directory = Directory::new();
    let first = Sqlite::open(directory.file(), Options { partitions: 8, ..quick() })?;
    first.migrate().await?;
    let second = Sqlite::open(directory.file(), Options { partitions: 16, ..quick() })?;
    second.migrate().await?;
    assert_eq!(second.partitions().await?, 8);
    assert_eq!(second.lease(&worker("w"), LONG, 100).await?.leases.len(), 8);
    Ok(())
}

#[tokio::test]
async fn the_audit_log_can_be_neither_changed_nor_emptied() -> Result<()> {
    let store = Store::new().await?;
    let change = Change { who: "ann".into(), action: "pause".into(), target: "crm".into(), affected: 1 };
    store.record(&change).await?;
    for meddling in ["UPDATE outbox_audit SET who = 'bob'", "DELETE FROM outbox_audit"] {
        let error = store.application()?.execute(meddling, []).expect_err("it is append-only");
        assert!(error.to_string().contains("append-only"), "{error}");
    }
    assert_eq!(store.audit(None, 10).await?[0].change, change);
    Ok(())
}

#[tokio::test]
async fn a_journal_of_the_first_version_is_brought_up_to_date() -> Result<()> {
    let store = Store::new().await?;
    store.application()?.execute_batch(
        "DROP TABLE outbox_audit; DROP TABLE outbox_sources; DROP TABLE outbox_jobs;
         ALTER TABLE outbox_attempts DROP COLUMN reply; ALTER TABLE outbox_destinations DROP COLUMN paused_tenants;
         UPDATE outbox_schema SET version = 1",
    )?;
    let error = store.partitions().await.expect_err("it is too old");
    assert!(error.to_string().contains("posthaste migrate"), "{error}");
    store.migrate().await?;
    assert_eq!(store.audit(None, 10).await?, []);
    Ok(())
}

#[tokio::test]
async fn a_newer_journal_is_refused() -> Result<()> {
    let store = Store::new().await?;
    store.application()?.execute("UPDATE outbox_schema SET version = 99", [])?;
    for refused in [store.migrate().await, store.partitions().await.map(drop), store.write(&[order("1")])] {
        let error = refused.expect_err("it is from the future");
        assert_eq!(error.kind(), Kind::Schema);
        assert!(error.to_string().contains("version 99") && error.to_string().contains("update"), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_database_without_a_journal_names_the_remedy() -> Result<()> {
    let directory = Directory::new();
    let store = Sqlite::open(directory.file(), quick())?;
    let mut application = connect(directory.file(), &quick())?;
    let refused: [Option<Error>; 4] = [
        store.partitions().await.err(),
        store.lease(&worker("w"), LONG, 1).await.err(),
        store.register(&[]).await.err(),
        Outbox::new().enqueue(&application.transaction()?, &[order("1")]).err(),
    ];
    for error in refused {
        let error = error.expect("there is nothing to work with");
        assert_eq!(error.kind(), Kind::Schema);
        assert!(error.to_string().contains("posthaste migrate"), "{error}");
    }
    Ok(())
}

#[test]
fn an_sqlite_with_a_known_corruption_is_refused() {
    let error = connection::check_version(3_051_002).expect_err("it is too old");
    assert!(error.to_string().contains("3.51.2"), "{error}");
    connection::check_version(3_051_003).expect("the first one that is safe");
}
