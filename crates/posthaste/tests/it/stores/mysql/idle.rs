//! A worker that has nothing to do waits on the server: it hears at once of a message, costs little, and misses nothing.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use posthaste::journal::{Hint, Journal, Position};
use posthaste::store::{Store, Watch};
use posthaste::stores::mysql::Outbox;
use posthaste::testkit::waiting::{DEADLINE, eventually};
use posthaste::{Message, Result};

use super::{InDatabase, on};

const SERVERS: [&str; 2] = ["mariadb", "mysql"];

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().expect("a valid message")
}

/// Whether a session waits on the server in this database.
async fn waits(t: &InDatabase) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE = 'User sleep'";
    let found: Option<i64> = t.application().await.query_first(sql).await?;
    Ok(found == Some(1))
}

async fn settle(t: &InDatabase, watch: &mut dyn Watch) -> Result<()> {
    while watch.wait(Duration::from_millis(400)).await? == Hint::Maybe {
        watch.saw(t.store.advance().await?);
    }
    Ok(())
}

/// The newest position, as soon as a worker that only advances when its watch says so has one beyond this.
async fn after(t: &InDatabase, watch: &mut dyn Watch, seen: Position) -> Result<Position> {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < DEADLINE, "nothing new is found");
        if watch.wait(Duration::from_millis(150)).await? == Hint::Maybe {
            let newest = t.store.advance().await?;
            watch.saw(newest);
            if newest > seen {
                return Ok(newest);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_asks_less_than_ten_times_a_second() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        t.store.write(&[order("1")]).await?;
        let mut watch = t.store.watch();
        settle(&t, &mut *watch).await?;
        let (before, started) = (t.store.queries(), Instant::now());
        for _ in 0..10 {
            assert_eq!(watch.wait(Duration::from_millis(150)).await?, Hint::Nothing);
        }
        let asked = t.store.queries() - before;
        assert!(asked as f64 <= 10.0 * started.elapsed().as_secs_f64() + 1.0, "{asked} questions to {server}");
    }
    Ok(())
}

/// No pause has to be over first.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_a_message_that_others_write() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        let mut watch = t.store.watch();
        let mut client = t.application().await;
        let mut took = Vec::new();
        for n in 0..20 {
            settle(&t, &mut *watch).await?;
            let (hint, written) = tokio::join!(watch.wait(Duration::from_secs(30)), async {
                eventually("it waits on the server", async || waits(&t).await).await?;
                Outbox::new().enqueue(&mut client, &[order(&n.to_string())]).await?;
                Ok::<_, posthaste::Error>(Instant::now())
            });
            assert_eq!(hint?, Hint::Maybe);
            took.push(written?.elapsed());
        }
        took.sort();
        println!("{server}: an idle worker hears of a commit within {:?} (median), {:?} (longest)", took[10], took[19]);
    }
    Ok(())
}

/// Written long before its commit: before a message that was delivered since, and as the last one.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_transactions_that_were_open_for_long() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        let mut watch = t.store.watch();
        let (mut first, mut last) = (t.application().await, t.application().await);
        first.query_drop("BEGIN").await?;
        Outbox::new().enqueue(&mut first, &[order("first")]).await?;
        t.store.write(&[order("between")]).await?;
        last.query_drop("BEGIN").await?;
        Outbox::new().enqueue(&mut last, &[order("last")]).await?;
        let mut newest = t.store.advance().await?;
        for connection in [&mut first, &mut last] {
            watch.saw(newest);
            connection.query_drop("COMMIT").await?;
            newest = after(&t, &mut *watch, newest).await?;
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_workers_of_a_process_one_waits_and_all_hear() -> Result<()> {
    for server in SERVERS {
        let t = on(server).await;
        let mut watches = [t.store.watch(), t.store.watch(), t.store.watch()];
        for watch in &mut watches {
            settle(&t, &mut **watch).await?;
        }
        let each = watches.into_iter().map(|mut watch| async move { watch.wait(Duration::from_secs(30)).await });
        let mut waiters: tokio::task::JoinSet<_> = each.collect();
        eventually("one of them waits", async || waits(&t).await).await?;
        t.store.write(&[order("1")]).await?;
        while let Some(heard) = waiters.join_next().await {
            assert_eq!(heard.expect("it does not panic")?, Hint::Maybe);
        }
    }
    Ok(())
}
