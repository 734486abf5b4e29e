//! A worker that has nothing to do waits on the server: it hears at once of a message, costs little, and is in nobody's way.

use std::time::{Duration, Instant};

use posthaste::inspect::{Filter, Inspect, Mode, Operation};
use posthaste::journal::{Hint, Journal};
use posthaste::store::{Store, Watch};
use posthaste::stores::postgres::{Pooler, Postgres};
use posthaste::testkit::waiting::eventually;
use posthaste::{Message, Result};
use tokio::task::JoinSet;

use super::{InSchema, fresh};

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().expect("a valid message")
}

/// A store whose sessions can be told from those of others.
fn named(t: &InSchema, change: impl FnOnce(&mut posthaste::stores::postgres::Options)) -> Result<Postgres> {
    let mut options = t.options.clone();
    options.url = format!("{}?application_name={}", t.url, application(t)).into();
    change(&mut options);
    Postgres::open(options)
}

fn application(t: &InSchema) -> String {
    t.options.schema.replace(' ', "_")
}

/// The newest transaction that each session of this store which waits on the server still holds back a vacuum for.
async fn horizons(t: &InSchema) -> Result<Vec<i64>> {
    let sql = "SELECT coalesce(backend_xmin::text::bigint, 0) FROM pg_stat_activity
               WHERE application_name = $1 AND state = 'active' AND wait_event = 'PgSleep'";
    let rows = t.application().await.query(sql, &[&application(t)]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Waits for ever, as a worker does, until the set is dropped.
fn waiting(mut watch: Box<dyn Watch>) -> JoinSet<Result<()>> {
    let mut waiter = JoinSet::new();
    waiter.spawn(async move {
        loop {
            watch.wait(Duration::from_millis(150)).await?;
        }
    });
    waiter
}

async fn settle(t: &InSchema, watch: &mut dyn Watch) -> Result<()> {
    while watch.wait(Duration::from_millis(400)).await? == Hint::Maybe {
        watch.saw(t.store.advance().await?);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_asks_less_than_ten_times_a_second() -> Result<()> {
    let t = fresh().await;
    let mut watch = t.store.watch();
    settle(&t, &mut *watch).await?;
    let (before, started) = (t.store.queries(), Instant::now());
    for _ in 0..10 {
        assert_eq!(watch.wait(Duration::from_millis(150)).await?, Hint::Nothing);
    }
    let asked = t.store.queries() - before;
    assert!(asked as f64 <= 10.0 * started.elapsed().as_secs_f64() + 1.0, "{asked} questions");
    Ok(())
}

/// One question and its answer, and one that finds the message: no pause has to be over first.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_a_message_that_others_write() -> Result<()> {
    let t = fresh().await;
    let store = named(&t, |_| {})?;
    let mut watch = store.watch();
    let client = t.application().await;
    let mut took = Vec::new();
    for n in 0..20 {
        settle(&t, &mut *watch).await?;
        let (hint, written) = tokio::join!(watch.wait(Duration::from_secs(30)), async {
            eventually("it waits on the server", async || Ok(horizons(&t).await?.len() == 1)).await?;
            t.outbox().enqueue(&client, &[order(&n.to_string())]).await?;
            Ok::<_, posthaste::Error>(Instant::now())
        });
        assert_eq!(hint?, Hint::Maybe);
        took.push(written?.elapsed());
    }
    took.sort();
    println!("an idle worker hears of a commit within {:?} (median), {:?} (longest)", took[10], took[19]);
    Ok(())
}

/// Of a replay or a discard, which writes no message, in another process.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_what_an_operator_does_elsewhere() -> Result<()> {
    let t = fresh().await;
    let operator = named(&t, |_| {})?;
    let mut watch = t.store.watch();
    settle(&t, &mut *watch).await?;
    let all = Filter::default();
    let operation = operator.operate(Operation::Discard, &all, Mode::Apply);
    let (hint, operated) = tokio::join!(watch.wait(Duration::from_secs(30)), operation);
    operated?;
    assert_eq!(hint?, Hint::Maybe);
    Ok(())
}

/// The number was taken long before, and others after it.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_a_transaction_that_was_open_for_long() -> Result<()> {
    let t = fresh().await;
    let mut watch = t.store.watch();
    let mut application = t.application().await;
    let late = application.transaction().await?;
    t.outbox().enqueue(&late, &[order("late")]).await?;
    t.store.write(&[order("early")]).await?;
    settle(&t, &mut *watch).await?;
    let (hint, committed) = tokio::join!(watch.wait(Duration::from_secs(30)), late.commit());
    committed?;
    assert_eq!(hint?, Hint::Maybe);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_waits_keeps_no_vacuum_from_its_work() -> Result<()> {
    let t = fresh().await;
    let _waiter = waiting(named(&t, |_| {})?.watch());
    let client = t.application().await;
    let row = client.query_one("SELECT pg_current_xact_id()::text::bigint", &[]).await?;
    let now: i64 = row.get(0);
    // Its snapshots follow each other: soon one is newer than what was written when it began to wait.
    eventually("the horizon moves on", async || {
        client.query_one("SELECT pg_current_xact_id()::text", &[]).await?;
        Ok(horizons(&t).await?.iter().any(|xmin| *xmin > now))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_workers_of_a_process_one_waits_and_all_hear() -> Result<()> {
    let t = fresh().await;
    let store = named(&t, |options| options.connections = 2)?;
    let mut watches = [store.watch(), store.watch(), store.watch()];
    for watch in &mut watches {
        settle(&t, &mut **watch).await?;
    }
    let mut waiters: JoinSet<_> =
        watches.into_iter().map(|mut watch| async move { watch.wait(Duration::from_secs(30)).await }).collect();
    eventually("one of them waits", async || Ok(horizons(&t).await?.len() == 1)).await?;
    store.partitions().await?;
    t.store.write(&[order("1")]).await?;
    while let Some(heard) = waiters.join_next().await {
        assert_eq!(heard.expect("it does not panic")?, Hint::Maybe);
    }
    Ok(())
}

/// It would keep a connection of the server from others.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_behind_a_pooler_or_on_the_only_connection() -> Result<()> {
    let t = fresh().await;
    let pooled = named(&t, |options| options.pooler = Pooler::Transaction)?;
    let alone = named(&t, |options| options.connections = 1)?;
    for store in [pooled, alone] {
        let asked = store.queries();
        let _waiter = waiting(store.watch());
        eventually("it is idle", async || {
            assert_eq!(horizons(&t).await?, [0; 0]);
            Ok(store.queries() > asked + 20)
        })
        .await?;
    }
    Ok(())
}
