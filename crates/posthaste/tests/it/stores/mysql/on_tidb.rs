//! The store suite on TiDB, and what is different there. Run by `cargo xtask test --with tidb`.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::error::Kind;
use posthaste::inspect::Inspect;
use posthaste::message::Limits;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options, Outbox};
use posthaste::{Message, Result};

use super::plain_sql::{careless, entries};
use super::{InDatabase, late_commits, on};
use crate::servers::Private;

posthaste::store_suite!(
    #[ignore = "needs TiDB: cargo xtask test --with tidb"]
    fresh
);

/// TiDB takes rows of six megabytes unless it was told otherwise, and its built-in store can take no more than eight.
async fn fresh() -> InDatabase {
    let mut fresh = on("tidb").await;
    fresh.largest_payload = 5 << 20;
    fresh
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn a_larger_message_is_refused_with_what_to_do() -> Result<()> {
    let (t, limits) = (fresh().await, Limits { payload_bytes: 7 << 20, ..Limits::default() });
    let large = Message::builder("a", "b", "c").limits(limits).payload(vec![b'x'; 7 << 20], "text/plain");
    let large = large.build().expect("a valid message");
    let refused = t.store.write(&[large]).await.expect_err("it is too large");
    assert_eq!(refused.kind(), Kind::Invalid);
    assert!(refused.to_string().contains("tidb_txn_entry_size_limit"), "{refused}");
    Ok(())
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn plain_sql_gives_the_key_and_has_defaults_for_the_rest() -> Result<()> {
    let t = fresh().await;
    let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, `key`, payload) \
                  VALUES ('order.placed', 'order', '7', 'order/7', '{}')";
    careless(&t).await?.query_drop(insert).await?;
    let entry = entries(&t).await?.remove(0);
    let message = &*entry.message;
    assert_eq!(message.key.as_deref(), Some("order/7"));
    assert_eq!((&*message.payload, message.content_type.as_str()), (b"{}".as_slice(), "application/json"));
    let now = Message::builder("a.b", "a", "1").build().expect("the message is valid").occurred_at;
    assert!((now - message.occurred_at).total(jiff::Unit::Minute).unwrap_or_default().abs() < 10.0);
    Ok(())
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_delivered_is_refused_with_a_reason() -> Result<()> {
    let t = fresh().await;
    let mut application = careless(&t).await?;
    for (columns, values, reason) in [
        ("event_type, payload", "'a', ''", "key must not be empty: give it"),
        ("event_type, payload, `key`", "'order placed', '', 'k'", "event_type may contain only letters"),
        ("event_type, `key`", "'a', 'k'", "payload must be given"),
        ("event_type, payload, `key`, tenant", "'a', '', 'k', ''", "tenant must not be empty"),
        ("event_type, payload, `key`, max_attempts", "'a', '', 'k', 0", "max_attempts must be at least 1"),
        ("event_type, payload, `key`, headers", "'a', '', 'k', 'x'", "headers must be JSON"),
        ("event_type, payload, `key`", "'a', '', REPEAT('k', 3000)", "texts may have 1,000 bytes each"),
        ("event_type, payload, `key`, id", "'a', '', 'k', 'A'", "id must be a UUID in lower case"),
    ] {
        let insert =
            format!("INSERT INTO outbox (aggregate_type, aggregate_id, {columns}) VALUES ('order', '7', {values})");
        let says = application.query_drop(insert).await.expect_err("it is refused").to_string();
        assert!(says.contains(reason), "{columns}: {says}");
    }
    assert!(entries(&t).await?.is_empty());
    Ok(())
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_a_key_is_read_in_order_however_it_was_committed() -> Result<()> {
    late_commits::what_waits_is_read_in_order("tidb").await
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn no_journal_is_made_where_its_constraints_would_be_ignored_and_a_check_says_so_later() -> Result<()> {
    let server = Private::start("tidb").await;
    let t = super::at(&server.address()).await;
    let mut administrator = t.application().await;
    assert!(t.store.check().await?.is_empty());
    administrator.query_drop("SET GLOBAL tidb_enable_check_constraint = OFF").await?;
    let problems = t.store.check().await?;
    assert!(problems.iter().any(|problem| problem.refuses && problem.text.contains("tidb_enable_check_constraint")));
    administrator.query_drop("CREATE DATABASE another").await?;
    let another = MySql::open(Options::new(t.url.replace(&url_name(&t), "another")))?;
    let refused = another.migrate().await.expect_err("constraints would be ignored");
    assert_eq!(refused.kind(), Kind::Invalid);
    Ok(())
}

fn url_name(t: &InDatabase) -> String {
    t.name.replace(' ', "%20")
}

#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn a_producer_may_write_messages_and_nothing_else() -> Result<()> {
    let t = fresh().await;
    let mut application = Conn::from_url(user(&t, "producer", "INSERT ON app.outbox").await?).await?;
    let message =
        Message::builder("order.placed", "order", "3").origin("orders", "1").build().expect("a valid message");
    Outbox::new().enqueue(&mut application, std::slice::from_ref(&message)).await?;
    assert_eq!(Outbox::new().enqueue(&mut application, &[message]).await?.duplicates, 1);
    for forbidden in ["SELECT payload FROM outbox", "DELETE FROM outbox", "SELECT * FROM outbox_cursors"] {
        application.query_drop(forbidden).await.expect_err(forbidden);
    }
    Ok(())
}

/// Gaps are looked at for as long as a transaction is open that is older than they are.
#[ignore = "needs TiDB: cargo xtask test --with tidb"]
#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_transaction_is_known_to_whoever_may_see_all_of_them_and_to_nobody_else() -> Result<()> {
    let t = fresh().await;
    let mut application = t.application().await;
    application.query_drop("BEGIN").await?;
    Outbox::new()
        .enqueue(&mut application, &[Message::builder("a", "b", "c").build().expect("a valid message")])
        .await?;
    for (grant, may_see) in [("SELECT, INSERT, UPDATE, DELETE ON app.*", false), ("PROCESS ON *.*", true)] {
        let name = if may_see { "sees" } else { "sees_not" };
        let url = user(&t, name, "SELECT, INSERT, UPDATE, DELETE ON app.*").await?;
        t.application()
            .await
            .query_drop(format!("GRANT {} TO {}", in_database(&t, grant), user_name(&t, name)))
            .await?;
        let figures = MySql::open(Options::new(url))?.overview().await?.figures;
        let oldest = figures.iter().find(|figure| figure.name == "oldest_transaction_seconds");
        assert_eq!(oldest.is_some_and(|oldest| oldest.value > 0.0), may_see, "{figures:?}");
    }
    application.query_drop("ROLLBACK").await?;
    Ok(())
}

fn user_name(t: &InDatabase, name: &str) -> String {
    format!("{name}_{}", &t.name[t.name.len() - 12..])
}

fn in_database(t: &InDatabase, grant: &str) -> String {
    grant.replace("app.", &format!("`{}`.", t.name))
}

/// The URL of the same database for a user who may do this.
async fn user(t: &InDatabase, name: &str, grant: &str) -> Result<String> {
    let (mut administrator, name) = (t.application().await, user_name(t, name));
    administrator.query_drop(format!("CREATE USER {name} IDENTIFIED BY 'secret'")).await?;
    administrator.query_drop(format!("GRANT {} TO {name}", in_database(t, grant))).await?;
    Ok(t.url.replace("root@", &format!("{name}:secret@")))
}
