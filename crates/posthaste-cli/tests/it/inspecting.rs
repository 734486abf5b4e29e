//! `status`, `list`, `show`, `explain` and `history` on a journal with a dead message in it.

use std::time::Duration;

use posthaste::journal::{DestinationReport, ParkedState, WorkerReport};

use crate::program::Place;
use crate::scene::Worker;

/// `order/1` has a message that died and one that waits behind it; `order/2` is delivered.
fn with_a_dead_message() -> (Place, Worker, [String; 3]) {
    let place = Place::migrated();
    let ids = ["order/1", "order/1", "order/2"].map(|aggregate| place.enqueue(aggregate, []));
    let worker = Worker::at(&place);
    worker.fail("order/1", ParkedState::Dead, None);
    (place, worker, ids)
}

#[test]
fn status_counts_by_destination_and_says_what_needs_a_person() {
    let (place, _worker, _) = with_a_dead_message();
    let answer = place.run(["status"]).ends_with(1);
    let expected = "\
DESTINATION  PENDING  IN FLIGHT  RETRYING  WAITING  SCHEDULED  THROTTLED  PAUSED  AWAITING  REPLAY  DEAD  OLDEST  STATUS
crm                0          0         0        1          0          0       0         0       0     1       -  running

WORKER  PARTITIONS  STATUS
host-1          64  alive

Needs a person (3 messages kept):
  ✗ 1 delivery dead at crm, 1 message behind held keys  $ posthaste list --status dead --destination crm
";
    assert_eq!(answer.stdout, expected);
    let status = place.json(["status"]);
    assert_eq!(status["well"], false);
    assert_eq!(status["destinations"][0]["dead"], 1);
    assert_eq!(status["problems"][0]["destination"], "crm");
}

#[test]
fn explain_of_a_waiting_message_names_the_one_at_its_head() {
    let (place, _worker, [head, waiting, delivered]) = with_a_dead_message();
    let says = place.run(["explain", &waiting]).succeeds().stdout;
    assert!(says.contains(&format!("crm: Waits behind {head} of the same key, which is dead.")), "{says}");
    assert!(says.contains("failed: 422 Unprocessable: no such ·[31mcustomer"), "{says}");
    assert!(says.contains(&format!("$ posthaste discard {head} --destination crm --yes")), "{says}");
    assert_eq!(place.json(["explain", &head])["explanations"][0]["cause"], "dead");
    assert_eq!(place.json(["explain", &delivered])["explanations"][0]["cause"], "delivered");
}

#[test]
fn explain_of_an_outage_shows_the_worker_and_its_error() {
    let (place, worker, _) = with_a_dead_message();
    let crm = DestinationReport {
        name: "crm".into(),
        outage: Some("connection refused".into()),
        ..DestinationReport::default()
    };
    worker.report(&WorkerReport { destinations: vec![crm] });
    let fresh = place.enqueue("order/3", []);
    let says = place.run(["explain", &fresh]).succeeds().stdout;
    assert!(says.contains("crm: crm is out of reach.\n  · host-1 says: connection refused\n"), "{says}");
    let status = place.run(["status"]).ends_with(1).stdout;
    assert!(status.contains("✗ crm is out of reach: connection refused"), "{status}");
}

#[test]
fn show_has_the_timeline_and_what_is_next() {
    let (place, worker, [head, ..]) = with_a_dead_message();
    worker.fail("order/1", ParkedState::Retrying, Some(Duration::from_secs(600)));
    let shown = place.run(["show", &head]).succeeds().stdout;
    assert!(shown.contains("Attempts to crm\n    1  failed: 422 Unprocessable"), "{shown}");
    assert!(shown.contains("took 12 ms, host-1"), "{shown}");
    assert!(shown.contains("Next\ncrm: Attempt 2 failed; it is tried again at 2"), "{shown}");
    let shown = place.json(["show", &head]);
    assert_eq!(shown["deliveries"][0]["status"], "retrying");
    assert_eq!(shown["deliveries"][0]["timeline"].as_array().unwrap().len(), 2);
}

