//! URLs: what a config may say, and what a message may add.

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::retry::Verdict;
use crate::sink::Delivery;

/// Ways to write an address that must not be called.
const REFUSED: [&str; 34] = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://0/",
    "http://0.0.0.0/",
    "http://%31%32%37.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://169.254.169.254/latest/meta-data",
    "http://0xA9FEA9FE/",
    "http://2852039166/",
    "http://169.254.43518/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "https://10.0.0.1/",
    "https://192.168.0.1:8443/x",
    "https://100.64.0.1/",
    "HTTP://172.16.0.1/",
    "https:\\\\10.0.0.1\\x",
];

/// Not a URL to call at all.
const MALFORMED: [&str; 14] = [
    "",
    "example.com",
    "//example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "https://",
    "https://example.com:{tenant}/",
    "http://user@example.com/",
    "http://user:pw@example.com/",
    "http://exa mple.com/",
    "http://[::1",
    "http://256.256.256.256/",
    "http://example.com:99999/",
];

const ACCEPTED: [&str; 12] = [
    "https://example.com",
    "https://example.com/hooks",
    "http://example.com:8080/",
    "https://example.com/a?b=c&d={event_type}",
    "https://example.com/{aggregate_type}/{aggregate_id}",
    "https://{tenant}.example.com/hooks",
    "https://hooks.{tenant|all}.example.com/",
    "https://93.184.216.34/",
    "https://[2606:4700::1111]/",
    "https://bücher.example/",
    "https://example.com/{{x}}",
    "https://localhost/",
];

#[test]
fn an_address_that_is_not_public_is_refused_however_it_is_written() {
    for url in REFUSED {
        let problem = refused(settings(url));
        assert_eq!(problem.setting, "url", "{url}");
        assert!(problem.text.contains("not public"), "{url}: {problem}");
    }
}

#[test]
fn what_is_no_url_of_http_is_refused() {
    for url in MALFORMED {
        let problem = refused(settings(url));
        assert_eq!(problem.setting, "url", "{url}");
    }
}

#[test]
fn a_public_url_is_accepted() {
    for url in ACCEPTED {
        // `localhost` is a name like others until it is resolved.
        assert!(Webhook::new(settings(url)).is_ok(), "{url}");
    }
}

fn rendered(url: &str, key: &str) -> Result<String, Error> {
    let webhook = Webhook::new(settings(url)).expect("the settings are good");
    let message = Message::builder("order.created", "order", "1").key(key).tenant(key).build().expect("it is valid");
    let delivery = Delivery::new(message, Position::seq(1));
    let run = Run::new("crm", Partition::new(0), vec![delivery.clone()]);
    webhook.endpoint.url(&webhook.http, &run, &delivery).map(String::from)
}

#[test]
fn what_a_message_adds_stays_in_its_place() {
    let cases = [
        ("https://example.com/{key}", "plain", "https://example.com/plain"),
        ("https://example.com/{key}", "a/b", "https://example.com/a%2Fb"),
        ("https://example.com/{key}", "a?b=c#d", "https://example.com/a%3Fb%3Dc%23d"),
        ("https://example.com/{key}", "a%2Fb", "https://example.com/a%252Fb"),
        ("https://example.com/{key}", "..%2f..", "https://example.com/..%252f.."),
        ("https://example.com/{key}", "@evil.example", "https://example.com/%40evil.example"),
        ("https://example.com/{key}", "ü 漢", "https://example.com/%C3%BC%20%E6%BC%A2"),
        ("https://example.com/{key}", "a\\b", "https://example.com/a%5Cb"),
        ("https://example.com/?k={key}", "a&admin=1", "https://example.com/?k=a%26admin%3D1"),
        ("https://example.com/?k={key}", "..", "https://example.com/?k=.."),
        ("https://{tenant}.example.com/", "acme", "https://acme.example.com/"),
    ];
    for (url, key, expected) in cases {
        assert_eq!(rendered(url, key).as_deref(), Ok(expected), "{url} with {key}");
    }
}

#[test]
fn a_message_that_would_leave_its_place_is_rejected() {
    let cases = [
        ("https://example.com/a/{key}/b", ".."),
        ("https://example.com/a/{key}", "."),
        ("https://example.com/a/.{key}", "."),
        ("https://{tenant}.example.com/", "evil.example/"),
        ("https://{tenant}.example.com/", "evil.example#"),
        ("https://{tenant}.example.com/", "user@evil"),
        ("https://{tenant}.example.com/", "evil.example"),
        ("https://{tenant}.example.com/", "a:80"),
        ("https://{tenant}.example.com/", "%2e"),
        ("https://{tenant}/", "2130706433"),
        ("https://{tenant}/", "0x7f000001"),
    ];
    for (url, key) in cases {
        let error = rendered(url, key).expect_err(key);
        assert_eq!(error.verdict, Verdict::Reject, "{url} with {key}: {error}");
        assert!(!error.text().contains("example.com"), "a URL may contain a token: {error}");
    }
}
