//! Addresses that must not be called, however they are written, by the million.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use posthaste_hostile::{Outcome, Target, texts};
use reqwest::Url;

use super::{Http, System, Times};

const WORDS: &[&str] = &[
    "127.0.0.1",
    "10.",
    "192.168.",
    "169.254.169.254",
    "172.",
    "16.",
    "31.",
    "32.",
    "100.64.",
    "100.127.255.255",
    "198.18.",
    "224.",
    "8.8.8.8",
    ".0.0.1",
    "::1",
    "::ffff:",
    "64:ff9b::",
    "2002:",
    "2001:",
    "2001:db8:",
    "2606:4700::1111",
    "fe80::",
    "fd00:",
    "ff02::1",
    "3fff:",
    "::",
    "\x1f",
    "10.0.0.0/8",
    "fd00::/8",
    "/0",
    "/32",
    ",",
    "0177.0.0.1",
    "0x7f.1",
];

/// What may be called, from the registries of the IANA: what is public, by first and last address. Everything else may not.
const PUBLIC_V4: &[(&str, &str)] = &[
    ("1.0.0.0", "9.255.255.255"),
    ("11.0.0.0", "100.63.255.255"),
    ("100.128.0.0", "126.255.255.255"),
    ("128.0.0.0", "168.63.129.15"),
    ("168.63.129.17", "169.253.255.255"),
    ("169.255.0.0", "172.15.255.255"),
    ("172.32.0.0", "191.255.255.255"),
    ("192.0.1.0", "192.0.1.255"),
    ("192.0.3.0", "192.31.195.255"),
    ("192.31.197.0", "192.52.192.255"),
    ("192.52.194.0", "192.88.98.255"),
    ("192.88.100.0", "192.167.255.255"),
    ("192.169.0.0", "192.175.47.255"),
    ("192.175.49.0", "198.17.255.255"),
    ("198.20.0.0", "198.51.99.255"),
    ("198.51.101.0", "203.0.112.255"),
    ("203.0.114.0", "223.255.255.255"),
];
const PUBLIC_V6: &[(&str, &str)] = &[
    ("2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2003::", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8001::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
];

/// The public stretches of both kinds, as numbers.
struct Oracle(Vec<(IpAddr, IpAddr)>);

impl Oracle {
    fn new() -> Self {
        let parsed = |text: &str| text.parse::<IpAddr>().expect("it is an address");
        Self(PUBLIC_V4.iter().chain(PUBLIC_V6).map(|(first, last)| (parsed(first), parsed(last))).collect())
    }

    fn is_public(&self, address: IpAddr) -> bool {
        self.0.iter().any(|(first, last)| *first <= address && address <= *last)
    }
}

/// Whether a network as people write it has this address in it.
fn holds(network: &str, address: IpAddr) -> bool {
    let (base, bits) = network.split_once('/').unwrap_or((network, ""));
    let (Ok(base), bits) = (base.parse::<IpAddr>(), bits.parse::<u32>().ok()) else { return false };
    match (base, address) {
        (IpAddr::V4(base), IpAddr::V4(address)) => {
            let different = base.to_bits() ^ address.to_bits();
            different.leading_zeros() >= bits.unwrap_or(32)
        }
        (IpAddr::V6(base), IpAddr::V6(address)) => {
            let different = base.to_bits() ^ address.to_bits();
            different.leading_zeros() >= bits.unwrap_or(128)
        }
        _ => false,
    }
}

/// An address of the text, or of its bytes.
fn address(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|_| {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        match text.len() {
            0..8 => Ipv4Addr::from([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
            _ => Ipv6Addr::from(bytes).into(),
        }
    })
}

/// Ways to write an address in a URL.
fn spellings(address: IpAddr) -> Vec<String> {
    match address {
        IpAddr::V6(address) => vec![
            format!("[{address}]"),
            format!("[{}]", address.segments().map(|part| format!("{part:04X}")).join(":")),
        ],
        IpAddr::V4(address) => {
            let ([a, b, c, d], number) = (address.octets(), address.to_bits());
            let low = number & 0xff_ffff;
            vec![
                address.to_string(),
                format!("{address}."),
                number.to_string(),
                format!("0x{number:x}"),
                format!("0{number:o}"),
                format!("{a}.{low}"),
                format!("0x{a:X}.0{b:o}.{}", u16::from_be_bytes([c, d])),
                address.to_string().replace('.', "。"),
                address
                    .to_string()
                    .chars()
                    .map(|c| if c == '.' { c.to_string() } else { format!("%{:02x}", c as u32) })
                    .collect(),
            ]
        }
    }
}

fn http(allow: &[String]) -> Result<Http, String> {
    let second = Duration::from_secs(1);
    Http::new(Times { exchange: second, connect: second, idle: second }, allow, Arc::new(System))
        .map_err(|wrong| wrong.text)
}

#[test]
fn only_public_addresses_and_those_of_allowed_networks_may_be_called() {
    let (oracle, http) = (Oracle::new(), http(&[]).expect("a client"));
    Target::new("addresses", WORDS).longest(512).run(|input| {
        let [text, networks] = texts::<2>(input);
        let address = address(&text);
        let public = oracle.is_public(address);
        assert_eq!(http.guard.admit(address).is_ok(), public, "{address}");
        for host in spellings(address) {
            let url: Url = format!("http://{host}:8080/x").parse().unwrap_or_else(|error| panic!("{host}: {error}"));
            assert_eq!(http.admit(&url).is_ok(), public, "{host} is {address}");
        }
        let networks: Vec<String> = networks.split(',').map(str::to_owned).collect();
        match super::guard::Guard::allowing(&networks) {
            Ok(guard) => {
                let allowed = networks.iter().any(|network| holds(network, address));
                assert_eq!(guard.admit(address).is_ok(), public || allowed, "{address} beside {networks:?}");
            }
            Err(why) => assert!(
                why.contains("no network") && why.len() < 700 && !why.chars().any(char::is_control),
                "{} bytes: {why:?}",
                why.len()
            ),
        }
        if public { Outcome::Taken } else { Outcome::Refused }
    });
}

#[test]
fn a_wait_that_an_endpoint_asks_for_is_what_it_says() {
    const WORDS: &[&str] = &[
        "0",
        "1",
        "120",
        " ",
        "Sun, 06 Nov 1994 ",
        "08:49:37 GMT",
        "-",
        "+1",
        ".5",
        "99999999999999999999",
        "Thu, 31 Dec 9999 23:59:60 +0000",
    ];
    let now: jiff::Timestamp = "1994-11-06T08:49:00Z".parse().expect("a time");
    Target::new("retry_after", WORDS).run(|input| {
        let text = String::from_utf8_lossy(input);
        let parsed = super::retry_after::parse(&text, now);
        let digits = text.trim();
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let seconds =
                digits.bytes().fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
            assert_eq!(parsed, Some(Duration::from_secs(seconds)));
        } else if let Some(wait) = parsed {
            // The end of the year 9999.
            assert!(wait.as_secs() < 253_402_300_800 && text.chars().any(char::is_alphabetic), "{wait:?}");
        }
        if parsed.is_some() { Outcome::Taken } else { Outcome::Refused }
    });
}
