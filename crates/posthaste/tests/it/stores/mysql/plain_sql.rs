//! The contract with those who write plain SQL, on both servers, strict or not.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::journal::{self, Journal, Partition, Position, ReadRequest};
use posthaste::stores::mysql::Outbox;
use posthaste::{Message, Result};

use super::{InDatabase, on};

const SERVERS: [&str; 2] = ["mariadb", "mysql"];

pub(super) async fn entries(t: &InDatabase) -> Result<Vec<journal::Entry>> {
    t.store.advance().await?;
    let partitions = Partition::all(t.store.partitions().await?).collect();
    let (after, until) = (Position::START, Position::END);
    Ok(t.store.read(&ReadRequest { partitions, after, until, limit: 1_000, max_bytes: usize::MAX }).await?.entries)
}

/// An application whose server lets it write nonsense where it can.
pub(super) async fn careless(t: &InDatabase) -> Result<Conn> {
    let mut connection = t.application().await;
    connection.query_drop("SET SESSION sql_mode = '', SESSION time_zone = '+05:30'").await?;
    Ok(connection)
}

#[tokio::test(flavor = "multi_thread")]
async fn four_columns_are_enough() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.placed', 'order', '7', '{}')";
        careless(&t).await?.query_drop(insert).await?;
        let entry = entries(&t).await?.remove(0);
        let message = &*entry.message;
        assert_eq!(message.id.0.get_version_num(), 7);
        assert_eq!(message.key.as_deref(), Some("order/7"));
        assert_eq!((&*message.payload, message.content_type.as_str()), (b"{}".as_slice(), "application/json"));
        let now = Message::builder("a.b", "a", "1").build().expect("the message is valid").occurred_at;
        assert!((now - message.occurred_at).total(jiff::Unit::Minute).unwrap_or_default().abs() < 10.0);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_one_partition_whoever_writes_it_and_however() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        let mut application = t.application().await;
        for (key, tenant) in
            [("DEFAULT", "NULL"), ("'order/7'", "NULL"), ("'order/7'", "'acme'"), ("DEFAULT", "'acme'")]
        {
            let insert = format!(
                "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, `key`, tenant, payload) \
                 VALUES ('a', 'order', '7', {key}, {tenant}, '')"
            );
            application.query_drop(insert).await?;
        }
        let made = |tenant: Option<&str>| {
            let message = Message::builder("a", "order", "7").payload("", "text/plain");
            tenant.into_iter().fold(message, |message, tenant| message.tenant(tenant)).build().expect("a valid message")
        };
        Outbox::new().enqueue(&mut application, &[made(None), made(Some("acme"))]).await?;
        let entries = entries(&t).await?;
        for tenant in [None, Some("acme")] {
            let of_tenant = entries.iter().filter(|entry| entry.message.tenant.as_deref() == tenant);
            let partitions: Vec<_> = of_tenant.map(|entry| entry.partition).collect();
            assert_eq!(partitions.len(), 3);
            assert!(partitions.iter().all(|partition| *partition == partitions[0]), "{partitions:?}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_delivered_is_refused_with_a_reason_also_by_a_server_that_is_not_strict() -> Result<()> {
    let id = "'0190A0B0-0000-7000-8000-000000000000'";
    for server in SERVERS {
        let t = on(server).await;
        let mut application = careless(&t).await?;
        for (columns, values, reason) in [
            ("event_type, payload", "'order placed', ''", "event_type may contain only letters, digits and . _ : / -"),
            ("payload", "''", "event_type may contain only letters, digits and . _ : / -"),
            ("event_type", "'a'", "payload must be given"),
            ("event_type, payload, tenant", "'a', '', ''", "tenant must not be empty: leave it out"),
            ("event_type, payload, `key`", "'a', '', ''", "key must not be empty"),
            ("event_type, payload, max_attempts", "'a', '', 0", "max_attempts must be at least 1"),
            ("event_type, payload, headers", "'a', '', 'x'", "headers must be JSON"),
            ("event_type, payload, `key`", "'a', '', REPEAT('k', 3000)", "texts may have 1,000 bytes each"),
            ("event_type, payload, source_stream", "'a', '', 's'", "source_stream and source_event are given together"),
            ("event_type, payload, id", &format!("'a', '', {id}"), "id must be a UUID in lower case"),
        ] {
            let insert =
                format!("INSERT INTO outbox (aggregate_type, aggregate_id, {columns}) VALUES ('order', '7', {values})");
            let says = application.query_drop(insert).await.expect_err("it is refused").to_string();
            assert!(says.contains(reason), "{server}, {columns}: {says}");
        }
        assert!(entries(&t).await?.is_empty());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_is_stored_once_by_plain_sql_too_and_the_transaction_goes_on() -> Result<()> {
    let t = on("mysql").await;
    let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, source_stream, source_event)
        VALUES ('a', 'b', 'c', '', 's', '1')";
    let mut application = t.application().await;
    application.query_drop("BEGIN").await?;
    application.query_drop(insert).await?;
    let again = application.query_drop(insert).await.expect_err("it is stored already");
    assert!(again.to_string().contains("1062"), "{again}");
    application.query_drop(format!("{insert} ON DUPLICATE KEY UPDATE event_type = outbox.event_type")).await?;
    application.query_drop("COMMIT").await?;
    assert_eq!(entries(&t).await?.len(), 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn locked_keys_make_writers_take_turns() -> Result<()> {
    let t = on("mariadb").await;
    let (mut one, mut two) = (t.application().await, t.application().await);
    let message = [Message::builder("a", "order", "7").payload("", "text/plain").build().expect("a valid message")];
    let outbox = Outbox::new();
    one.query_drop("BEGIN").await?;
    outbox.lock_keys(&mut one, &message).await?;
    two.query_drop("SET SESSION innodb_lock_wait_timeout = 1").await?;
    two.query_drop("BEGIN").await?;
    let error = outbox.lock_keys(&mut two, &message).await.expect_err("another one holds the key");
    assert!(error.is_temporary(), "{error}");
    one.query_drop("COMMIT").await?;
    outbox.lock_keys(&mut two, &message).await?;
    Ok(two.query_drop("COMMIT").await?)
}
