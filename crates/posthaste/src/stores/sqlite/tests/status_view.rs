use super::*;
use crate::destination::Route;
use crate::inspect::{Filter, Inspect, Mode, Operation, Status};
use crate::journal::{Attempt, HeldKey, Park, ParkedState};
use crate::stores::sqlite::purge;
use crate::stores::values;

/// Writes events of one order and returns them at their places, with the lease of their partition.
async fn orders(store: &Store, count: usize) -> Result<(Vec<Entry>, Lease)> {
    let leases = store.serve("a").await?;
    store.write(&(0..count).map(|_| order("1")).collect::<Vec<_>>())?;
    let entries = store.entries().await?;
    let lease = leases.iter().find(|lease| lease.partition == entries[0].partition);
    Ok((entries, *lease.expect("all partitions are leased")))
}

fn park(entry: &Entry, state: ParkedState) -> Park {
    Park {
        position: entry.position,
        message: entry.message.id,
        key: entry.message.order_key(),
        state,
        holds: false,
        attempts: 3,
        suspicion: 0,
        due_in: Some(Duration::ZERO),
        error: Some("refused".into()),
        progress: None,
    }
}

fn column<T: rusqlite::types::FromSql>(store: &Store, sql: &str) -> Result<Vec<T>> {
    let application = store.application()?;
    let mut statement = application.prepare(sql)?;
    let values = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(values)
}

/// One event in every status: the first is settled, nine are parked, one waits, one is pending, the last is done already.
async fn of_every_status(store: &Store) -> Result<()> {
    let (entries, lease) = orders(store, 13).await?;
    let done = vec![entries[12].position];
    let held = HeldKey {
        key: entries[0].message.order_key().expect("it has a key"),
        after: entries[0].position,
        until: entries[10].position,
    };
    let commit = LaneCommit {
        cursor: Some(Cursor { low: entries[10].position, done }),
        park: entries[1..].iter().zip(ParkedState::ALL).map(|(entry, state)| park(entry, state)).collect(),
        hold: vec![held],
        ..moved("a", &lease, Position::START)
    };
    store.commit(&[commit]).await?;
    Ok(())
}

#[tokio::test]
async fn the_view_shows_every_status_in_plain_sql() -> Result<()> {
    let store = Store::new().await?;
    of_every_status(&store).await?;
    let expected = [
        Status::Delivered,
        Status::Retrying,
        Status::Scheduled,
        Status::Throttled,
        Status::Paused,
        Status::Awaiting,
        Status::Dead,
        Status::Replay,
        Status::Discarding,
        Status::Discarded,
        Status::Waiting,
        Status::Pending,
        Status::Delivered,
    ];
    let shown: Vec<String> = column(&store, "SELECT status FROM outbox_status ORDER BY seq")?;
    assert_eq!(shown, expected.map(Status::as_str), "what is done beyond the cursor included");
    let dead: Vec<String> = column(
        &store,
        "SELECT destination || ' ' || attempts || ' ' || last_error || ' ' || worker || ' ' || (due_at IS NULL)
         FROM outbox_status WHERE status = 'dead'",
    )?;
    assert_eq!(dead, ["a 3 refused w 1"]);
    Ok(())
}

