//! Being told: what the program writes to those who want to know, and to those who get what died.

use std::fmt::Write;
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::listener::{Heard, Listener};
use crate::program::{Place, Relay, until};

/// A destination at `crm`, someone who is told, and these settings.
fn place(crm: &str, ops: &Listener, settings: &str) -> Place {
    let place = Place::migrated();
    let mut config = String::from("log.level = 'debug'\n");
    for (name, address) in [("crm", crm), ("ops", ops.address.as_str())] {
        let url = format!("url = 'http://{address}/hooks'\nallow = ['127.0.0.1']");
        write!(config, "[destinations.{name}]\ntype = 'webhook'\n[destinations.{name}.webhook]\n{url}\n").unwrap();
    }
    write!(config, "[notify]\nto = 'ops'\ninterval = '200ms'\n{settings}\n").unwrap();
    place.write("posthaste.toml", &config);
    place
}

fn enqueue(place: &Place, orders: usize) {
    let order = |n| json!({ "event_type": "order.paid", "aggregate_type": "order", "aggregate_id": n, "payload": {} });
    let lines: Vec<_> = (0..orders).map(|n| order(n.to_string()).to_string()).collect();
    place.write("orders.jsonl", &lines.join("\n"));
    place.run(["enqueue", "--from-jsonl", "orders.jsonl"]).succeeds();
}

fn relay(place: &Place) -> Relay {
    Relay::start(place.command().stdout(Stdio::null()))
}

fn types(notices: &[Heard]) -> Vec<&str> {
    notices.iter().map(|notice| notice.header("posthaste-event-type").unwrap()).collect()
}

fn said(notice: &Heard) -> Value {
    serde_json::from_slice(&notice.body).unwrap()
}

#[test]
fn an_outage_of_100_000_messages_is_told_when_it_begins_and_when_it_is_over() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let crm = nobody.local_addr().unwrap().to_string();
    drop(nobody);
    let ops = Listener::answering(&["200 OK"]);
    let place = place(&crm, &ops, "outage_after = '1s'\nlag_over = '2s'");
    enqueue(&place, 100_000);
    let relay = relay(&place);
    until("the outage is told", || !ops.heard().is_empty());
    let began = said(&ops.heard()[0]);
    assert_eq!(
        (&began["kind"], &began["destination"], &began["severity"]),
        (&json!("outage"), &json!("crm"), &json!("error"))
    );
    assert!(began["text"].as_str().unwrap().starts_with("crm is out of reach, and 100000 deliveries wait"), "{began}");

    let endpoint = Listener::on(&crm, |_| "200 OK");
    until("its end is told", || ops.heard().len() > 1);
    until("deliveries go on", || endpoint.heard().len() > 3_000);
    relay.stop();
    assert_eq!(types(&ops.heard()), ["posthaste.outage.began", "posthaste.outage.over"]);
}

#[test]
fn of_several_relays_one_tells_and_after_a_restart_nobody_tells_again() {
    let (crm, ops) = (Listener::answering(&["422 Unprocessable"]), Listener::answering(&["200 OK"]));
    let place = place(&crm.address, &ops, "");
    place.enqueue("order/1", []);
    let relays = [relay(&place), relay(&place)];
    until("a death is told", || !ops.heard().is_empty());
    relays.into_iter().for_each(Relay::stop);
    let again = relay(&place);
    place.run(["discard", "--status", "dead", "--yes"]).succeeds();
    until("that nothing is dead any more is told", || ops.heard().len() > 1);
    again.stop();
    assert_eq!(types(&ops.heard()), ["posthaste.dead.began", "posthaste.dead.over"]);
    let over = said(&ops.heard()[1]);
    assert!(over["text"].as_str().unwrap().starts_with("no delivery is dead at crm any more"), "{over}");
}

#[test]
fn a_test_says_whether_notices_arrive() {
    let (crm, ops) = (Listener::answering(&["200 OK"]), Listener::answering(&["200 OK"]));
    let place = place(&crm.address, &ops, "");
    let alone = place.run(["notify", "--test", "--timeout", "100ms"]).ends_with(1);
    assert!(alone.stdout.contains("ops gets the test as soon as a worker runs"), "{}", alone.stdout);
    let relay = relay(&place);
    until("the first test arrives", || !ops.heard().is_empty());
    let answer = place.run(["notify", "--test"]).succeeds();
    assert_eq!(answer.stdout, "ops has the test\n");
    relay.stop();
    assert_eq!(types(&ops.heard()), ["posthaste.test", "posthaste.test"]);
    assert!(crm.heard().is_empty(), "nobody else is told");
}

#[test]
fn what_is_wrong_is_shown_with_who_is_told_and_what_helps() {
    let (crm, ops) = (Listener::answering(&["200 OK"]), Listener::answering(&["200 OK"]));
    let place = place(&crm.address, &ops, "quiet = { from = '00:00', to = '23:59' }");
    let relay = relay(&place);
    place.enqueue("order/1", []);
    until("a delivery is made", || !crm.heard().is_empty());
    assert_eq!(place.run(["notify"]).succeeds().stdout, "told: ops\nnothing is wrong, so nothing is told\n");
    place.run(["pause", "crm"]).succeeds();
    let shown = place.json(["notify"]);
    assert_eq!((&shown["to"], &shown["wrong"][0]["kind"]), (&json!(["ops"]), &json!("paused")));
    let text = place.run(["notify"]).succeeds().stdout;
    assert!(text.contains("warning  crm is paused") && text.contains("posthaste resume crm"), "{text}");
    relay.stop();

    let silent = Place::migrated();
    silent.write("posthaste.toml", "destinations.out.type = 'stdout'\n");
    let answer = silent.run(["notify"]).ends_with(2);
    assert!(answer.stderr.contains("nobody to tell"), "{}", answer.stderr);
}

#[test]
fn what_dies_is_delivered_to_the_destination_for_dead_letters() {
    let (crm, grave) = (Listener::answering(&["422 Unprocessable"]), Listener::answering(&["200 OK"]));
    let place = Place::migrated();
    let webhook =
        |address: &str| format!("type = 'webhook'\nwebhook = {{ url = 'http://{address}/', allow = ['127.0.0.1'] }}\n");
    let config = format!(
        "[destinations.crm]\ndead_letters_to = 'graveyard'\n{}[destinations.graveyard]\n{}",
        webhook(&crm.address),
        webhook(&grave.address)
    );
    place.write("posthaste.toml", &config);
    let id = place.enqueue("order/1", ["--payload", r#"{"total": 7}"#]);
    let relay = relay(&place);
    until("the letter arrives", || !grave.heard().is_empty());
    relay.stop();
    let heard = grave.heard();
    let [letter] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(said(letter), json!({ "total": 7 }));
    assert_eq!(letter.header("dead-letter-id"), Some(id.as_str()));
    assert_eq!(letter.header("dead-letter-destination"), Some("crm"));
    assert_eq!(letter.header("dead-letter-reason"), Some("rejected"));
    assert_eq!(letter.header("dead-letter-error"), Some("answered 422 Unprocessable Entity"));
    assert_eq!(place.json(["show", &id])["deliveries"][0]["status"], "dead", "it stays replayable");
    let wrong = place.path("posthaste.toml");
    std::fs::write(wrong, config.replace("'graveyard'", "'nowhere'")).unwrap();
    let refused = place.run(["check"]);
    assert!(
        refused.stdout.contains("destinations.crm.dead_letters_to")
            || refused.stderr.contains("destinations.crm.dead_letters_to")
    );
}
