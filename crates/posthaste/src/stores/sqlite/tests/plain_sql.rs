use super::*;
use crate::journal::{Enqueued, partition_of};

#[tokio::test]
async fn a_plain_insert_reads_back_with_sensible_values() -> Result<()> {
    let store = Store::new().await?;
    let before = crate::clock::now();
    store.application()?.execute(
        "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload)
         VALUES ('order.created', 'order', 42, '{\"total\": 1}')",
        [],
    )?;
    let read = store.messages().await?;
    let message = &read[0];
    assert_eq!((message.aggregate_id.as_str(), message.key.as_deref()), ("42", Some("order/42")));
    assert_eq!(message.id.0.get_version_num(), 7);
    assert_eq!((&message.payload[..], message.content_type.as_str()), (&b"{\"total\": 1}"[..], "application/json"));
    let drift = message.occurred_at.duration_since(before).abs();
    assert!(drift < jiff::SignedDuration::from_secs(60), "{drift}");
    assert!(message.headers.is_empty() && message.origin.is_none() && message.due_at.is_none());
    assert!(message.tenant.is_none() && message.destination.is_none() && message.max_attempts.is_none());
    Ok(())
}

#[tokio::test]
async fn headers_by_hand_may_be_an_object_or_pairs() -> Result<()> {
    let store = Store::new().await?;
    let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, headers)
                  VALUES ('order.created', 'order', '1', x'00ff', ?1)";
    let application = store.application()?;
    for headers in [r#"{"b": "1", "a": 2}"#, r#"[["b", "1"], ["a", 2], ["b", "3"]]"#, "17"] {
        application.execute(insert, [headers])?;
    }
    let read = store.messages().await?;
    let headers: Vec<Vec<_>> = read.iter().map(|message| message.headers.iter().collect()).collect();
    assert_eq!(headers[0], [("a", "2"), ("b", "1")]);
    assert_eq!(headers[1], [("b", "1"), ("a", "2"), ("b", "3")]);
    assert!(headers[2].is_empty(), "what means nothing stops no lane");
    assert_eq!(&read[0].payload[..], b"\0\xff");
    Ok(())
}

#[tokio::test]
async fn the_trigger_and_the_library_agree_on_the_partition() -> Result<()> {
    let store = Store::new().await?;
    let partitions = store.partitions().await?;
    let insert = "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, key, tenant, payload)
                  VALUES ('order.created', 'order', ?1, ?2, ?3, '')";
    let mut application = store.application()?;
    let transaction = application.transaction()?;
    for n in 0..300 {
        let id = format!("{n} ä漢🎈 {}", "x".repeat(n % 7));
        let tenant = (n % 3 == 0).then(|| format!("tenant {n}"));
        // The aggregate, a key of its own, and no order.
        transaction.execute(insert, (&id, "", &tenant))?;
        transaction.execute(insert, (&id, format!("key {n}"), &tenant))?;
        transaction.execute(insert, (&id, None::<String>, &tenant))?;
    }
    transaction.commit()?;
    let entries = store.entries().await?;
    assert_eq!(entries.len(), 900);
    assert!(entries.iter().all(|entry| entry.partition == partition_of(&entry.message, partitions)));
    assert_eq!(entries.iter().filter(|entry| entry.message.key.is_none()).count(), 300);
    Ok(())
}

#[tokio::test]
async fn what_no_lane_could_deliver_is_refused_with_the_reason() -> Result<()> {
    let store = Store::new().await?;
    let application = store.application()?;
    for (column, value, reason) in [
        ("event_type", "'order created'", "event_type may contain only letters"),
        ("aggregate_id", "''", "aggregate_id must not be empty"),
        ("id", "'42'", "id must be a UUID"),
        ("id", "'0191B0C0-0000-7000-8000-0000000000FF'", "lower case"),
        ("id", "'------------------------------------'", "id must be a UUID"),
        ("partition", "-1", "partition is not for writers"),
        ("partition", "65536", "partition is not for writers"),
        ("headers", "'{'", "headers must be JSON"),
        ("payload", "42", "payload must be text or a blob"),
        ("max_attempts", "0", "at least 1"),
        ("source_stream", "'orders'", "together"),
        ("occurred_at", "'yesterday'", "cannot store TEXT value in INTEGER column"),
    ] {
        let columns = ["event_type", "aggregate_type", "aggregate_id", "payload"];
        let names: Vec<_> = columns.iter().filter(|name| **name != column).copied().chain([column]).collect();
        let values: Vec<_> = columns.iter().filter(|name| **name != column).map(|_| "'x'").chain([value]).collect();
        let insert = format!("INSERT INTO outbox ({}) VALUES ({})", names.join(", "), values.join(", "));
        let error = Error::from(application.execute(&insert, []).expect_err("it is refused"));
        assert_eq!(error.kind(), Kind::Invalid, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_repeated_id_is_left_out_quietly() -> Result<()> {
    let store = Store::new().await?;
    let message = order("1");
    let mut application = store.application()?;
    let transaction = application.transaction()?;
    let enqueued = Outbox::new().enqueue(&transaction, &[message.clone(), message])?;
    assert_eq!(enqueued, Enqueued { stored: 1, duplicates: 1 });
    Ok(())
}
