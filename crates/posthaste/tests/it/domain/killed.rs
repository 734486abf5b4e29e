//! Transactional handlers, killed with `kill -9` again and again: every effect is there once.
//!
//! The test starts itself as another process, which runs the relay, and kills it after some progress. `POSTHASTE_KILLS=200` for more.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::domain::blocking::Transactional;
use posthaste::message::Message;
use posthaste::relay::Settings;
use posthaste::sink::Error;
use posthaste::sinks::handlers::Handlers;
use posthaste::stores::sqlite::{self, Options, Sqlite};
use posthaste::testkit::waiting::eventually;
use posthaste::{Relay, Result};
use rusqlite::{Connection, TransactionBehavior};

use crate::stores::sqlite::fresh;

const FILE: &str = "POSTHASTE_TEST_FILE";
const KILLS: i64 = 12;
/// Written before each kill, so that every process has something to do.
const EVENTS: i64 = 48;

#[tokio::test(flavor = "multi_thread")]
async fn effects_of_transactional_handlers_happen_exactly_once_whenever_the_process_is_killed() {
    let disk = fresh().await;
    let kills = std::env::var("POSTHASTE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let mut db = sqlite::connect(disk.file(), &Options::default()).unwrap();
    db.execute_batch(
        "CREATE TABLE effects (message TEXT); CREATE TABLE total (n INTEGER); INSERT INTO total VALUES (0)",
    )
    .unwrap();

    for kill in 1..=kills {
        write(&mut db);
        // Not the same moment each time, and always in the middle of the work.
        let wanted = effects(&db).0 + 1 + (kill * 7) % (EVENTS / 2);
        let mut relay = Process::start(&disk.file());
        reach("the relay makes progress", || effects(&db).0 >= wanted).await;
        relay.kill();
    }
    let _relay = Process::start(&disk.file());
    let events = kills * EVENTS;
    reach("all effects are there", || effects(&db).1 >= events).await;
    assert_eq!(effects(&db), (events, events), "(effects, messages with an effect)");
    let total: i64 = db.query_row("SELECT n FROM total", [], |row| row.get(0)).unwrap();
    assert_eq!(total, events);
}

fn write(db: &mut Connection) {
    let message = |n: i64| Message::builder("paid", "account", (n % 40).to_string()).build().unwrap();
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    sqlite::Outbox::new().enqueue(&tx, &(0..EVENTS).map(message).collect::<Vec<_>>()).unwrap();
    tx.commit().unwrap();
}

async fn reach(what: &str, reached: impl Fn() -> bool) {
    eventually(what, || async { Ok(reached()) }).await.unwrap();
}

/// How many effects there are, and of how many messages.
fn effects(db: &Connection) -> (i64, i64) {
    db.query_row("SELECT count(*), count(DISTINCT message) FROM effects", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
}

/// The relay in a process of its own.
struct Process(Child);

impl Process {
    fn start(file: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "domain::killed::the_process_that_is_killed", "--nocapture"]).env(FILE, file);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Does nothing unless it is started by the test above; then it runs until it is killed.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_that_is_killed() -> Result<()> {
    let Ok(file) = std::env::var(FILE) else { return Ok(()) };
    let effect = |tx: &rusqlite::Transaction<'_>, _: &_, message: &Message| {
        let write = || -> rusqlite::Result<()> {
            tx.execute("INSERT INTO effects (message) VALUES (?1)", [message.id.to_string()])?;
            tx.execute("UPDATE total SET n = n + 1", [])?;
            Ok(())
        };
        write().map_err(Error::retry)
    };
    let handler = Transactional::new("count", sqlite::connect(&file, &Options::default())?, effect)?;
    let handlers = Handlers::builder().on("*", handler).build()?;
    let settings = Settings { lease_ttl: Duration::from_millis(500), ..Settings::default() };
    let destination = Destination::new("app").max_in_flight(4).max_run(3);
    let store = Sqlite::open(&file, Options::default())?;
    let relay = Relay::builder(Arc::new(store)).settings(settings).destination(destination, Arc::new(handlers)).build();
    relay.run(std::future::pending()).await
}