#[tokio::test]
async fn the_overview_counts_what_the_view_shows() -> Result<()> {
    let store = Store::new().await?;
    of_every_status(&store).await?;
    let routed = Destination::new("b").route(Route::matching(["order.*", "*.created", "x"]));
    store.register(&[Destination::new("a"), routed, Destination::new("c").route(Route::named_only())]).await?;
    let named = |name: &str| Message::builder("order.created", "order", "2").destination(name).build().expect("valid");
    let other = Message::builder("invoice.sent", "order", "1").build().expect("valid");
    store.write(&[named("a"), named("c"), named("nobody"), other])?;
    for counts in store.overview().await?.destinations {
        let count = |status: &str| -> Result<u64> {
            let sql = "SELECT count(*) FROM outbox_status WHERE destination = ?1 AND status = ?2";
            Ok(store.application()?.query_row(sql, (&counts.destination, status), |row| row.get(0))?)
        };
        let counted = [
            ("pending", counts.pending),
            ("waiting", counts.waiting),
            ("retrying", counts.retrying),
            ("scheduled", counts.scheduled),
            ("throttled", counts.throttled),
            ("paused", counts.paused_deliveries),
            ("awaiting", counts.awaiting),
            ("dead", counts.dead),
            ("replay", counts.replay),
        ];
        for (status, counted) in counted {
            assert_eq!(counted, count(status)?, "{status} at {}", counts.destination);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_delivery_is_timed_by_the_mark_that_follows_it() -> Result<()> {
    let store = Store::new().await?;
    let (entries, lease) = orders(&store, 3).await?;
    let started = crate::clock::now().as_millisecond();
    store.commit(&[moved("a", &lease, entries[0].position)]).await?;
    // The first was delivered a minute ago, and the mark before is older still.
    let past = "UPDATE outbox_cursors SET updated_at = updated_at - 60000, marked_at = marked_at - 120000";
    store.application()?.execute(past, [])?;
    store.commit(&[moved("a", &lease, entries[1].position)]).await?;
    store.commit(&[moved("a", &lease, entries[2].position)]).await?;
    let ages: Vec<i64> = column(&store, "SELECT delivered_at FROM outbox_status ORDER BY seq")?;
    let ages: Vec<i64> = ages.iter().map(|at| at - started).collect();
    assert!((-60_000..-50_000).contains(&ages[0]), "{ages:?}");
    assert!((0..10_000).contains(&ages[1]) && (0..10_000).contains(&ages[2]), "{ages:?}");
    let workers: Vec<String> = column(&store, "SELECT DISTINCT worker FROM outbox_status")?;
    assert_eq!(workers, ["w"]);
    Ok(())
}

#[tokio::test]
async fn marks_are_few_and_go_with_the_messages() -> Result<()> {
    let store = Store::new().await?;
    let (entries, lease) = orders(&store, 5).await?;
    for entry in &entries {
        store.commit(&[moved("a", &lease, entry.position)]).await?;
    }
    let marks = "SELECT count(*) FROM outbox_marks";
    assert_eq!(column::<i64>(&store, marks)?, [0], "ten seconds have not passed");
    store.application()?.execute("UPDATE outbox_cursors SET marked_at = 0", [])?;
    store.commit(&[moved("a", &lease, entries[4].position)]).await?;
    assert_eq!(column::<i64>(&store, marks)?, [1]);
    store.write(&[order("2")])?;
    assert_eq!(store.purge(Duration::ZERO, 100).await?.messages, 5);
    assert_eq!(column::<i64>(&store, marks)?, [0]);
    Ok(())
}

#[tokio::test]
async fn a_success_after_failures_is_timed_by_itself() -> Result<()> {
    let store = Store::new().await?;
    let (entries, lease) = orders(&store, 1).await?;
    store.commit(&[moved("a", &lease, entries[0].position)]).await?;
    store.application()?.execute("UPDATE outbox_cursors SET updated_at = 0, worker = 'before'", [])?;
    let success = Attempt { position: entries[0].position, number: 2, error: None, took: Duration::ZERO, reply: None };
    store
        .commit(&[LaneCommit { cursor: None, attempts: vec![success], ..moved("a", &lease, Position::START) }])
        .await?;
    assert!(column::<i64>(&store, "SELECT delivered_at FROM outbox_status")?[0] > 0);
    assert_eq!(column::<String>(&store, "SELECT worker FROM outbox_status")?, ["w"]);
    Ok(())
}

/// A purge finds what may go and removes it later, in steps.
#[tokio::test]
async fn what_is_replayed_while_a_purge_is_under_way_is_kept() -> Result<()> {
    let store = Store::new().await?;
    let (entries, lease) = orders(&store, 2).await?;
    store.commit(&[moved("a", &lease, entries[1].position)]).await?;
    let found: Vec<i64> = entries.iter().map(|entry| values::seq(entry.position)).collect();
    let first = Filter { ids: vec![entries[0].message.id], ..Filter::default() };
    store.operate(Operation::Replay, &first, Mode::Apply).await?;
    let removed = store.sqlite.writing(move |transaction| purge::remove(transaction, &found)).await?;
    assert_eq!(removed, 1);
    assert_eq!(store.messages().await?[0].id, entries[0].message.id);
    Ok(())
}
