//! `run`, `pause` and `resume`

use std::process::Stdio;

use crate::program::{Place, until};

#[test]
fn a_relay_delivers_what_is_written_while_it_runs_and_stops_on_sigterm() {
    let place = Place::migrated();
    let relay = place.relay();
    let id = place.enqueue("order/1", []);
    relay.prints(&id);
    let line = relay.printed();
    let printed: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(printed["id"], id.as_str());
    assert_eq!(place.json(["status"])["workers"][0]["alive"], true);
    relay.stop();
    let workers = place.json(["status"])["workers"].clone();
    assert!(workers.as_array().unwrap().iter().all(|worker| worker["alive"] == false), "{workers}");
}

#[test]
fn a_paused_destination_gets_nothing_until_it_is_resumed() {
    let place = Place::migrated();
    let relay = place.relay();
    relay.prints(&place.enqueue("order/1", []));
    relay.stop();
    let answer = place.run(["pause", "stdout"]).succeeds();
    assert_eq!(answer.stdout, "stdout is paused: its workers stop within seconds, until `posthaste resume stdout`.\n");
    assert_eq!(place.json(["pause", "stdout"])["changed"], false);
    let status = place.run(["status"]).ends_with(1).stdout;
    assert!(status.contains("✗ stdout is paused  $ posthaste resume stdout"), "{status}");

    let held = place.enqueue("order/2", []);
    let relay = place.relay();
    until("a worker is there", || place.json(["status"])["unheld_partitions"] == 0);
    assert_eq!(place.json(["explain", &held])["explanations"][0]["cause"], "paused");
    assert_eq!(relay.printed(), "");
    place.run(["resume", "stdout"]).succeeds();
    relay.prints(&held);
    relay.stop();
}

#[test]
fn pausing_what_does_not_exist_is_refused() {
    let place = Place::migrated();
    let relay = place.relay();
    until("the destination is known", || place.json(["status"])["destinations"][0]["destination"] == "stdout");
    let answer = place.run(["pause", "stdoud"]).ends_with(2);
    assert_eq!(answer.stderr, "error: no destination is called stdoud: the store knows stdout\n");
    relay.stop();
}

#[test]
fn logs_go_to_stderr_as_the_config_says() {
    let place = Place::migrated();
    place.write("posthaste.toml", "log.format = 'json'\ndestinations.out.type = 'stdout'\nrelay.worker = 'relay-7'");
    let relay = place.relay();
    until("something is logged", || relay.logged().contains("relay starts"));
    let logged = relay.logged();
    let line: serde_json::Value = serde_json::from_str(logged.lines().next().unwrap()).unwrap();
    assert_eq!(line["message"], "relay starts");
    assert_eq!(line["worker"], "relay-7");
    relay.stop();
}

#[test]
fn a_second_signal_ends_a_relay_that_cannot_finish() {
    let place = Place::migrated();
    let big = "x".repeat(500_000);
    place.write("big.txt", &big);
    place.enqueue("order/1", ["--payload", "@big.txt"]);
    // Nobody reads what it prints, so the message stays in flight.
    let relay = place.relay_printing_to(Stdio::piped());
    until("it is in flight", || place.json(["status"])["workers"][0]["report"]["destinations"][0]["in_flight"] == 1);
    relay.signal("TERM");
    until("the first signal is heard", || relay.logged().contains("told to stop"));
    relay.signal("INT");
    assert_eq!(relay.ended(), 130);
}
