use super::*;
use crate::inspect::{Inspect, Status};

#[tokio::test]
async fn a_full_disk_says_so_and_loses_nothing() -> Result<()> {
    let store = Store::new().await?;
    let leases = store.serve("a").await?;
    store.write(&[order("1")])?;
    limit_pages(&store, 1).await?;
    let commits: Vec<_> = leases.iter().map(|lease| filling(moved("a", lease, Position::seq(1)))).collect();
    let error = store.commit(&commits).await.expect_err("there is no room");
    assert!(error.is_temporary());
    assert!(error.to_string().contains("disk is full"), "{error}");
    assert_eq!(store.overview().await?.destinations[0].pending, 1, "all of it was undone");

    limit_pages(&store, 1 << 20).await?;
    assert!(store.commit(&commits).await?.is_empty());
    assert_eq!(store.overview().await?.destinations[0].pending, 0);
    assert_eq!(store.messages().await?.len(), 1);
    Ok(())
}

/// So much beyond the cursor that it needs new pages.
fn filling(mut commit: LaneCommit) -> LaneCommit {
    if let Some(cursor) = &mut commit.cursor {
        cursor.done = (2..3_000).step_by(2).map(Position::seq).collect();
    }
    commit
}

async fn limit_pages(store: &Store, pages: i64) -> Result<()> {
    let limit =
        move |writer: &mut Connection| Ok(writer.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?);
    store.sqlite.with_writer(limit).await
}

#[tokio::test]
async fn a_call_that_panics_fails_alone() -> Result<()> {
    let store = Store::new().await?;
    let panicked = store.sqlite.with_writer(|_| -> Result<()> { panic!("on purpose") }).await;
    assert_eq!(panicked.expect_err("there is no answer").kind(), Kind::Unavailable);
    store.register(&[]).await
}

#[tokio::test]
async fn a_writer_that_does_not_end_makes_the_store_unavailable() -> Result<()> {
    let store = Store::new().await?;
    let hasty = Options { busy_timeout: Duration::from_millis(20), ..Options::default() };
    let waiting = Sqlite::open(store.directory.file(), hasty)?;
    let mut application = store.application()?;
    let held = application.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let error = waiting.register(&[]).await.expect_err("someone else writes");
    assert!(error.is_temporary());
    assert!(error.to_string().contains("busy"), "{error}");
    assert!(waiting.advance().await.is_ok(), "reading goes on");
    held.rollback()?;
    waiting.register(&[]).await
}

#[test]
fn a_file_that_is_no_database_is_corrupt() -> Result<()> {
    let directory = Directory::new();
    std::fs::write(directory.file(), "not a database, ".repeat(100)).expect("the file can be written");
    let error = Sqlite::open(directory.file(), quick()).expect_err("there is nothing to open");
    assert_eq!(error.kind(), Kind::Corrupt);
    Ok(())
}

#[test]
fn a_directory_that_does_not_exist_is_named_as_the_cause() {
    let directory = Directory::new();
    let error = Sqlite::open(directory.0.join("missing/journal.db"), quick()).expect_err("there is nothing to open");
    assert!(error.is_temporary());
    assert!(error.to_string().contains("directory"), "{error}");
}

#[test]
fn a_private_database_is_refused() {
    let error = Sqlite::open(":memory:", quick()).expect_err("nobody could share it");
    assert_eq!(error.kind(), Kind::Invalid);
}

#[tokio::test]
async fn text_that_is_not_utf_8_stops_no_lane() -> Result<()> {
    let store = Store::new().await?;
    store.serve("a").await?;
    let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, key, tenant, payload)
                  VALUES ('order.created', 'order', '1', CAST(?1 AS TEXT), CAST(?2 AS TEXT), 'x')";
    let application = store.application()?;
    application.execute(insert, (&b"k\xff"[..], &b"acme"[..]))?;
    application.execute(insert, (&b"k"[..], &b"\xc3\x28"[..]))?;
    application.execute(insert, (&b"nul\0 and\r\nline"[..], &b"acme"[..]))?;
    let keys: Vec<_> = store.messages().await?.iter().map(|message| message.key.clone()).collect();
    assert_eq!(keys, [None, None, Some("nul\0 and\r\nline".into())], "a scope that cannot be looked up orders nothing");
    let page = crate::inspect::Page::after(Position::START, 10);
    let listed = store.list(&crate::inspect::Filter::default(), page).await?.rows;
    assert!(listed.iter().all(|one| one.status == Some(Status::Pending)));
    assert_eq!(listed.len(), 3);
    Ok(())
}
