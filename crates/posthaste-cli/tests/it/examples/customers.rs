//! The example `customers`: domain events on SQLite, with replay and purge.

use super::{assert_printed, example, until_listed};
use crate::program::{Place, Relay, until};

const WELCOME: &str = "welcome ann@example.org (correlation signup-1)";

#[test]
fn customers_are_welcomed_again_by_a_replay_and_what_is_delivered_is_purged() {
    let place = Place::empty();
    place.write("posthaste.toml", "store.path = 'customers.db'\n");
    let service = Relay::in_program(example(&place, "customers").arg("customers.db"));
    service.prints(WELCOME);
    until_listed(&place, "delivered", 2);

    let history = place.run(["history", "customer/1", "--json"]).succeeds().json_lines();
    let types: Vec<_> = history.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["customer.created.v1", "customer.updated.v1"]);

    place.run(["replay", "--event-type", "customer.created.v1", "--yes"]).succeeds();
    until("the customer is welcomed again", || service.printed().matches(WELCOME).count() == 2);
    // The read model would have refused the customer a second time, and the event would be dead.
    until_listed(&place, "delivered", 2);
    service.signal("TERM");
    service.prints("stopped");
    assert_printed(&service, &["2 events are written", WELCOME, WELCOME, "stopped"]);

    place.run(["purge", "--older-than", "0s", "--yes"]).succeeds();
    until_listed(&place, "delivered", 0);
}
