//! Hosts that a request may name, by the million: ours are addresses, `localhost` and the known names, and nothing that only looks so.

use posthaste_hostile::{Outcome, Target};

use super::*;

const WORDS: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "127.0.0.1",
    "[::1]",
    "[",
    "]",
    ":",
    "7700",
    ":80",
    "relay.internal",
    "evil.example",
    ".",
    "@",
    "::1",
    "[fe80::1%25eth0]",
    "0x7f.1",
    "2130706433",
    "%31",
    "127.1",
    "[::ffff:127.0.0.1]",
    "\u{0131}",
    "。",
    "[127.0.0.1]",
    " ",
    "\t",
];

/// Host and port as a browser writes them.
fn is_ours(host: &str) -> bool {
    let (name, port) = match host.rfind([':', ']']).map(|at| host.split_at(at)) {
        Some((name, port)) if port.starts_with(':') => (name, &port[1..]),
        _ => (host, ""),
    };
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_address = match inner {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<Ipv4Addr>().is_ok(),
    };
    let is_known = ["localhost", "relay.internal"].iter().any(|known| known.eq_ignore_ascii_case(name));
    port.bytes().all(|byte| byte.is_ascii_digit()) && (is_address || is_known)
}

#[test]
fn a_host_is_ours_only_if_all_of_it_is() {
    let access = Access { tokens: Vec::new(), hosts: vec!["relay.internal".into()] };
    Target::new("hosts", WORDS).longest(512).run(|input| {
        let host = String::from_utf8_lossy(input);
        assert_eq!(access.is_ours(&host), is_ours(&host), "{host:?}");
        if is_ours(&host) { Outcome::Taken } else { Outcome::Refused }
    });
}
