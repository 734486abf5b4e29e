//! `replay`, `discard` and `purge`

use posthaste::journal::ParkedState;

use crate::program::{Place, until};
use crate::scene::Worker;

fn with_a_dead_one() -> (Place, Worker, String) {
    let place = Place::migrated();
    let dead = place.enqueue("order/1", []);
    place.enqueue("order/1", []);
    let worker = Worker::at(&place);
    worker.fail("order/1", ParkedState::Dead, None);
    (place, worker, dead)
}

#[test]
fn replay_only_counts_unless_told_to_act() {
    let (place, _worker, dead) = with_a_dead_one();
    let answer = place.run(["replay", "--status", "dead"]).succeeds();
    assert_eq!(answer.stdout, "Would deliver again: 1 delivery.\n");
    assert_eq!(answer.stderr, "This was a dry run: --yes does it.\n");
    assert_eq!(place.json(["explain", &dead])["explanations"][0]["cause"], "dead");

    let answer = place.run(["replay", &dead, "--yes"]).succeeds();
    assert_eq!(answer.stdout, "To be delivered again: 1 delivery.\n");
    let delivery = &place.json(["show", &dead])["deliveries"][0];
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&"retrying".into(), &0.into()));
}

#[test]
fn replay_warns_when_newer_messages_of_the_key_were_delivered() {
    let place = Place::migrated();
    let old = place.enqueue("order/1", []);
    let new = place.enqueue("order/1", []);
    let relay = place.relay();
    relay.prints(&new);
    until("both are recorded", || place.json(["explain", &new])["explanations"][0]["cause"] == "delivered");
    let answer = place.run(["replay", &old]).succeeds();
    assert!(answer.stdout.contains("Out of order: for 1 of them, newer messages of the same key"), "{}", answer.stdout);
    let report = place.json(["replay", &old, "--yes"]);
    assert_eq!((&report["affected"], &report["overtaken"]), (&1.into(), &1.into()));
    until("it is printed again", || relay.printed().matches(&old).count() == 2);
    relay.stop();
}

#[test]
fn discard_gives_up_a_delivery_for_good() {
    let (place, _worker, dead) = with_a_dead_one();
    assert_eq!(place.json(["discard", &dead])["dry_run"], true);
    let answer = place.run(["discard", &dead, "--yes"]).succeeds();
    assert_eq!(answer.stdout, "Discarded: 1 delivery.\n");
    assert_eq!(place.json(["explain", &dead])["explanations"][0]["cause"], "discarded");
}

#[test]
fn a_paused_tenant_waits_and_everyone_can_see_who_paused_it() {
    let place = Place::migrated();
    let relay = place.relay();
    let first = place.enqueue("order/1", ["--tenant", "acme"]);
    relay.prints(&first);
    let name = place.json(["status"])["destinations"][0]["destination"].as_str().unwrap().to_owned();
    let answer = place.run(["pause", &name, "--tenant", "acme"]).succeeds();
    assert!(answer.stdout.contains(&format!("posthaste resume {name} --tenant acme")), "{}", answer.stdout);
    assert_eq!(place.json(["pause", &name, "--tenant", "acme"])["changed"], false);
    place.run(["pause", "nobody", "--tenant", "acme"]).ends_with(2);
    place.run(["pause", &name, "--tenant", ""]).ends_with(2);
    // What a worker took before it had heard of the pause is delivered.
    let mut paused = None;
    until("something waits", || {
        let id = place.enqueue("order/1", ["--tenant", "acme"]);
        until("it is delivered or waits", || {
            let status = place.json(["show", &id])["deliveries"][0]["status"].clone();
            paused = (status == "paused").then(|| id.clone());
            status != "pending"
        });
        paused.is_some()
    });
    let (paused, other) = (paused.unwrap(), place.enqueue("order/1", ["--tenant", "globex"]));
    relay.prints(&other);
    let says = format!("enant acme is paused at {name} since 2");
    let explained = place.run(["explain", &paused]).stdout;
    assert!(explained.contains(&says) && explained.contains(", by "), "{explained}");
    let listed = place.run(["list", "--status", "paused"]).succeeds();
    assert!(listed.stdout.contains(&paused) && listed.stderr.contains(&says), "{}{}", listed.stdout, listed.stderr);
    let status = place.run(["status"]);
    assert!(status.stdout.contains(&says) && status.code == 1, "{}", status.stdout);
    let audit = place.run(["audit"]).stdout;
    assert!(audit.contains("pause tenant") && audit.contains(&format!("acme at {name}")), "{audit}");
    assert_eq!(place.json(["show", &paused])["deliveries"][0]["attempts"], 0);
    place.run(["resume", &name, "--tenant", "acme"]).succeeds();
    relay.prints(&paused);
    place.run(["status"]).succeeds();
    relay.stop();
}

#[test]
fn an_operation_on_everything_must_be_spelled_out() {
    let place = Place::migrated();
    for operation in ["replay", "discard"] {
        let answer = place.run([operation, "--yes"]).ends_with(2);
        assert!(answer.stderr.contains("say which deliveries"), "{}", answer.stderr);
    }
}

#[test]
fn purge_removes_what_every_destination_has_settled() {
    let place = Place::migrated();
    let id = place.enqueue("order/1", []);
    let relay = place.relay();
    relay.prints(&id);
    relay.stop();
    let answer = place.run(["purge"]).succeeds();
    assert_eq!(answer.stdout, "Would remove 0 messages older than 7d that every destination has settled.\n");
    let answer = place.run(["purge", "--older-than", "0s"]).succeeds();
    assert_eq!(answer.stdout, "Would remove 1 message older than 0s that every destination has settled.\n");
    let answer = place.run(["purge", "--older-than", "0s", "--yes"]).succeeds();
    assert_eq!(answer.stdout, "Removed 1 message older than 0s.\n");
    place.run(["show", &id]).ends_with(1);
}
