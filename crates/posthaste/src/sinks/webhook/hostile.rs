//! What a message, a config and an endpoint can say to a webhook, by the million.

use std::collections::BTreeMap;
use std::time::Duration;

use posthaste_hostile::{Outcome, Target, fields, texts};
use reqwest::{StatusCode, Url};

use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Headers, Message};
use crate::retry::Verdict;
use crate::sink::Delivery;
use crate::sink::http::Answer;
use crate::sink::template::{Template, percent_decode};

mod signatures;

const SETTINGS: [&str; 6] = [
    "https://example.com/t0ken/{key}",
    "https://example.com/a/{key}/b?c={key}&t=t0ken#d",
    "https://example.com:8443/{tenant}.{key}?x",
    "https://{tenant}.example.com/hooks/t0ken",
    "https://{tenant}/",
    "https://hooks.{tenant|all}.example.com/{key}",
];

const VALUES: &[&str] = &[
    "a",
    ".",
    "..",
    "/",
    "\\",
    "%2e",
    "%2E%2e",
    "%2f",
    "?",
    "#",
    "&",
    "=",
    "@",
    ":",
    "evil.example",
    "127.1",
    "0x7f000001",
    "2130706433",
    "xn--",
    "-",
    "localhost",
    "\t",
    " ",
    "ß",
    "。",
    "①",
];

fn webhook(url: &str) -> Webhook {
    Webhook::new(Settings::new(Template::parse(url).expect("a template"))).expect("good settings")
}

fn run(value: &str) -> Run {
    let message = Message::builder("order.created", "order", "1").build().expect("it is valid");
    let message = Message { key: Some(value.into()), tenant: Some(value.into()), ..message };
    Run::new("crm", Partition::new(0), vec![Delivery::new(message, Position::seq(1))])
}

/// What no message may change about a URL.
fn shape(url: &Url) -> (String, Option<u16>, usize, usize, bool) {
    let segments = url.path_segments().map_or(0, Iterator::count);
    let query = url.query().map_or(0, |query| query.split(['&', '=']).count());
    (url.scheme().to_owned(), url.port_or_known_default(), segments, query, url.fragment().is_some())
}

#[test]
fn a_message_adds_one_piece_to_a_url_or_is_rejected_without_a_word_of_the_url() {
    let webhooks = SETTINGS.map(webhook);
    Target::new("webhook_urls", VALUES).longest(2_048).run(|input| {
        let value = String::from_utf8_lossy(input);
        let (hostile, harmless) = (run(&value), run("x"));
        let mut outcome = Outcome::Refused;
        for (n, webhook) in webhooks.iter().enumerate() {
            let of = |run: &Run| webhook.endpoint.url(&webhook.http, run, &run.deliveries[0]);
            let expected = of(&harmless).expect("a harmless message has a URL");
            match of(&hostile) {
                Ok(url) => {
                    outcome = Outcome::Taken;
                    assert_eq!(shape(&url), shape(&expected), "{url}");
                    let (host, usual) = (url.host_str().unwrap_or_default(), expected.host_str().unwrap_or_default());
                    // Where the message is the whole host, a number is an address, and only public ones get here.
                    assert!(n == 4 || host.matches('.').count() == usual.matches('.').count(), "{url}");
                    assert!(n > 2 || host == usual, "{url}");
                    if n == 0 {
                        assert_eq!(percent_decode(url.path().rsplit('/').next().unwrap_or_default()), value);
                    }
                }
                Err(error) => {
                    assert_eq!(error.verdict, Verdict::Reject, "{error}");
                    assert!(!error.text().contains("t0ken") && error.text().len() < 700, "{error}");
                }
            }
        }
        outcome
    });
}

#[test]
fn a_url_of_a_config_reaches_no_inner_address_or_is_refused_without_its_password() {
    const WORDS: &[&str] = &[
        "http://",
        "https://",
        "user:s3cret@",
        "example.com",
        "10.0.0.1",
        "0x7f.1",
        "[::1]",
        "[::ffff:7f00:1]",
        ":80",
        ":99999",
        "/",
        "\\",
        "{tenant}",
        "{key|x}",
        "?",
        "#",
        ".",
        "@",
        "127.0.0.1",
        "%31%32%37.1",
        "ftp://",
        "//",
        "127。0。0。1",
        "2130706433",
    ];
    let http = webhook(SETTINGS[0]).http;
    Target::new("webhook_configs", WORDS).longest(2_048).run(|input| {
        let written = String::from_utf8_lossy(input);
        let Ok(template) = Template::parse(&written) else { return Outcome::Refused };
        let made = Endpoint::new(template, &http);
        match &made {
            Ok(endpoint) => {
                if let Some(root) = endpoint.root() {
                    assert!(
                        root.host_str().is_some_and(|host| !host.is_empty()) && http.admit(&root).is_ok(),
                        "{root}"
                    );
                    assert!(
                        root.username().is_empty()
                            && root.password().is_none()
                            && ["http", "https"].contains(&root.scheme())
                    );
                }
            }
            Err(why) => {
                assert!(!why.contains("s3cret") && why.len() < 700, "{} bytes: {why}", why.len());
                assert!(!why.chars().any(char::is_control), "{why:?}");
            }
        }
        Outcome::of(&made)
    });
}

