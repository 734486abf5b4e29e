//! A death while a message is on its way.

use std::process::Stdio;

use crate::lives::{self, place_with_lease};
use crate::program::until;

#[test]
fn a_message_is_not_recorded_before_it_is_delivered_although_the_journal_goes_on_past_it() {
    let place = place_with_lease("1s");
    place.write("big.txt", &"x".repeat(500_000));
    let big = place.enqueue("order/1", ["--payload", "@big.txt"]);
    // Nobody reads what it prints, so the message stays in flight.
    let mut relay = place.relay_printing_to(Stdio::piped());
    until("it is in flight", || place.json(["status"])["workers"][0]["report"]["destinations"][0]["in_flight"] == 1);
    let later = place.enqueue("order/1", ["--due-in", "1h"]);
    let is_scheduled = || place.json(["show", &later])["deliveries"][0]["status"] == "scheduled";
    until("the journal has gone on past it", is_scheduled);
    assert!(lives::recorded(&place).is_empty());
    relay.signal("KILL");
    relay.end();

    let relay = place.relay();
    relay.prints(&big);
    relay.stop();
    assert!(lives::recorded(&place).contains(&big));
}
