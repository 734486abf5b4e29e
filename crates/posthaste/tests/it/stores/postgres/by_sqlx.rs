//! Applications that hold a transaction of sqlx.

use posthaste::inspect::{Filter, Inspect, Page};
use posthaste::journal::Position;
use posthaste::{Message, Result};
use sqlx::{Connection, PgConnection};

use super::{InSchema, fresh};

/// With everything that a message can carry.
fn full(id: &str) -> Message {
    Message::builder("order.placed", "order", id)
        .payload(vec![0, 159, 146, 150], "application/octet-stream")
        .key("a key of its own")
        .tenant("acme")
        .user("ann")
        .correlation_id("c-1")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .build()
        .expect("a valid message")
}

async fn listed(t: &InSchema) -> Result<Vec<Message>> {
    let mut found = Vec::new();
    for report in t.store.list(&Filter::default(), Page::after(Position::START, 10)).await?.rows {
        found.extend(t.store.get(report.id).await?.map(|report| report.message));
    }
    Ok(found)
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_a_sqlx_transaction_are_there_if_it_commits_and_not_if_it_does_not() -> Result<()> {
    let t = fresh().await;
    let mut application = PgConnection::connect(&t.url).await.expect("a connection");

    let mut rolled_back = application.begin().await.expect("a transaction");
    t.outbox().enqueue_sqlx(&mut rolled_back, &[full("1")]).await?;
    rolled_back.rollback().await.expect("a rollback");

    let kept = [full("2"), full("3")];
    let mut committed = application.begin().await.expect("a transaction");
    let enqueued = t.outbox().enqueue_sqlx(&mut committed, &kept).await?;
    committed.commit().await.expect("a commit");

    assert_eq!(enqueued.stored, 2);
    assert_eq!(listed(&t).await?, kept);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_a_sqlx_transaction_has_locked_are_free_after_its_end() -> Result<()> {
    let t = fresh().await;
    let messages = [full("1")];
    let mut application = PgConnection::connect(&t.url).await.expect("a connection");
    let mut holder = application.begin().await.expect("a transaction");
    t.outbox().lock_keys_sqlx(&mut holder, &messages).await?;

    let mut other = PgConnection::connect(&t.url).await.expect("a connection");
    let mut waiting = other.begin().await.expect("a transaction");
    sqlx::raw_sql("SET LOCAL lock_timeout = '50ms'").execute(&mut *waiting).await.expect("a setting");
    t.outbox().lock_keys_sqlx(&mut waiting, &messages).await.expect_err("the keys are locked");
    waiting.rollback().await.expect("a rollback");

    holder.commit().await.expect("a commit");
    let mut free = other.begin().await.expect("a transaction");
    t.outbox().lock_keys_sqlx(&mut free, &messages).await
}
