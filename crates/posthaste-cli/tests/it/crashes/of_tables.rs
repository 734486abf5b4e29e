//! The relay aborts just before, while and just after it stores rows of a table, and another one goes on. Where table and journal are in
//! the same database, a row is marked exactly if its message is stored, also right after the death.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use super::at_named_places::SIGABRT;
use crate::adopting::{pending, with_a_table, with_a_table_in};
use crate::program::{Place, Relay, until};

const ROWS: usize = 60;

fn relay(place: &Place, crash_point: &str) -> Relay {
    let mut program = place.command();
    program.env("POSTHASTE_RELAY__LEASE_TTL", "1s").env("POSTHASTE_SOURCES__OUTBOX_EVENTS__MAX_BATCH", "10");
    program.env("POSTHASTE_CRASH_POINT", crash_point);
    Relay::start(program.stdout(Stdio::null()))
}

/// `pending` counts the rows that are not marked, and sees whether what it looks at is as it should be.
fn die_at(place: &Place, crash_point: &str, pending: &dyn Fn() -> i64) {
    let mut dies = relay(place, crash_point);
    assert_eq!(dies.end().signal(), Some(SIGABRT), "{}", dies.logged());
    assert!(pending() > 0, "it died on its way");
    let relay = relay(place, "none");
    until("all are marked", || pending() == 0);
    let list = || place.run(["list", "--limit", "1000", "--json"]).succeeds().json_lines();
    // On MySQL a stored message is listed once it is numbered, a moment later.
    until("all are listed", || list().len() >= ROWS);
    relay.stop();
    let stored = list();
    let keys: Vec<String> = (1..=ROWS).map(|n| format!("order/{n}")).collect();
    assert_eq!(stored.iter().map(|row| row["key"].as_str().unwrap()).collect::<Vec<_>>(), keys);
}

#[test]
fn a_death_around_the_moment_rows_are_stored_neither_loses_nor_doubles_any() {
    std::thread::scope(|scope| {
        for crash_point in ["before_ingest:1", "within_ingest:2", "after_ingest:1", "after_ingest:3"] {
            scope.spawn(move || {
                let place = with_a_table(ROWS);
                place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--write"]).succeeds();
                die_at(&place, crash_point, &|| pending(&place));
            });
        }
    });
}

/// The rows that are pending and the messages, at one moment.
const BOTH: &str =
    "SELECT (SELECT count(*) FROM outbox_events WHERE status = 'PENDING'), (SELECT count(*) FROM outbox)";

fn together((pending, stored): (i64, i64)) -> i64 {
    assert_eq!(pending + stored, ROWS as i64, "a row is marked exactly if its message is stored");
    pending
}

#[test]
fn a_death_leaves_no_mark_without_its_message_in_the_same_sqlite_file() {
    std::thread::scope(|scope| {
        for crash_point in ["before_ingest:3", "within_ingest:1", "within_ingest:3", "after_ingest:1", "after_ingest:3"]
        {
            scope.spawn(move || {
                let place = with_a_table_in("posthaste.db", ROWS);
                place.run(["adopt", "outbox_events", "--url", "sqlite:./posthaste.db", "--write"]).succeeds();
                let file = rusqlite::Connection::open(place.path("posthaste.db")).unwrap();
                let look = || file.query_row(BOTH, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
                die_at(&place, crash_point, &|| together(look()));
            });
        }
    });
}

#[cfg(feature = "postgres")]
#[test]
fn a_death_leaves_no_mark_without_its_message_in_the_same_postgresql_database() {
    use crate::workers_on_postgres::InSchema;
    for crash_point in ["within_ingest:2", "after_ingest:2"] {
        let (place, journal) = InSchema::in_place(quiet_on);
        let table = "CREATE TABLE {schema}.outbox_events (id bigserial PRIMARY KEY, event_type text, aggregate_type text, \
             aggregate_id text, payload text, status text DEFAULT 'PENDING'); \
             INSERT INTO {schema}.outbox_events (event_type, aggregate_type, aggregate_id, payload) \
             SELECT 'order.placed', 'order', n, '{}' FROM generate_series(1, 60) n";
        journal.execute(table);
        let name = format!("{}.outbox_events", journal.schema());
        place.run(["adopt", &name, "--url", &InSchema::url(), "--write"]).succeeds();
        let sql = BOTH.replace("FROM outbox", "FROM {schema}.outbox");
        let look = || {
            let row = journal.query(&sql).remove(0);
            (row.get(0), row.get(1))
        };
        die_at(&place, crash_point, &|| together(look()));
    }
}

#[cfg(feature = "mysql")]
#[test]
fn a_death_leaves_no_mark_without_its_message_on_the_same_mysql_server() {
    use crate::workers_on_mysql::InDatabase;
    for (server, crash_point) in
        [("mariadb", "within_ingest:2"), ("mysql", "within_ingest:2"), ("mariadb", "after_ingest:2")]
    {
        let (place, mut journal) = InDatabase::in_place(server, quiet_on);
        journal.execute(
            "CREATE TABLE outbox_events (id bigint AUTO_INCREMENT PRIMARY KEY, event_type varchar(50), \
             aggregate_type varchar(50), aggregate_id varchar(50), payload text, status varchar(20) DEFAULT 'PENDING')",
        );
        for n in 1..=ROWS {
            journal.execute(&format!(
                "INSERT INTO outbox_events (event_type, aggregate_type, aggregate_id, payload) \
                 VALUES ('order.placed', 'order', '{n}', '{{}}')"
            ));
        }
        place.run(["adopt", "outbox_events", "--url", &journal.url(), "--write"]).succeeds();
        let journal = std::cell::RefCell::new(journal);
        die_at(&place, crash_point, &|| together(journal.borrow_mut().pair(BOTH)));
    }
}

/// A place with a journal in this store, whose messages go nowhere.
#[cfg(any(feature = "mysql", feature = "postgres"))]
fn quiet_on(store: &str) -> Place {
    let place = Place::empty();
    let destination = "destinations.out = { type = 'stdout', events = ['nothing.*'] }";
    place.write("posthaste.toml", &format!("store = {store}\n{destination}\n"));
    place.run(["migrate"]).succeeds();
    place
}
