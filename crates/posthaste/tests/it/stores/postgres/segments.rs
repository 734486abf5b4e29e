//! The journal in parts of a day.

use std::time::Duration;

use posthaste::inspect::Inspect;
use posthaste::journal::{Cursor, Journal, LaneCommit, Partition, Purged, WorkerId};
use posthaste::{Destination, Result};

use super::{InSchema, fresh};

const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// A segment of ten days ago with three messages, and one message of today.
async fn with_an_old_segment() -> Result<InSchema> {
    let t = fresh().await;
    let client = t.application().await;
    let schema = format!("SET search_path = \"{}\"", t.options.schema);
    let old = "CREATE TABLE outbox_20200101 (LIKE outbox INCLUDING ALL);
        ALTER TABLE outbox ATTACH PARTITION outbox_20200101 FOR VALUES FROM ('2020-01-01Z') TO ('2020-01-02Z');
        INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, written_at)
        SELECT 'a', 'b', n::text, '', '2020-01-01 12:00Z' FROM generate_series(1, 3) AS n;
        INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', 'today', '')";
    client.batch_execute(&schema).await?;
    client.batch_execute(old).await?;
    client.batch_execute("RESET search_path").await?;
    t.store.register(&[Destination::new("app")]).await?;
    Ok(t)
}

async fn settle_everything(t: &InSchema) -> Result<()> {
    let worker = WorkerId("w".into());
    let low = t.store.advance().await?;
    let leases = t.store.lease(&worker, Duration::from_secs(60), 64).await?.leases;
    let commits: Vec<_> = leases
        .iter()
        .map(|lease| LaneCommit {
            cursor: Some(Cursor { low, done: Vec::new() }),
            ..LaneCommit::nothing("app".into(), lease.partition, lease.epoch)
        })
        .collect();
    assert!(t.store.commit(&commits).await?.is_empty());
    Ok(())
}

async fn has_old_segment(t: &InSchema) -> Result<bool> {
    let found =
        t.application().await.query_one("SELECT to_regclass($1) IS NOT NULL", &[&t.name("outbox_20200101")]).await?;
    Ok(found.get(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_segment_is_dropped_as_a_whole_when_everyone_has_passed_it() -> Result<()> {
    let t = with_an_old_segment().await?;
    assert_eq!(t.store.purge(WEEK, 100).await?, Purged { messages: 0, more: false }, "nobody has passed it");
    assert!(has_old_segment(&t).await?);
    settle_everything(&t).await?;
    // What was settled last lies in the tick that the cursors stand in; they move on with the next one.
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', 'c', '')",
        t.name("outbox")
    );
    t.application().await.batch_execute(&insert).await?;
    t.store.release(&WorkerId("w".into()), &[], true).await?;
    let leases = format!("UPDATE {} SET worker = NULL", t.name("outbox_leases"));
    t.application().await.batch_execute(&leases).await?;
    settle_everything(&t).await?;
    let dead = format!(
        "INSERT INTO {} (seq, destination, tick, partition, tenant, key, state, holds, attempts, kills)
         SELECT min(seq), 'app', 1, 0, '', 'b/1', 'dead', false, 1, 0 FROM {}",
        t.name("outbox_parked"),
        t.name("outbox")
    );
    t.application().await.batch_execute(&dead).await?;
    assert_eq!(t.store.purgeable(WEEK).await?, 0, "a dead letter keeps its segment");
    let discarded = format!("UPDATE {} SET state = 'discarded'", t.name("outbox_parked"));
    t.application().await.batch_execute(&discarded).await?;
    assert_eq!(t.store.purgeable(WEEK).await?, 3);
    assert_eq!(t.store.purge(WEEK, 100).await?, Purged { messages: 3, more: false });
    assert!(!has_old_segment(&t).await?);
    assert_eq!(t.store.overview().await?.messages, 2, "what was written today stays");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_that_someone_reads_waits_and_writers_do_not() -> Result<()> {
    let t = with_an_old_segment().await?;
    settle_everything(&t).await?;
    let mut dump = t.application().await;
    let dumping = dump.transaction().await?;
    dumping.execute(&format!("SELECT count(*) FROM {}", t.name("outbox")), &[]).await?;
    assert_eq!(t.store.purge(WEEK, 100).await?.messages, 0);
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', 'c', '')",
        t.name("outbox")
    );
    t.application().await.batch_execute(&insert).await?;
    Ok(dumping.rollback().await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_without_a_segment_is_delivered_and_purged_all_the_same() -> Result<()> {
    let t = fresh().await;
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload, written_at) VALUES ('a', 'b', 'c', '', '2020-01-01Z')",
        t.name("outbox")
    );
    t.application().await.batch_execute(&insert).await?;
    t.store.register(&[Destination::new("app")]).await?;
    settle_everything(&t).await?;
    assert_eq!(t.store.purge(WEEK, 100).await?.messages, 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn merged_ticks_leave_every_cursor_where_it_stood() -> Result<()> {
    let t = fresh().await;
    t.store.register(&[Destination::new("app")]).await?;
    let client = t.application().await;
    for n in 0..5 {
        let insert = format!(
            "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', '{n}', '')",
            t.name("outbox")
        );
        client.batch_execute(&insert).await?;
        t.store.advance().await?;
    }
    settle_everything(&t).await?;
    client.batch_execute(&insert_one(&t)).await?;
    t.store.advance().await?;
    let merge = format!("SELECT {}(interval '0')", t.name("outbox_merge_ticks"));
    let merged: i64 = client.query_one(&merge, &[]).await?.get(0);
    assert_eq!(merged, 3, "four that everybody has passed become one");
    let status =
        format!("SELECT count(*) FILTER (WHERE status = 'delivered'), count(*) FROM {}", t.name("outbox_status"));
    let row = client.query_one(&status, &[]).await?;
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (5, 6));
    let again = posthaste::stores::postgres::Postgres::open(t.options.clone())?;
    let request = posthaste::journal::ReadRequest {
        partitions: Partition::all(64).collect(),
        after: posthaste::journal::Position::START,
        until: posthaste::journal::Position::END,
        limit: 100,
        max_bytes: usize::MAX,
    };
    assert_eq!(again.read(&request).await?.entries.len(), 6, "who starts from the beginning reads everything");
    Ok(())
}

fn insert_one(t: &InSchema) -> String {
    format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', 'last', '')",
        t.name("outbox")
    )
}