#[test]
fn list_filters() {
    let (place, _worker, [dead, waiting, delivered]) = with_a_dead_message();
    let ids = |args: &[&str]| {
        let all = ["list", "--json"].into_iter().chain(args.iter().copied());
        let rows = place.run(all).succeeds().json_lines();
        rows.into_iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), [&*dead, &waiting, &delivered]);
    assert_eq!(ids(&["--status", "dead"]), [&*dead]);
    assert_eq!(ids(&["--status", "dead", "--status", "waiting"]), [&*dead, &waiting]);
    assert_eq!(ids(&["--state", "dead"]), [&*dead], "the name it had before");
    assert_eq!(ids(&["--aggregate", "order/2"]), [&*delivered]);
    assert_eq!(ids(&["--key", "order/1"]), [&*dead, &waiting]);
    assert_eq!(ids(&["--event-type", "order.*", "--destination", "crm", "--since", "1h"]).len(), 3);
    assert_eq!(ids(&["--before", "1h"]), [""; 0]);
    assert_eq!(ids(&["--tenant", "acme"]), [""; 0]);
}

#[test]
fn a_long_list_says_how_to_go_on() {
    let (place, _worker, ids) = with_a_dead_message();
    let first = place.run(["list", "--limit", "2"]).succeeds();
    assert_eq!(first.stdout.lines().count(), 3);
    assert!(first.stderr.contains("There is more: --after 2 goes on"), "{}", first.stderr);
    let rest = place.run(["list", "--limit", "2", "--after", "2"]).succeeds();
    assert!(rest.stdout.contains(&ids[2]) && rest.stderr.is_empty(), "{}", rest.stdout);
}

#[test]
fn a_table_has_its_columns_in_line_and_no_foreign_control_characters() {
    let (place, _worker, _) = with_a_dead_message();
    let table = place.run(["list"]).succeeds().stdout;
    let (head, rows) = table.split_once('\n').unwrap();
    let column = head.find("STATUS").unwrap();
    for row in rows.lines() {
        let status = row[column..].split(' ').next().unwrap();
        assert!(["dead", "waiting", "delivered"].contains(&status), "{table}");
    }
    assert!(!table.contains('\u{1b}'), "{table}");
}

#[test]
fn colours_are_only_for_those_who_look_and_never_for_those_who_asked_for_none() {
    let (place, _worker, _) = with_a_dead_message();
    let is_painted = |variables: &[&str]| {
        let output = place.command().arg("list").envs(variables.iter().map(|name| (name, "1"))).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!is_painted(&[]), "a pipe");
    assert!(is_painted(&["CLICOLOR_FORCE"]), "asked for");
    assert!(!is_painted(&["NO_COLOR"]), "asked for none");
}

#[test]
fn what_does_not_exist_is_said_so_and_ends_with_one() {
    let place = Place::migrated();
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    for command in ["show", "explain"] {
        let answer = place.run([command, id]).ends_with(1);
        assert!(answer.stderr.contains(&format!("no message has the id {id}")), "{}", answer.stderr);
    }
    let answer = place.run(["history", "order/1"]).ends_with(1);
    assert!(answer.stderr.contains("No event of order/1 is kept"), "{}", answer.stderr);
    let answer = place.run(["list"]).succeeds();
    assert_eq!((&*answer.stdout, &*answer.stderr), ("", "Nothing matches.\n"));
    let answer = place.run(["list", "--status", "lost"]).ends_with(2);
    assert!(answer.stderr.contains("possible values: pending, delivered, waiting"), "{}", answer.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::migrated();
    let lines: String = (0..2_000)
        .map(|n| format!("{{\"event_type\":\"a.b\",\"aggregate_type\":\"a\",\"aggregate_id\":\"{n}\"}}\n"))
        .collect();
    place.write("many.jsonl", &lines);
    place.run(["enqueue", "--from-jsonl", "many.jsonl"]).succeeds();
    let mut child = place
        .command()
        .args(["list", "--limit", "2000", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
