//! Messages whose numbers are in another order than their commits, and positions that jump.

use mysql_async::prelude::Queryable;
use posthaste::journal::{Entry, HeldKey, Journal, Position, ReadRequest};
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Outbox};
use posthaste::{Message, Result};

use super::{InDatabase, on};

const SERVERS: [&str; 2] = ["mariadb", "mysql"];

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().expect("a valid message")
}

/// Everything after a position, read in pages of this many.
async fn all_after(store: &MySql, after: Position, limit: usize) -> Result<Vec<Entry>> {
    let partitions = (0..store.partitions().await?).map(posthaste::journal::Partition::new).collect();
    let mut request = ReadRequest { partitions, after, until: Position::END, limit, max_bytes: usize::MAX };
    let (newest, mut entries) = (store.advance().await?, Vec::new());
    while request.after < newest {
        let batch = store.read(&request).await?;
        entries.extend(batch.entries);
        request.after = batch.upto;
    }
    Ok(entries)
}

/// Transactions that write orders in turn and commit in another order: one has many of the key that is asked for, and commits late.
async fn disordered(t: &InDatabase) -> Result<()> {
    let mut open = [t.application().await, t.application().await, t.application().await];
    for connection in &mut open {
        connection.query_drop("BEGIN").await?;
    }
    for n in 0..40 {
        let keys = ["held", &format!("other-{n}"), if n % 3 == 0 { "held" } else { "another" }];
        for (connection, key) in open.iter_mut().zip(keys) {
            Outbox::new().enqueue(connection, &[order(key)]).await?;
        }
    }
    for connection in open.iter_mut().rev() {
        t.store.write(&[order("held"), order("between")]).await?;
        t.store.advance().await?;
        connection.query_drop("COMMIT").await?;
        t.store.advance().await?;
    }
    t.store.write(&[order("held")]).await?;
    t.store.advance().await.map(drop)
}

/// What waits behind a key, read in pages of this many.
async fn waiting(store: &MySql, first: &Entry, until: Position, limit: usize) -> Result<Vec<Position>> {
    let key = first.message.order_key().expect("it has a key");
    let mut held = HeldKey { key, after: Position::START, until };
    let mut positions: Vec<Position> = Vec::new();
    while held.after < held.until {
        let page = store.read_key(&"a".into(), first.partition, &held, limit).await?;
        assert!(page.upto > held.after && page.entries.len() <= limit, "it gets on, by no more than the limit");
        positions.extend(page.entries.iter().map(|entry| entry.position));
        held.after = page.upto;
    }
    Ok(positions)
}

pub(super) async fn what_waits_is_read_in_order(server: &str) -> Result<()> {
    let t = on(server).await;
    disordered(&t).await?;
    let entries = all_after(&t.store, Position::START, 1_000).await?;
    let of_key: Vec<&Entry> = entries.iter().filter(|entry| entry.message.aggregate_id == "held").collect();
    let expected: Vec<Position> = of_key.iter().map(|entry| entry.position).collect();
    assert_eq!(expected.len(), 40 + 14 + 4);
    for limit in [1, 3, 7, 58, 100] {
        let until = t.store.advance().await?;
        assert_eq!(waiting(&t.store, of_key[0], until, limit).await?, expected, "{limit} at a time on {server}");
        let some = waiting(&t.store, of_key[0], expected[20], limit).await?;
        assert_eq!(some, expected[..=20], "up to a position, {limit} at a time on {server}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_a_key_is_read_in_order_in_pages_of_any_size_however_it_was_committed() -> Result<()> {
    for server in SERVERS {
        what_waits_is_read_in_order(server).await?;
    }
    Ok(())
}

/// As many ranges as one read looks at, behind a jump: the range before it is found too, and is none of them.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_after_a_jump_of_positions_passes_over_nothing() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        t.store.write(&[order("before")]).await?;
        let before = t.store.advance().await?;
        let mut client = t.application().await;
        client.query_drop("UPDATE outbox_state SET server = 'another one'").await?;
        for n in 0..100 {
            for end in ["ROLLBACK", "COMMIT"] {
                client.query_drop("BEGIN").await?;
                Outbox::new().enqueue(&mut client, &[order(&n.to_string())]).await?;
                client.query_drop(end).await?;
            }
        }
        assert_eq!(all_after(&t.store, before, 1_000).await?.len(), 100, "on {server}");
    }
    Ok(())
}
