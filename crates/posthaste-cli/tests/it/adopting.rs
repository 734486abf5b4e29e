//! `adopt`: from a table that exists to a source that is read.

use crate::program::{Place, until};

const TABLE: &str = "CREATE TABLE outbox_events (id integer PRIMARY KEY, event_type text, aggregate_type text, aggregate_id text, \
    payload text, tenant_id text, status text DEFAULT 'PENDING', created_at text)";

/// A place with the database of an application, and so many rows in it.
pub fn with_a_table(rows: usize) -> Place {
    with_a_table_in("shop.db", rows)
}

/// The same in this file.
pub fn with_a_table_in(file: &str, rows: usize) -> Place {
    let place = Place::migrated();
    let shop = rusqlite::Connection::open(place.path(file)).unwrap();
    shop.pragma_update(None, "journal_mode", "WAL").unwrap();
    shop.execute_batch(TABLE).unwrap();
    for n in 1..=rows {
        let columns = "event_type, aggregate_type, aggregate_id, payload, tenant_id, created_at";
        let values = "'order.placed', 'order', ?1, '{\"n\":' || ?1 || '}', 'acme', '2026-11-02 03:04:05'";
        shop.execute(&format!("INSERT INTO outbox_events ({columns}) VALUES ({values})"), [n]).unwrap();
    }
    place
}

pub fn pending(place: &Place) -> i64 {
    let shop = rusqlite::Connection::open(place.path("shop.db")).unwrap();
    shop.query_row("SELECT count(*) FROM outbox_events WHERE status = 'PENDING'", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_table_is_recognised_and_shown_and_nothing_is_written_unless_asked() {
    let place = with_a_table(12);
    let before = std::fs::read_to_string(place.path("posthaste.toml")).unwrap();
    let answer = place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db"]).succeeds();
    for shown in
        ["preset `status`", "created_at", "10 messages of rows that are pending", "order/1", "acme", "{\"n\":1}"]
    {
        assert!(answer.stdout.contains(shown), "{shown}: {}", answer.stdout);
    }
    assert!(answer.stdout.contains("[sources.outbox_events.table]") && answer.stderr.contains("--write"));
    let widths: Vec<_> =
        answer.stdout.lines().filter(|line| line.contains("order.placed")).map(|line| line.find("acme")).collect();
    assert!(widths.len() == 10 && widths.iter().all(|width| *width == widths[0]), "{}", answer.stdout);
    assert_eq!(std::fs::read_to_string(place.path("posthaste.toml")).unwrap(), before);
    assert_eq!(pending(&place), 12);

    let json = place.json(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--limit", "3", "--source", "shop"]);
    assert_eq!((&json["preset"], &json["source"], &json["pending"]), (&"status".into(), &"shop".into(), &true.into()));
    assert_eq!((json["messages"].as_array().unwrap().len(), &json["columns"]["tenant"]), (3, &"tenant_id".into()));
    assert_eq!((&json["messages"][0]["key"], &json["written"]), (&"order/1".into(), &serde_json::Value::Null));
}

#[test]
fn what_was_adopted_is_read_and_marked_by_a_relay() {
    let place = with_a_table(5);
    place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--write"]).succeeds();
    let again = place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--write"]).ends_with(2);
    assert!(again.stderr.contains("--source"), "{}", again.stderr);
    place.run(["check"]).succeeds();
    let relay = place.relay();
    until("everything is marked", || pending(&place) == 0);
    drop(relay);
    let listed = place.run(["sources"]).succeeds().stdout;
    assert!(listed.contains("outbox_events"), "{listed}");
    let stored = place.json(["sources", "show", "outbox_events"]);
    assert_eq!((&stored["stored"], &stored["refused"]), (&5.into(), &0.into()));
}

#[test]
fn what_cannot_be_adopted_says_why() {
    let place = with_a_table(0);
    let wrong = place.run(["adopt", "missing", "--url", "sqlite:shop.db"]).ends_with(1).stderr;
    assert!(wrong.contains("no table `missing`"), "{wrong}");
    let wrong = place.run(["adopt", "outbox", "--url", "oracle://db"]).ends_with(2).stderr;
    assert!(wrong.contains("postgres://"), "{wrong}");
    let empty = place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db"]).succeeds().stdout;
    assert!(empty.contains("The table is empty"), "{empty}");
    let odd =
        place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--preset", "debezium"]).ends_with(2).stderr;
    assert!(odd.contains("it has id, event_type"), "{odd}");
}

#[test]
fn a_database_that_is_not_there_is_named_and_never_made() {
    let place = with_a_table(0);
    let wrong = place.run(["adopt", "outbox", "--url", "sqlite:shops.db"]).ends_with(3).stderr;
    let path = place.path("shops.db");
    assert!(wrong.contains(&format!("no such file {}", path.display())) && wrong.contains("sqlite:FILE"), "{wrong}");
    assert!(!path.exists());
    let wrong = place.run(["adopt", "outbox", "--url", "postgres://ann@127.0.0.1:1/shop"]).ends_with(3).stderr;
    assert!(wrong.contains("127.0.0.1:1"), "{wrong}");
    let wrong = place.run(["adopt", "outbox_sources", "--url", "sqlite:posthaste.db"]).ends_with(1).stderr;
    assert!(wrong.contains("no preset fits"), "{wrong}");
}

#[test]
fn a_table_that_is_away_is_a_few_lines_in_the_log() {
    let place = with_a_table(1);
    place.run(["adopt", "outbox_events", "--url", "sqlite:shop.db", "--write"]).succeeds();
    std::fs::rename(place.path("shop.db"), place.path("away.db")).unwrap();
    let relay = place.relay();
    until("it is reported", || place.run(["sources", "--json"]).stdout.contains("failing"));
    std::fs::rename(place.path("away.db"), place.path("shop.db")).unwrap();
    until("it says that all is well", || relay.logged().contains("reading goes on"));
    until("everything is marked", || pending(&place) == 0);
    let logged = relay.logged();
    for line in ["reading failed", "reading goes on"] {
        assert_eq!(logged.matches(line).count(), 1, "{line}: {logged}");
    }
    relay.stop();
}