#[test]
fn a_message_brings_headers_of_its_own_and_no_others() {
    const WORDS: &[&str] = &[
        "x-a",
        "Authorization",
        "authorization",
        "Host",
        "host",
        "content-length",
        "Transfer-Encoding",
        "webhook-signature",
        "Webhook-Id",
        "content-type",
        "traceparent",
        "\x1f",
        "\r\n",
        "\r\nx: y",
        "value",
        " ",
        "é",
        "posthaste-",
        "ce-id",
        "cookie",
        "\u{0}",
    ];
    let own =
        BTreeMap::from([("authorization".to_owned(), Template::parse("Bearer {tenant|none}").expect("a template"))]);
    let headers = OwnHeaders::new(own).expect("good headers");
    Target::new("webhook_headers", WORDS).longest(8_192).run(|input| {
        let [name, value, content_type, tenant] = texts::<4>(input);
        let message = Message::builder("order.created", "order", "1").build().expect("it is valid");
        let message = Message {
            headers: Headers::from_iter([(name, value)]),
            content_type: content_type.as_str().into(),
            tenant: Some(tenant.as_str().into()),
            ..message
        };
        let run = Run::new("crm", Partition::new(0), vec![Delivery::new(message, Position::seq(1))]);
        let made = Format::default()
            .apply(encode::DIALECT, &run, &run.deliveries[0])
            .and_then(|formatted| headers.of(&run, &run.deliveries[0], &formatted));
        match &made {
            Ok(sent) => {
                assert_eq!(sent.get_all("authorization").iter().count(), 1);
                assert_eq!(
                    sent.get("authorization").map(|value| value.as_bytes().to_vec()),
                    Some(format!("Bearer {tenant}").into_bytes())
                );
                assert!(encode::DIALECT.reserved.iter().all(|reserved| !sent.contains_key(*reserved)), "{sent:?}");
                assert!(
                    sent.values().all(|value| !value
                        .as_bytes()
                        .iter()
                        .any(|byte| *byte < 0x20 && *byte != b'\t' || *byte == 0x7f))
                );
                assert_eq!(sent.get_all("content-type").iter().count(), 1);
            }
            Err(error) => assert_eq!(error.verdict, Verdict::Reject, "{error}"),
        }
        Outcome::of(&made)
    });
}

#[test]
fn whatever_an_endpoint_answers_is_one_verdict_and_a_text_that_disturbs_no_terminal() {
    const WORDS: &[&str] = &[
        "200",
        "204",
        "301",
        "404",
        "410",
        "429",
        "500",
        "503",
        "999",
        "\x1f",
        "120",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "\u{1b}[2J",
        "no such order\r\n",
        "<html>",
    ];
    let verdicts = Verdicts::new(&BTreeMap::new(), Duration::from_secs(60)).expect("the defaults");
    Target::new("webhook_answers", WORDS).longest(20_000).run(|input| {
        let [status, after, body] = fields::<3>(input);
        let code = String::from_utf8_lossy(status)
            .parse()
            .unwrap_or(status.first().map_or(200, |byte| 100 + 3 * u16::from(*byte)));
        let Ok(status) = StatusCode::from_u16(code) else { return Outcome::Refused };
        let header = reqwest::header::HeaderValue::from_bytes(after).ok();
        let headers = header.into_iter().map(|value| (reqwest::header::RETRY_AFTER, value)).collect();
        let judged = verdicts.judge(&Answer { status, headers, body: body.to_vec() });
        assert_eq!(judged.is_ok(), (200..300).contains(&code));
        if let Err(error) = &judged {
            assert!(!matches!(error.verdict, Verdict::RetryAfter(wait) if wait > Duration::from_secs(60)));
            assert!(error.text().starts_with("answered ") && error.text().len() <= 3 * body.len() + 100);
            assert!(!error.text().chars().any(|c| c.is_control() && c != '\n'), "{:?}", error.text());
        }
        Outcome::of(&judged)
    });
}
