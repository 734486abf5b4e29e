//! The contract with those who write plain SQL.

use posthaste::journal::{Journal, Partition, Position, ReadRequest};
use posthaste::message::Message;
use posthaste::{Result, journal};

use super::{InSchema, fresh};

async fn entries(t: &InSchema) -> Result<Vec<journal::Entry>> {
    t.store.advance().await?;
    let partitions = Partition::all(t.store.partitions().await?).collect();
    let (after, until) = (Position::START, Position::END);
    Ok(t.store.read(&ReadRequest { partitions, after, until, limit: 1_000, max_bytes: usize::MAX }).await?.entries)
}

#[tokio::test(flavor = "multi_thread")]
async fn four_columns_are_enough() -> Result<()> {
    let t = fresh().await;
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.placed', 'order', '7', '{{}}')",
        t.name("outbox")
    );
    t.application().await.batch_execute(&insert).await?;
    let entry = entries(&t).await?.remove(0);
    let message = &*entry.message;
    assert_eq!(message.id.0.get_version_num(), 7);
    assert_eq!(message.key.as_deref(), Some("order/7"));
    assert_eq!((&*message.payload, message.content_type.as_str()), (b"{}".as_slice(), "application/json"));
    let now = posthaste::Message::builder("a.b", "a", "1").build().expect("the message is valid").occurred_at;
    assert!((now - message.occurred_at).total(jiff::Unit::Minute).unwrap_or_default().abs() < 10.0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_one_partition_whoever_writes_it_and_however() -> Result<()> {
    let t = fresh().await;
    let client = t.application().await;
    for (key, tenant) in [("DEFAULT", "NULL"), ("'order/7'", "NULL"), ("'order/7'", "'acme'"), ("DEFAULT", "'acme'")] {
        let insert = format!(
            "INSERT INTO {} (event_type, aggregate_type, aggregate_id, key, tenant, payload) VALUES ('a', 'order', '7', {key}, {tenant}, '')",
            t.name("outbox")
        );
        client.batch_execute(&insert).await?;
    }
    let made = |tenant: Option<&str>| {
        let message = Message::builder("a", "order", "7").payload("", "text/plain");
        tenant.into_iter().fold(message, |message, tenant| message.tenant(tenant)).build().expect("a valid message")
    };
    t.outbox().enqueue(&client, &[made(None), made(Some("acme"))]).await?;
    let entries = entries(&t).await?;
    let of = |tenant: Option<&str>| {
        let of_tenant = entries.iter().filter(|entry| entry.message.tenant.as_deref() == tenant);
        of_tenant.map(|entry| entry.partition).collect::<Vec<_>>()
    };
    for partitions in [of(None), of(Some("acme"))] {
        assert_eq!(partitions.len(), 3);
        assert!(partitions.iter().all(|partition| *partition == partitions[0]), "{partitions:?}");
    }
    Ok(())
}

/// What a writer's own search path finds first is not what the journal goes by.
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_cannot_slip_in_functions_or_operators_of_its_own() -> Result<()> {
    let t = fresh().await;
    let client = t.application().await;
    let (outbox, own) = (t.name("outbox"), format!("\"{}_own\"", t.options.schema));
    let columns = "(event_type, aggregate_type, aggregate_id, key, payload)";
    client.batch_execute(&format!("INSERT INTO {outbox} {columns} VALUES ('a', 'order', '7', 'k', '')")).await?;
    let slip = format!(
        "CREATE SCHEMA {own}; SET search_path = {own}, pg_catalog;
         CREATE FUNCTION hashtextextended(text, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 1::bigint';
         CREATE FUNCTION takes(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
         CREATE OPERATOR ~ (FUNCTION = takes, LEFTARG = text, RIGHTARG = text);
         CREATE OPERATOR = (FUNCTION = takes, LEFTARG = text, RIGHTARG = text)"
    );
    client.batch_execute(&slip).await?;
    client.batch_execute(&format!("INSERT INTO {outbox} {columns} VALUES ('a', 'order', '7', 'k', '')")).await?;
    let refused =
        client.batch_execute(&format!("INSERT INTO {outbox} {columns} VALUES ('a b', 'order', '7', 'k', '')")).await;
    client.batch_execute(&format!("RESET search_path; DROP SCHEMA {own} CASCADE")).await?;
    assert!(refused.is_err());
    let partitions = client.query_one(&format!("SELECT count(DISTINCT partition) FROM {outbox}"), &[]).await?;
    assert_eq!(partitions.get::<_, i64>(0), 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_delivered_is_refused_with_a_reason() -> Result<()> {
    let t = fresh().await;
    let client = t.application().await;
    let refusal = |columns: &'static str, values: &'static str| {
        let insert = format!(
            "INSERT INTO {} (aggregate_type, aggregate_id, payload, {columns}) VALUES ('order', '7', '', {values})",
            t.name("outbox")
        );
        let client = &client;
        async move {
            client
                .batch_execute(&insert)
                .await
                .expect_err("it is refused")
                .as_db_error()
                .map(|e| e.message().to_owned())
        }
    };
    for (columns, values, reason) in [
        ("event_type", "'order placed'", "event_type may contain only letters, digits and . _ : / -"),
        ("event_type, tenant", "'a', ''", "tenant must not be empty: leave it out"),
        ("event_type, max_attempts", "'a', 0", "max_attempts must be at least 1"),
        ("event_type, source_stream", "'a', 's'", "source_stream and source_event come together or not at all"),
        ("event_type, key", "'a', repeat('k', 1001)", "key, tenant and aggregate may have 1,000 bytes each"),
        ("key", "'k'", "null value in column \"event_type\""),
    ] {
        let says = refusal(columns, values).await.unwrap_or_default();
        assert!(says.contains(reason), "{says}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_is_stored_once_by_plain_sql_too() -> Result<()> {
    let t = fresh().await;
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload, source_stream, source_event) VALUES ('a', 'b', 'c', '', 's', '1')",
        t.name("outbox")
    );
    let client = t.application().await;
    assert_eq!(client.execute(&insert, &[]).await?, 1);
    assert_eq!(client.execute(&insert, &[]).await?, 0);
    assert_eq!(entries(&t).await?.len(), 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_in_a_savepoint_belongs_to_its_transaction() -> Result<()> {
    let t = fresh().await;
    let (held, other) = (t.application().await, t.application().await);
    let insert = |id: &str| {
        format!(
            "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) VALUES ('a', 'b', '{id}', '')",
            t.name("outbox")
        )
    };
    held.batch_execute("BEGIN; SAVEPOINT s").await?;
    held.batch_execute(&insert("inside")).await?;
    held.batch_execute("RELEASE s; SAVEPOINT t").await?;
    held.batch_execute(&insert("undone")).await?;
    held.batch_execute("ROLLBACK TO t").await?;
    other.batch_execute(&insert("meanwhile")).await?;
    let ids =
        |entries: Vec<journal::Entry>| entries.iter().map(|e| e.message.aggregate_id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(entries(&t).await?), ["meanwhile"]);
    held.batch_execute("COMMIT").await?;
    assert_eq!(ids(entries(&t).await?), ["meanwhile", "inside"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn locked_keys_make_writers_take_turns() -> Result<()> {
    let t = fresh().await;
    let (mut first, mut second) = (t.application().await, t.application().await);
    let message = [Message::builder("a", "order", "7").payload("", "text/plain").build().expect("a valid message")];
    let outbox = t.outbox();
    let one = first.transaction().await?;
    outbox.lock_keys(&one, &message).await?;
    let two = second.transaction().await?;
    two.batch_execute("SET LOCAL lock_timeout = '100ms'").await?;
    let error = outbox.lock_keys(&two, &message).await.expect_err("another one holds the key");
    assert!(error.is_temporary(), "{error}");
    one.commit().await?;
    two.rollback().await?;
    let two = second.transaction().await?;
    outbox.lock_keys(&two, &message).await?;
    Ok(two.commit().await?)
}
