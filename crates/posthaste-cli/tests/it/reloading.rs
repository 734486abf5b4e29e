//! SIGHUP: the config is read again.

use crate::program::{Place, until};

#[test]
fn routes_and_log_level_change_and_what_needs_a_restart_is_named() {
    let place = Place::migrated();
    place.write("posthaste.toml", "[destinations.out]\ntype = 'stdout'\nevents = ['nothing.*']");
    let relay = place.relay();
    until("it runs", || place.json(["status"])["unheld_partitions"] == 0);
    let text = "log.level = 'debug'\nstore.partitions = 8\n[destinations.out]\ntype = 'stdout'\nevents = ['order.*']";
    place.write("posthaste.toml", text);
    relay.signal("HUP");
    relay.prints(&place.enqueue("order/2", []));
    let logged = relay.logged();
    assert!(logged.contains("what needs a restart of the program: store"), "{logged}");
    until("more is logged", || relay.logged().contains("OUTBOX_DELIVER") && relay.logged().contains("SENT"));
    relay.stop();
}

#[test]
fn a_config_that_cannot_be_used_changes_nothing() {
    let place = Place::migrated();
    let relay = place.relay();
    relay.prints(&place.enqueue("order/1", []));
    let good = std::fs::read_to_string(place.path("posthaste.toml")).unwrap();
    place.write("posthaste.toml", "[destinations.stdout]\ntype = 'stdot'");
    relay.signal("HUP");
    until("it says so", || relay.logged().contains("nothing was changed") && relay.logged().contains("stdot"));
    place.write("posthaste.toml", &good);
    relay.prints(&place.enqueue("order/2", []));
    relay.stop();
}
