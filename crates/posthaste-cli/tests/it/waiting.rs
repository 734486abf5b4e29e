//! A database that is not there: waited for by a relay, named by everything else.

use crate::http::ask;
use crate::program::{Place, until};
use crate::servers::{Private, block_on};

/// Nobody listens here.
const NOWHERE: &str = "postgres://zoe:s3cret@127.0.0.1:1/shop";

fn config(url: &str) -> String {
    format!(
        "store = {{ type = 'postgres', url = '{url}' }}\nhttp.bind = '127.0.0.1:0'\ndestinations.out.type = 'stdout'\n"
    )
}

#[test]
fn a_relay_waits_for_a_database_that_comes_later_and_is_alive_but_not_ready_meanwhile() {
    let mut server = block_on(Private::start("postgres"));
    let place = Place::empty();
    place.write("posthaste.toml", &config(&format!("postgres://postgres@{}/postgres", server.address())));
    place.run(["migrate"]).succeeds();
    let id = place.enqueue("order/1", []);
    server.kill();

    let relay = place.relay();
    until("it says that it waits", || relay.logged().contains("waiting for it"));
    assert!(relay.logged().contains(&server.address()), "{}", relay.logged());
    assert_eq!(ask(&relay, "GET", "/livez", "").0, 200);
    let (status, body) = ask(&relay, "GET", "/readyz", "");
    assert!(status == 503 && body.contains("the store does not answer"), "{status} {body}");

    block_on(server.restart());
    relay.prints(&id);
    until("it is ready", || ask(&relay, "GET", "/readyz", "").0 == 200);
    relay.stop();
}

/// A dozen requests fail every second meanwhile.
#[test]
fn an_outage_of_the_database_is_a_few_lines_in_the_log() {
    let mut server = block_on(Private::start("postgres"));
    let place = Place::empty();
    let url = format!("postgres://postgres@{}/postgres", server.address());
    place.write("posthaste.toml", &format!("{}relay.lease_ttl = '1s'\n", config(&url)));
    place.run(["migrate"]).succeeds();
    let relay = place.relay();
    relay.prints(&place.enqueue("order/1", []));
    server.kill();
    until("it has noticed, and its leases are gone", || relay.logged().contains("leases lost: they expired"));
    block_on(server.restart());
    relay.prints(&place.enqueue("order/2", []));
    until("it says that all is well", || relay.logged().contains("the store answers again"));
    let logged = relay.logged();
    for line in ["the store does not answer", "leases lost", "the store answers again"] {
        // A connection of before the outage may be found broken after the first answer.
        assert!((1..=3).contains(&logged.matches(line).count()), "{line}: {logged}");
    }
    relay.stop();
}

#[test]
fn a_relay_that_waits_for_its_database_can_be_stopped() {
    let place = Place::empty();
    place.write("posthaste.toml", &config(NOWHERE));
    let relay = place.relay();
    until("it says that it waits", || relay.logged().contains("waiting for it"));
    relay.stop();
}

#[test]
fn a_relay_does_not_wait_for_what_only_another_config_can_mend() {
    let server = block_on(Private::start("postgres"));
    let place = Place::empty();
    for (url, says) in [("postgres@{}/nowhere", "\"nowhere\" does not exist"), ("nobody@{}/postgres", "\"nobody\"")] {
        place.write("posthaste.toml", &config(&format!("postgres://{}", url.replace("{}", &server.address()))));
        let answer = place.run(["run"]).ends_with(3);
        assert!(answer.stderr.contains("does not let us in") && answer.stderr.contains(says), "{}", answer.stderr);
    }
    place.write("posthaste.toml", &config(&format!("postgres://postgres@{}/postgres", server.address())));
    let answer = place.run(["run"]).ends_with(4);
    assert!(answer.stderr.contains("posthaste migrate"), "{}", answer.stderr);
}

#[test]
fn a_database_that_cannot_be_reached_is_named_with_the_reason_and_without_the_password() {
    let place = Place::empty();
    place.write("posthaste.toml", &config(NOWHERE));
    for command in [&["status"][..], &["list"], &["migrate"], &["check"]] {
        let answer = place.run(command.iter().copied());
        let said = format!("{}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.code, if command == ["check"] { 1 } else { 3 }, "{command:?}: {said}");
        for expected in ["postgres://127.0.0.1:1/shop", "Connection refused"] {
            assert_eq!(said.matches(expected).count(), 1, "{command:?} says {expected} once: {said}");
        }
        assert!(!said.contains("s3cret") && !said.contains("zoe"), "{command:?}: {said}");
    }
}
