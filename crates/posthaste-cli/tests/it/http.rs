//! The relay's HTTP side, and nothing secret anywhere.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::program::{Place, Relay, until};

mod canaries;
mod endpoint;
mod schema;

/// Asks the relay that says in its log where it listens.
pub fn ask(relay: &Relay, method: &str, path: &str, token: &str) -> (u16, String) {
    let address = address(relay);
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

pub fn address(relay: &Relay) -> String {
    let listens = |line: &str| {
        let (_, rest) = line.split_once("HTTP server listens")?;
        let digits = rest.split("127.0.0.1:").nth(1)?.chars().take_while(char::is_ascii_digit).collect::<String>();
        Some(format!("127.0.0.1:{digits}"))
    };
    let find = || {
        let plain: String = relay.logged().replace("\u{1b}[0m", "").replace("\u{1b}[2m", "").replace("\u{1b}[3m", "");
        plain.lines().find_map(listens)
    };
    until("the server listens", || find().is_some());
    find().unwrap()
}

#[test]
fn a_relay_answers_what_an_orchestrator_prometheus_and_an_operator_ask() {
    let place = Place::migrated();
    place.write("posthaste.toml", "[http]\nbind = '127.0.0.1:0'\n[destinations.out]\ntype = 'stdout'");
    let relay = place.relay();
    relay.prints(&place.enqueue("order/1", []));
    assert_eq!(ask(&relay, "GET", "/livez", "").0, 200);
    until("it is ready", || ask(&relay, "GET", "/readyz", "").0 == 200);
    let delivered = "posthaste_delivered_total{destination=\"out\"} 1";
    until("the delivery is counted", || ask(&relay, "GET", "/metrics", "").1.contains(delivered));
    assert_eq!(ask(&relay, "POST", "/api/v1/destinations/out/pause", "").0, 200);
    let (_, status) = ask(&relay, "GET", "/api/v1/status", "");
    assert!(status.contains("\"out is paused\""), "{status}");
    let audit = place.run(["audit"]).succeeds().stdout;
    assert!(audit.contains("anonymous over HTTP") && audit.contains("pause"), "{audit}");
    relay.stop();
}

#[test]
fn a_port_that_is_taken_is_said_at_once() {
    let place = Place::migrated();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = taken.local_addr().unwrap();
    place.write("posthaste.toml", &format!("[http]\nbind = '{bind}'\n[destinations.out]\ntype = 'stdout'"));
    let answer = place.run(["run"]);
    assert!(answer.code != 0 && answer.stderr.contains(&format!("cannot listen on {bind}")), "{}", answer.stderr);
}
