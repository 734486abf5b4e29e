//! Writers that die before they commit.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Child, Stdio};

use crate::program::{Place, until};

const LINE: &str = r#"{"event_type":"order.paid","aggregate_type":"order","aggregate_id":"1","payload":{}}"#;

fn writer(place: &Place) -> Child {
    let mut command = place.command();
    command.args(["enqueue", "--from-jsonl", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn assert_nothing_but_what_comes_next(place: &Place) {
    assert_eq!(place.run(["list", "--json"]).succeeds().stdout, "");
    let id = place.enqueue("order/2", []);
    let relay = place.relay();
    relay.prints(&id);
    assert_eq!(relay.printed().lines().count(), 1);
    relay.stop();
}

#[test]
fn nothing_of_a_writer_that_was_killed_half_way_through_its_input_appears() {
    let place = Place::migrated();
    let mut writer = writer(&place);
    writer.stdin.as_mut().unwrap().write_all(format!("{LINE}\n{LINE}\n{}", &LINE[..20]).as_bytes()).unwrap();
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_nothing_but_what_comes_next(&place);
}

#[test]
fn nothing_of_a_transaction_whose_writer_was_killed_appears() {
    let place = Place::migrated();
    let log = place.path("posthaste.db-wal");
    let mut writer = writer(&place);
    let text = (0..40_000).fold(String::new(), |mut text, _| {
        writeln!(text, "{LINE}").unwrap();
        text
    });
    writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    // A transaction that outgrows SQLite's memory writes to the log long before it commits.
    until("the transaction is under way", || std::fs::metadata(&log).is_ok_and(|log| log.len() > 200_000));
    writer.kill().unwrap();
    let ended = writer.wait_with_output().unwrap();
    assert_eq!(ended.stdout, b"", "it was killed before it could say what it stored");
    assert_nothing_but_what_comes_next(&place);
}
