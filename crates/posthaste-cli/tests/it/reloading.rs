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

#[cfg(feature = "webhook")]
#[test]
fn policies_and_limits_change_without_a_restart() {
    use crate::listener::Listener;
    let endpoint = Listener::answering(&["503 Service Unavailable"]);
    let place = Place::migrated();
    let config = |settings: &str| {
        let config = format!(
            "[destinations.crm]\ntype = 'webhook'\n{settings}\n\
             [destinations.crm.webhook]\nurl = 'http://{}/'\nallow = ['127.0.0.1']\n",
            endpoint.address
        );
        place.write("posthaste.toml", &config);
    };
    let dead = || place.json(["status"])["destinations"][0]["dead"].as_u64();
    // Once an hour, but for the first one.
    config("rate = { per_second = 0.0003, burst = 1 }\nbackoff = { type = 'list', delays = ['10ms'] }");
    let relay = place.relay();
    place.enqueue("order/1", []);
    until("the first attempt was made", || endpoint.heard().len() == 1);

    config("max_attempts = 3\nbackoff = { type = 'list', delays = ['10ms'] }");
    relay.signal("HUP");
    until("the limit is gone, and the new number of attempts counts", || dead() == Some(1));
    assert_eq!(endpoint.heard().len(), 3);
    relay.stop();
}
