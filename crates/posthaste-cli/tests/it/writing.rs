//! `enqueue`

use std::io::Write;
use std::process::Stdio;

use crate::program::{Answer, Place};

fn with_stdin(place: &Place, args: &[&str], input: &str) -> Answer {
    let mut child =
        place.command().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Answer::from(child.wait_with_output().unwrap())
}

#[test]
fn every_field_arrives() {
    let place = Place::migrated();
    let more = [
        "--key",
        "customer/7",
        "--content-type",
        "text/plain",
        "--payload",
        "hello",
        "--header",
        "a=1",
        "--header",
        "a=2=3",
        "--user",
        "ann",
        "--correlation-id",
        "c-1",
        "--due-at",
        "2099-01-01",
        "--to",
        "crm",
        "--max-attempts",
        "3",
        "--origin",
        "billing/invoices/17",
    ];
    let id = place.enqueue("order/a/b", more);
    let shown = place.json(["show", &id, "--payload"]);
    assert_eq!(shown["aggregate_id"], "a/b");
    assert_eq!(shown["key"], "customer/7");
    assert_eq!(shown["payload"], "hello");
    assert_eq!(shown["content_type"], "text/plain");
    assert_eq!(shown["headers"], serde_json::json!([["a", "1"], ["a", "2=3"]]));
    assert_eq!(shown["user"], "ann");
    assert_eq!(shown["correlation_id"], "c-1");
    assert_eq!(shown["due_at"], "2099-01-01T00:00:00Z");
    assert_eq!(shown["destination"], "crm");
    assert_eq!(shown["max_attempts"], 3);
    assert_eq!(shown["origin"], serde_json::json!({ "stream": "billing/invoices", "event": "17" }));
}

#[test]
fn payloads_and_header_values_are_shown_only_on_request() {
    let place = Place::migrated();
    let id = place.enqueue("order/1", ["--payload", "personal", "--header", "token=secret"]);
    for shown in [place.run(["show", &id]).succeeds().stdout, place.json(["show", &id]).to_string()] {
        assert!(!shown.contains("personal") && !shown.contains("secret"), "{shown}");
    }
}

#[test]
fn a_payload_can_come_from_stdin_and_from_a_file() {
    let place = Place::migrated();
    let args = ["enqueue", "--event-type", "a.b", "--aggregate", "a/1", "--payload", "-"];
    let id = with_stdin(&place, &args, "from stdin").succeeds().stdout;
    assert_eq!(place.json(["show", id.trim(), "--payload"])["payload"], "from stdin");
    std::fs::write(place.path("body.bin"), [0xff, 0x00]).unwrap();
    let id = place.enqueue("a/1", ["--payload", "@body.bin"]);
    assert_eq!(place.json(["show", &id, "--payload"])["payload_hex"], "ff00");
}

#[test]
fn many_messages_are_stored_in_one_transaction_or_not_at_all() {
    let place = Place::migrated();
    let line = |id: u32| {
        format!(r#"{{"event_type":"a.b","aggregate_type":"a","aggregate_id":"{id}","payload":{{"n":{id}}}}}"#)
    };
    let args = ["enqueue", "--from-jsonl", "-"];
    let bad = format!("{}\nnot json\n{}\n", line(1), r#"{"event_type":"a b","aggregate_type":"a","aggregate_id":""}"#);
    let answer = with_stdin(&place, &args, &bad).ends_with(2);
    assert!(answer.stderr.contains("nothing was stored: 2 bad lines"), "{}", answer.stderr);
    assert!(answer.stderr.contains("line 3: message refused: event_type may contain only"), "{}", answer.stderr);
    assert_eq!(place.json(["status"])["messages"], 0);
    let answer = with_stdin(&place, &args, &format!("{}\n{}\n", line(1), line(2))).succeeds();
    assert_eq!(answer.stdout.lines().count(), 2);
    assert_eq!(place.json(["status"])["messages"], 2);
}

#[test]
fn the_same_origin_is_stored_once() {
    let place = Place::migrated();
    let args = ["enqueue", "--event-type", "a.b", "--aggregate", "a/1", "--origin", "billing/17"];
    place.run(args).succeeds();
    let again = place.run(args).succeeds();
    assert_eq!(again.stdout, "");
    assert!(again.stderr.contains("Stored before, with the same origin: 1 message."), "{}", again.stderr);
    assert_eq!(place.json(args)["stored"], false);
    let before = ["enqueue", "--event-type", "a.b", "--aggregate", "a/1", "--source", "billing/17"];
    assert_eq!(place.json(before)["stored"], false, "the name it had before");
    assert_eq!(place.json(["status"])["messages"], 1);
}

#[test]
fn a_bad_message_names_everything_that_is_wrong_with_it() {
    let place = Place::migrated();
    let answer =
        place.run(["enqueue", "--event-type", "order paid", "--aggregate", "order/1", "--tenant", ""]).ends_with(2);
    assert!(answer.stderr.contains("event_type may contain only letters"), "{}", answer.stderr);
    assert!(answer.stderr.contains("tenant is empty"), "{}", answer.stderr);
    place.run(["enqueue", "--event-type", "order.paid"]).ends_with(2);
    place.run(["enqueue", "--event-type", "order.paid", "--aggregate", "order"]).ends_with(2);
}
