//! Receivers that say later, over HTTP, what became of what they were handed.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::http::{address, ask};
use crate::listener::Listener;
use crate::program::{Place, Relay, until};

pub const SETTLER: &str = "settler-token-0123456789";
const OPERATOR: &str = "operator-token-0123456789";

/// Somebody who is handed messages through some sink, and says later what became of them.
pub trait Receiver {
    /// How the destination `crm` reaches it: its type, then its table.
    fn settings(&self) -> String;

    /// The names of all hand-overs that have arrived, in order.
    fn hand_overs(&self) -> Vec<String>;
}

impl Receiver for Listener {
    fn settings(&self) -> String {
        format!(
            "type = 'webhook'\n[destinations.crm.webhook]\nurl = 'http://{}/hooks'\nallow = ['127.0.0.1']\n",
            self.address
        )
    }

    fn hand_overs(&self) -> Vec<String> {
        self.heard().iter().map(|heard| heard.header("posthaste-hand-over").unwrap().to_owned()).collect()
    }
}

/// A destination whose receiver has so long for its answer.
pub fn place(receiver: &impl Receiver, timeout: &str) -> Place {
    let place = Place::migrated();
    let config = format!(
        "[relay]\nlease_ttl = '2s'\n[http]\nbind = '127.0.0.1:0'\n[http.tokens.worker]\nrole = 'settler'\ntoken = '{SETTLER}'\n\
         [http.tokens.ann]\nrole = 'operator'\ntoken = '{OPERATOR}'\n\
         [destinations.crm]\nmode = 'callback'\ncallback_timeout = '{timeout}'\n\
         backoff = {{ type = 'list', delays = ['0s'] }}\n{}",
        receiver.settings()
    );
    place.write("posthaste.toml", &config);
    place
}

/// What a receiver says, and what it is told.
fn settle(relay: &Relay, id: &str, answer: &Value) -> (u16, Value) {
    let (address, body) = (address(relay), answer.to_string());
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = format!(
        "POST /api/v1/deliveries/{id}/crm/settle HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {SETTLER}\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    (status, serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap())
}

pub fn status(place: &Place, id: &str) -> String {
    place.json(["show", id])["deliveries"][0]["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_webhook_is_delivered_when_its_receiver_calls_back() {
    let endpoint = Listener::answering(&["202 Accepted"]);
    a_message_is_delivered_when_its_receiver_calls_back(&endpoint);
    assert_eq!(endpoint.heard()[0].header("posthaste-destination"), Some("crm"));
}

#[test]
fn a_receiver_that_fails_or_says_nothing_is_handed_the_message_again() {
    what_fails_or_is_not_answered_is_handed_over_again(&Listener::answering(&["202 Accepted"]));
}

/// Not before it, in order, whoever dies meanwhile, and handed over once.
pub fn a_message_is_delivered_when_its_receiver_calls_back(receiver: &impl Receiver) {
    let place = place(receiver, "1h");
    let relay = place.relay();
    let [first, second] = [place.enqueue("order/1", []), place.enqueue("order/1", [])];
    until("the first is handed over", || receiver.hand_overs().len() == 1);
    let hand_over = receiver.hand_overs().remove(0);
    until("it waits", || status(&place, &first) == "awaiting");
    let explained = place.run(["explain", &first]).stdout;
    assert!(explained.contains("Handed over; waits for the answer of its receiver until"), "{explained}");
    assert!(place.run(["explain", &second]).stdout.contains("which is awaiting"));
    assert!(place.run(["status"]).succeeds().stdout.contains("AWAITING"));
    assert_eq!(place.json(["status"])["destinations"][0]["awaiting"], 1);

    // The relay dies, and whoever comes next goes on waiting.
    relay.signal("KILL");
    drop(relay);
    let relay = place.relay();
    let answer = json!({ "outcome": "sent", "hand_over": hand_over });
    let (code, told) = settle(&relay, &first, &answer);
    assert_eq!((code, &told["result"]), (200, &json!("settled")), "{told}");
    until("it is delivered", || status(&place, &first) == "delivered");
    assert_eq!(settle(&relay, &first, &answer).1["result"], "repeated");
    let contradicted = settle(&relay, &first, &json!({ "outcome": "failed", "reason": "x" }));
    assert_eq!(contradicted.0, 409, "{}", contradicted.1);

    // Answered at once, whether or not the hand-over is on record: that is waited for.
    until("the second is handed over", || receiver.hand_overs().len() == 2);
    assert_eq!(settle(&relay, &second, &json!({ "outcome": "sent" })).0, 200);
    until("it is delivered, too", || status(&place, &second) == "delivered");
    assert_eq!(receiver.hand_overs().len(), 2, "nothing was handed over twice");
    assert_eq!(ask(&relay, "GET", "/api/v1/status", SETTLER).0, 403);
    let metrics = ask(&relay, "GET", "/metrics", OPERATOR).1;
    assert!(metrics.contains("posthaste_parked{destination=\"crm\",reason=\"awaiting\"} 0"), "{metrics}");
    relay.stop();
}

/// The answer to an earlier hand-over counts no more.
pub fn what_fails_or_is_not_answered_is_handed_over_again(receiver: &impl Receiver) {
    let place = place(receiver, "1s");
    let relay = place.relay();
    let id = place.enqueue("order/1", []);
    until("it is handed over again without an answer", || receiver.hand_overs().len() >= 2);
    let late = settle(&relay, &id, &json!({ "outcome": "sent", "hand_over": receiver.hand_overs()[0] }));
    assert_eq!(late.0, 409, "{}", late.1);
    // Whichever is the latest: the answer to it counts.
    let refusal = |hand_over: &String| json!({ "outcome": "failed", "retry": false, "reason": "no such customer", "hand_over": hand_over });
    until("it is refused", || settle(&relay, &id, &refusal(receiver.hand_overs().last().unwrap())).0 == 200);
    until("it is dead", || status(&place, &id) == "dead");
    let shown = place.json(["show", &id]);
    assert_eq!(shown["deliveries"][0]["error"], "no such customer");
    let timeline = shown["deliveries"][0]["timeline"].to_string();
    assert!(timeline.contains("handed over, and no answer came within 1s"), "{timeline}");
    relay.stop();
}
