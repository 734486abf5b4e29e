//! The relay aborts just before and just after it has stored rows of a table, and another one goes on.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use super::at_named_places::SIGABRT;
use crate::adopting::{pending, with_a_table};
use crate::program::{Relay, until};

const ROWS: usize = 60;

fn die_at(crash_point: &str) {
    let place = with_a_table(ROWS);
    place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--write"]).succeeds();
    let relay = |crash_point| {
        let mut program = place.command();
        program.env("POSTHASTE_RELAY__LEASE_TTL", "1s").env("POSTHASTE_SOURCES__OUTBOX_EVENTS__MAX_BATCH", "10");
        program.env("POSTHASTE_CRASH_POINT", crash_point);
        Relay::start(program.stdout(Stdio::null()))
    };
    let mut dies = relay(crash_point);
    assert_eq!(dies.end().signal(), Some(SIGABRT), "{}", dies.logged());
    assert!(pending(&place) > 0, "it died on its way");
    let relay = relay("none");
    until("all are marked", || pending(&place) == 0);
    relay.stop();
    let stored = place.run(["list", "--limit", "1000", "--json"]).succeeds().json_lines();
    let keys: Vec<String> = (1..=ROWS).map(|n| format!("order/{n}")).collect();
    assert_eq!(stored.iter().map(|row| row["key"].as_str().unwrap()).collect::<Vec<_>>(), keys);
}

#[test]
fn a_death_around_the_moment_rows_are_stored_neither_loses_nor_doubles_any() {
    std::thread::scope(|scope| {
        for crash_point in ["before_ingest:1", "before_ingest:3", "after_ingest:1", "after_ingest:3"] {
            scope.spawn(move || die_at(crash_point));
        }
    });
}
