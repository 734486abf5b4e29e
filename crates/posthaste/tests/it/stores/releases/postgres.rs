//! Journals in PostgreSQL.

use posthaste::Result;
use posthaste::error::Kind;
use posthaste::inspect::{Filter, Inspect, Page};
use posthaste::journal::{Journal, Position};
use posthaste::store::Store;
use posthaste::stores::postgres::Postgres;

use super::super::ledger::Ledger;
use super::super::postgres::{InSchema, fresh};
use super::super::worker::Worker;
use super::{LEFT, schema};

/// A journal as this release made it, with something in it.
async fn released(version: u32) -> InSchema {
    let t = fresh().await;
    let client = t.application().await;
    let name = &t.options.schema;
    let sql = schema("postgres", version).replace("{schema}", &format!("\"{name}\""));
    let sql = sql.replace("{schema_text}", &format!("\"{name}\"")).replace("{schema_name}", name);
    client.batch_execute(&format!("DROP SCHEMA \"{name}\" CASCADE; CREATE SCHEMA \"{name}\"")).await.unwrap();
    client.batch_execute(&sql.replace("{partitions}", "64")).await.unwrap();
    client.batch_execute(&format!("SET search_path = \"{name}\"")).await.unwrap();
    for statement in LEFT {
        client.batch_execute(statement).await.unwrap();
    }
    client.batch_execute("RESET search_path").await.unwrap();
    t
}

/// Everything there is in a schema, without its name.
async fn structure(t: &InSchema) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
               FROM information_schema.columns WHERE table_schema = $1
               UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1
               UNION ALL SELECT proname || ' ' || prosrc FROM pg_proc WHERE pronamespace = $2::text::regnamespace
               UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
                   WHERE connamespace = $2::text::regnamespace";
    let (name, quoted) = (&t.options.schema, format!("\"{}\"", t.options.schema));
    let rows = t.application().await.query(sql, &[name, &quoted]).await.unwrap();
    let mut lines: Vec<_> = rows.iter().map(|row| row.get::<_, String>(0).replace(name, "schema")).collect();
    lines.sort();
    lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_of_every_release_becomes_like_a_new_one_and_keeps_what_is_in_it() -> Result<()> {
    let expected = structure(&fresh().await).await;
    for version in [1, 3] {
        let t = released(version).await;
        let store = Postgres::open(t.options.clone())?;
        let refused = store.partitions().await.expect_err("it is older");
        assert!(refused.kind() == Kind::Schema && refused.to_string().contains("run `posthaste migrate`"), "{refused}");
        store.migrate().await?;
        assert_eq!(store.partitions().await?, 64);
        assert_eq!(store.list(&Filter::default(), Page::after(Position::START, 10)).await?.rows.len(), 3);
        assert_eq!(structure(&t).await, expected, "version {version}");
        let client = t.application().await;
        client.batch_execute(&format!("SET search_path = \"{}\"", t.options.schema)).await?;
        client.batch_execute(LEFT[2]).await?;
        let partitions = client.query_one("SELECT count(DISTINCT partition) FROM outbox", &[]).await?;
        assert_eq!(partitions.get::<_, i64>(0), 1, "a key keeps its partition");
        let ledger = Ledger::default();
        let worker = Worker::start("one", store.clone(), &ledger);
        ledger.until_count(4).await;
        worker.stop().await;
        assert!(ledger.positions_grow());
        assert_eq!(store.overview().await?.messages, 4);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_gives_up_while_a_transaction_of_the_application_goes_on_and_works_after_it() -> Result<()> {
    let t = released(3).await;
    let store = Postgres::open(t.options.clone())?;
    let client = t.application().await;
    client.batch_execute(&format!("SET search_path = \"{}\"; BEGIN", t.options.schema)).await?;
    client.batch_execute(LEFT[0]).await?;
    let refused = store.migrate().await.expect_err("the table is in use");
    assert!(refused.is_temporary() && refused.to_string().contains("nothing was changed: run"), "{refused}");
    client.batch_execute("COMMIT").await?;
    store.migrate().await
}

/// Migrate first, then replace the relays one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relays_that_run_go_on_after_a_migration_and_an_older_program_does_not_start() -> Result<()> {
    let t = fresh().await;
    let ledger = Ledger::default();
    let worker = Worker::start("one", t.store.clone(), &ledger);
    let client = t.application().await;
    client.batch_execute(&format!("SET search_path = \"{}\"", t.options.schema)).await?;
    client.batch_execute(LEFT[0]).await?;
    ledger.until_count(1).await;
    // What the next version may bring.
    let next = "BEGIN; ALTER TABLE outbox ADD COLUMN later text; ALTER TABLE outbox_ticks ADD COLUMN later text; \
                ALTER TABLE outbox_cursors ADD COLUMN later text; ALTER TABLE outbox_workers ADD COLUMN later text; \
                UPDATE outbox_schema SET version = version + 1; COMMIT";
    client.batch_execute(next).await?;
    client.batch_execute(LEFT[1]).await?;
    client.batch_execute(LEFT[2]).await?;
    ledger.until_count(3).await;
    let older = Postgres::open(t.options.clone())?;
    for refused in [older.partitions().await.map(drop), older.migrate().await] {
        let refused = refused.expect_err("it is newer");
        assert!(refused.kind() == Kind::Schema && refused.to_string().contains("update it"), "{refused}");
    }
    worker.stop().await;
    Ok(())
}
