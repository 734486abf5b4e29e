//! Endpoints of webhooks, as the program serves them: as many requests as they allow, and by no detour.

use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::listener::Listener;
use crate::program::{Place, Relay, until};

/// A config with an endpoint on this machine, and these settings of its destination.
fn place(endpoint: &Listener, settings: &str) -> Place {
    let place = Place::migrated();
    let config = format!(
        "destinations.out.type = 'stdout'\n[destinations.crm]\ntype = 'webhook'\n{settings}\n\
         [destinations.crm.webhook]\nurl = 'http://{}/hooks'\nallow = ['127.0.0.1']\n",
        endpoint.address
    );
    place.write("posthaste.toml", &config);
    place
}

/// One message about each of so many orders, in one transaction.
fn enqueue(place: &Place, orders: usize) {
    let order = |n| json!({ "event_type": "order.paid", "aggregate_type": "order", "aggregate_id": n, "payload": {} });
    let lines: Vec<_> = (0..orders).map(|n| order(n.to_string()).to_string()).collect();
    place.write("orders.jsonl", &lines.join("\n"));
    place.run(["enqueue", "--from-jsonl", "orders.jsonl"]).succeeds();
}

#[test]
fn proxies_that_the_environment_names_are_not_used() {
    let detour = TcpListener::bind("127.0.0.1:0").unwrap();
    let (proxy, seen) = (detour.local_addr().unwrap().to_string(), Arc::<AtomicUsize>::default());
    let count = seen.clone();
    std::thread::spawn(move || {
        detour.incoming().for_each(|_| {
            count.fetch_add(1, Ordering::SeqCst);
        });
    });

    let endpoint = Listener::answering(&["200 OK"]);
    let place = place(&endpoint, "");
    let mut program = place.command();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        program.env(name, format!("http://{proxy}")).env(name.to_lowercase(), format!("http://{proxy}"));
    }
    program.env_remove("NO_PROXY").env_remove("no_proxy").env_remove("REQUEST_METHOD");
    let id = place.enqueue("order/1", []);
    let relay = Relay::start(program.stdout(Stdio::null()));
    until("the message arrives", || !endpoint.heard().is_empty());
    assert_eq!(endpoint.heard()[0].header("idempotency-key"), Some(id.as_str()));
    relay.stop();
    assert_eq!(seen.load(Ordering::SeqCst), 0, "someone went through the proxy");
    // It would have been seen.
    std::net::TcpStream::connect(&proxy).unwrap();
    until("the proxy counts", || seen.load(Ordering::SeqCst) == 1);
}

#[test]
fn an_endpoint_is_served_no_faster_than_its_rate() {
    const MESSAGES: u32 = 10;
    let endpoint = Listener::answering(&["200 OK"]);
    let place = place(&endpoint, "rate = { per_second = 4, burst = 2 }");
    enqueue(&place, MESSAGES as usize);
    // From before the first one: how long that takes on its way is not known.
    let began = Instant::now();
    let relay = place.relay();
    until("all have arrived", || endpoint.heard().len() == MESSAGES as usize);
    relay.stop();
    let took = endpoint.heard().iter().map(|heard| heard.at - began).max().unwrap();
    assert!(took >= Duration::from_secs(1) * (MESSAGES - 2) / 4, "ten in {took:?}");
}

/// Requests that are held until the test lets them go.
#[derive(Default)]
struct Held {
    present: AtomicUsize,
    most: AtomicUsize,
    let_go: AtomicBool,
}

impl Held {
    fn hold(&self) {
        let present = self.present.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(present, Ordering::SeqCst);
        while !self.let_go.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.present.fetch_sub(1, Ordering::SeqCst);
    }
}

/// An endpoint that holds what it is sent.
fn holding() -> (Listener, Arc<Held>) {
    let held = Arc::<Held>::default();
    let gate = held.clone();
    let endpoint = Listener::saying(move |number| {
        number.inspect(|_| gate.hold());
        "200 OK"
    });
    (endpoint, held)
}

#[test]
fn an_endpoint_has_no_more_requests_at_once_than_it_allows() {
    const MESSAGES: usize = 20;
    const ALLOWED: usize = 3;
    let (endpoint, held) = holding();
    let place = place(&endpoint, &format!("max_in_flight = {ALLOWED}"));
    enqueue(&place, MESSAGES);
    let relay = place.relay();
    until("as many as are allowed are there", || held.present.load(Ordering::SeqCst) == ALLOWED);
    // Meanwhile the other destination gets everything, so that the relay has seen all there is.
    until("the others are printed", || relay.printed().lines().count() == MESSAGES);
    held.let_go.store(true, Ordering::SeqCst);
    until("all have arrived", || endpoint.heard().len() == MESSAGES);
    relay.stop();
    assert_eq!(held.most.load(Ordering::SeqCst), ALLOWED);
}

#[cfg(feature = "http")]
#[test]
fn a_relay_that_is_told_to_stop_is_not_ready_and_finishes_what_is_in_flight() {
    use crate::http::ask;
    const MESSAGES: usize = 8;
    let (endpoint, held) = holding();
    let place = place(&endpoint, "max_in_flight = 3");
    let config = std::fs::read_to_string(place.path("posthaste.toml")).unwrap();
    place.write("posthaste.toml", &format!("http.bind = '127.0.0.1:0'\nrelay.stop_timeout = '60s'\n{config}"));
    enqueue(&place, MESSAGES);
    let relay = place.relay();
    until("some are in flight", || held.present.load(Ordering::SeqCst) == 3);
    relay.signal("TERM");
    until("it says that it stops", || ask(&relay, "GET", "/readyz", "").1.contains("the relay stops"));
    assert_eq!(ask(&relay, "GET", "/readyz", "").0, 503);
    assert_eq!(ask(&relay, "GET", "/livez", "").0, 200);
    held.let_go.store(true, Ordering::SeqCst);
    assert_eq!(relay.ended(), 0);
    assert_eq!(endpoint.heard().len(), 3, "nothing more was begun");

    let next = place.relay();
    until("the rest has arrived", || endpoint.heard().len() >= MESSAGES);
    next.stop();
    let mut ids: Vec<_> =
        endpoint.heard().iter().map(|heard| heard.header("idempotency-key").unwrap().to_owned()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), endpoint.heard().len()), (MESSAGES, MESSAGES), "each once");
}

#[test]
fn an_endpoint_that_is_gone_is_paused_and_the_audit_log_says_why() {
    let endpoint = Listener::answering(&["410 Gone"]);
    let place = place(&endpoint, "");
    let relay = place.relay();
    place.enqueue("order/1", []);
    let crm = || {
        place.json(["status"])["destinations"].as_array().unwrap().iter().find(|d| d["destination"] == "crm").cloned()
    };
    until("it is paused", || crm().is_some_and(|crm| crm["paused"] == true));
    place.enqueue("order/2", []);
    until("the other destination has both", || relay.printed().lines().count() == 2);
    assert_eq!((endpoint.heard().len(), crm().unwrap()["dead"].as_u64()), (1, Some(0)));
    let audit = place.run(["audit"]).succeeds().stdout;
    assert!(audit.contains("pause") && audit.contains("crm: answered 410 Gone"), "{audit}");
    relay.stop();
}
