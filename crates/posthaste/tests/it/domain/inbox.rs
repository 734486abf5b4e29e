use std::time::Duration;

use posthaste::domain::Inbox;
use posthaste::journal::Position;
use posthaste::message::{MessageId, OrderKey};
use rusqlite::Connection;

fn consumer() -> (Inbox, Connection) {
    let (inbox, db) = (Inbox::new("billing"), Connection::open_in_memory().unwrap());
    inbox.prepare_blocking(&db).unwrap();
    inbox.prepare_blocking(&db).unwrap();
    (inbox, db)
}

#[test]
fn a_message_is_seen_once_per_consumer_and_only_if_its_transaction_commits() {
    let (inbox, mut db) = consumer();
    let message = MessageId::generate();
    let tx = db.transaction().unwrap();
    assert!(inbox.once_blocking(&tx, message).unwrap());
    drop(tx);
    let tx = db.transaction().unwrap();
    assert!(inbox.once_blocking(&tx, message).unwrap());
    tx.commit().unwrap();
    let tx = db.transaction().unwrap();
    assert!(!inbox.once_blocking(&tx, message).unwrap());
    assert!(Inbox::new("mail").once_blocking(&tx, message).unwrap());
    inbox.forget_blocking(&tx, message).unwrap();
    assert!(inbox.once_blocking(&tx, message).unwrap());
}

#[test]
fn what_is_older_than_the_newest_of_its_key_is_dropped_on_request() {
    let (inbox, mut db) = consumer();
    let key = |tenant: &str| OrderKey { tenant: Some(tenant.into()), key: "order/1".into() };
    let tx = db.transaction().unwrap();
    let seen = |tenant, tick, seq| {
        inbox.once_in_order_blocking(&tx, MessageId::generate(), &key(tenant), Position { tick, seq }).unwrap()
    };
    assert!(seen("acme", 1, 9));
    assert!(!seen("acme", 1, 9));
    assert!(!seen("acme", 0, 99));
    assert!(seen("acme", 2, 1));
    assert!(seen("other", 1, 1));
}

/// Seen from a process whose clock is ten years ahead, the clock of this one is behind.
#[test]
fn a_mark_by_a_clock_that_is_far_behind_lives_as_long_as_those_of_others() {
    let (inbox, mut db) = consumer();
    let tx = db.transaction().unwrap();
    assert!(inbox.once_blocking(&tx, MessageId::generate()).unwrap());
    tx.execute("UPDATE inbox SET seen_at = seen_at + 315360000000", []).unwrap();
    assert!(inbox.once_blocking(&tx, MessageId::generate()).unwrap());
    let apart: i64 = tx.query_row("SELECT max(seen_at) - min(seen_at) FROM inbox", [], |row| row.get(0)).unwrap();
    assert_eq!(apart, 0);
}

#[test]
fn marks_expire_as_others_come() {
    let (inbox, mut db) = consumer();
    for retention in [Duration::from_secs(3600), Duration::ZERO] {
        let inbox = inbox.clone().retention(retention);
        for _ in 0..20 {
            let tx = db.transaction().unwrap();
            assert!(inbox.once_blocking(&tx, MessageId::generate()).unwrap());
            tx.commit().unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let kept: i64 = db.query_row("SELECT count(*) FROM inbox", [], |row| row.get(0)).unwrap();
    assert!(kept <= 2, "{kept} marks are left");
}
