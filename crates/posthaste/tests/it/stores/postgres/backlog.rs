//! A backlog of very many is not read message by message: a look at the whole store stays cheap, and says that its numbers are about right.

use std::collections::HashSet;

use deadpool_postgres::Object;
use posthaste::destination::Route;
use posthaste::inspect::{DestinationCounts, Filter, Inspect, Page, Status};
use posthaste::journal::{Journal, Position};
use posthaste::message::MessageId;
use posthaste::{Destination, Result};

use super::plans::{file, lines, statement, work};
use super::{InSchema, fresh};

const MESSAGES: u64 = 60_000;
const HELD: u64 = 3_000;

/// Half of the messages are invoices, and nobody delivers; each of the first orders is held at `invoices`, with one message behind it.
async fn backlog() -> Result<(InSchema, Object)> {
    let t = fresh().await;
    let invoices = Destination::new("invoices").route(Route::matching(["invoice.*"]));
    t.store.register(&[Destination::new("all"), invoices]).await?;
    let client = t.application().await;
    let session = file("connection/session.sql").replace("{schema}", &format!("\"{}\"", t.options.schema));
    client.batch_execute(&session).await?;
    let fill = format!(
        "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload)
         SELECT CASE n % 2 WHEN 0 THEN 'invoice.sent' ELSE 'order.placed' END, 'order', (n / 2)::text, '{{}}'
         FROM generate_series(0, {MESSAGES} - 1) AS n"
    );
    client.batch_execute(&fill).await?;
    t.store.advance().await?;
    Ok((t, client))
}

/// Keys whose messages up to the newest tick wait.
async fn hold(client: &Object) -> Result<()> {
    let hold = format!(
        "INSERT INTO outbox_held_keys SELECT 'invoices', 'order/' || k, '', 0, 0, 0, t.n, t.end_seq
         FROM generate_series(0, {HELD} - 1) AS k CROSS JOIN (SELECT n, end_seq FROM outbox_ticks ORDER BY n DESC LIMIT 1) AS t"
    );
    Ok(client.batch_execute(&hold).await?)
}

async fn counts(t: &InSchema) -> Result<(DestinationCounts, DestinationCounts)> {
    let overview = t.store.overview().await?;
    let of = |name: &str| overview.destinations.iter().find(|one| one.destination == name).cloned();
    Ok((of("all").expect("it is registered"), of("invoices").expect("it is registered")))
}

/// Which message at which destination, page by page.
async fn read_all(t: &InSchema, filter: &Filter, mut page: Page) -> Result<Vec<(MessageId, Option<String>)>> {
    let mut found = Vec::new();
    loop {
        let listing = t.store.list(filter, page).await?;
        found.extend(listing.rows.into_iter().map(|row| (row.id, row.destination)));
        let Some(next) = listing.next else { return Ok(found) };
        page.beyond = next;
    }
}

/// Within a twentieth of it.
fn is_about(counted: u64, expected: u64) -> bool {
    counted.abs_diff(expected) <= expected / 20
}

#[tokio::test(flavor = "multi_thread")]
async fn very_many_pending_messages_are_estimated_by_destination() -> Result<()> {
    let (t, _) = backlog().await?;
    let (all, invoices) = counts(&t).await?;
    assert!(all.estimated && invoices.estimated, "so many are not read one by one");
    assert!(is_about(all.pending, MESSAGES), "{all:?}");
    assert!(is_about(invoices.pending, MESSAGES / 2), "{invoices:?}");
    assert!(invoices.oldest_pending_seconds.is_some());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_very_many_keys_is_estimated() -> Result<()> {
    let (t, client) = backlog().await?;
    hold(&client).await?;
    let (_, invoices) = counts(&t).await?;
    assert_eq!((invoices.held_keys, invoices.estimated), (HELD, true));
    assert!(is_about(invoices.waiting, HELD), "{invoices:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_very_many_keys_is_listed_completely_from_both_ends() -> Result<()> {
    let (t, client) = backlog().await?;
    hold(&client).await?;
    let waiting = Filter { statuses: vec![Status::Waiting], ..Filter::default() };
    for page in [Page::after(Position::START, 1_000), Page::before(Position::END, 1_000)] {
        let found = read_all(&t, &waiting, page).await?;
        let unique: HashSet<_> = found.iter().collect();
        assert_eq!((found.len() as u64, unique.len() as u64), (HELD, HELD));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_several_states_leaves_nothing_out() -> Result<()> {
    let (t, client) = backlog().await?;
    // One state is denser than the other, and one of them has two deliveries of each message.
    let park = "INSERT INTO outbox_parked (seq, destination, tick, partition, tenant, state, holds, attempts, kills)
         SELECT o.seq, d.name, 1, o.partition, '', CASE WHEN o.seq % 6 = 0 THEN 'dead' ELSE 'retrying' END, false, 1, 0
         FROM outbox AS o CROSS JOIN outbox_destinations AS d
         WHERE o.event_type LIKE 'invoice.%' AND (o.seq % 6 = 0 OR d.name = 'all') AND o.seq <= 12000";
    let parked = client.execute(park, &[]).await?;
    let failed = Filter { statuses: vec![Status::Dead, Status::Retrying], ..Filter::default() };
    for page in [Page::after(Position::START, 700), Page::before(Position::END, 700)] {
        let found = read_all(&t, &failed, page).await?;
        let unique: HashSet<_> = found.iter().collect();
        assert_eq!((found.len() as u64, unique.len() as u64), (parked, parked));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_at_a_large_backlog_reads_only_a_part_of_it() -> Result<()> {
    let (_t, client) = backlog().await?;
    hold(&client).await?;
    client.batch_execute("ANALYZE outbox").await?;
    for (name, types, values, hashed, most) in [
        ("overview/pending.sql", "(bigint)", "(2000)", "on", 4.0 * 2_000.0),
        ("overview/waiting.sql", "(bigint, bigint)", "(100, 1000)", "off", 2_000.0),
        ("list/by_waiting.sql", "(bigint, bigint)", "(0, 50)", "off", 5_000.0),
        ("list/by_state.sql", "(bigint, bigint, text[], text)", "(0, 50, '{dead,retrying}', NULL)", "off", 100.0),
    ] {
        let prepare = format!("SET enable_hashjoin = {hashed}; PREPARE subject{types} AS {}", statement(name));
        client.batch_execute(&prepare).await?;
        let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE subject{values}");
        let plan = lines(&client, &explain).await;
        client.batch_execute("DEALLOCATE subject").await?;
        assert!(work(&plan) <= most, "{name}:\n{}", plan.join("\n"));
    }
    Ok(())
}
