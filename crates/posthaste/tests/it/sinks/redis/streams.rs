//! What is appended to streams, and what is not appended again.

use posthaste::sink::Verdict;
use posthaste::sink::format::Format;
use posthaste::sink::template::Template;
use posthaste::sinks::redis::Redis;

use super::settings;
use crate::servers::redis::{Reply, Server};
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, order, orders};

fn sink(server: &Server) -> Redis {
    Redis::new(settings(&server.url(), "orders")).unwrap()
}

fn positions(server: &Server) -> Vec<u64> {
    server.entries("orders").iter().map(|entry| entry.text("posthaste-position").unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn a_run_that_is_sent_again_is_there_once_however_it_is_cut() {
    let server = Server::start(&[]);
    let (sink, messages) = (sink(&server), orders("1", 1, 9));
    delivered(&sink, &messages[..6]).await;
    delivered(&sink, &messages[3..9]).await;
    delivered(&sink, &messages).await;
    assert_eq!(positions(&server), (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_older_run_of_another_worker_does_not_land_after_a_newer_one() {
    let server = Server::start(&[]);
    let (worker, zombie, messages) = (sink(&server), sink(&server), orders("1", 1, 9));
    delivered(&worker, &messages[..4]).await;
    delivered(&worker, &messages[4..]).await;
    delivered(&zombie, &messages[..4]).await;
    assert_eq!(positions(&server), (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_message_that_is_late_on_purpose_is_not_taken_for_a_repeat() {
    let server = Server::start(&[]);
    let (sink, messages) = (sink(&server), orders("1", 1, 3));
    delivered(&sink, &messages[1..]).await;
    delivered(&sink, &messages[..1]).await;
    delivered(&sink, &messages).await;
    assert_eq!(positions(&server), [2, 3, 1]);
}

#[tokio::test]
async fn a_journal_that_starts_over_loses_nothing() {
    let server = Server::start(&[]);
    let sink = sink(&server);
    delivered(&sink, &orders("1", 1_000, 1_003)).await;
    delivered(&sink, &orders("1", 1, 3)).await;
    assert_eq!(positions(&server), [1_000, 1_001, 1_002, 1_003, 1, 2, 3]);
}

#[tokio::test]
async fn a_long_run_is_known_to_its_end() {
    let server = Server::start(&[]);
    let (sink, messages) = (sink(&server), orders("1", 1, 600));
    for run in messages.chunks(100) {
        delivered(&sink, run).await;
    }
    delivered(&sink, &messages[400..]).await;
    assert_eq!(positions(&server), (1..=600).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_entry_has_the_attributes_the_headers_and_last_the_payload() {
    let server = Server::start(&[]);
    let fields = [("kind".to_owned(), Template::parse("{aggregate_type} {tenant|-}").unwrap())].into();
    let sink = Redis::new(changed(settings(&server.url(), "orders"), |settings| settings.fields = fields)).unwrap();
    let message = order("1", 1).tenant("acme").header("x-note", "n").build().unwrap();
    delivered(&sink, &[(7, message)]).await;
    let entry = server.entries("orders").remove(0);
    let names: Vec<_> = entry.0.iter().map(|(name, _)| name.trim_start_matches("posthaste-")).collect();
    let expected = "kind content-type id event-type aggregate-type aggregate-id key tenant destination occurred-at position x-note payload";
    assert_eq!(names.join(" "), expected);
    assert_eq!(entry.text("kind").unwrap(), "order acme");
    assert_eq!(entry.text("content-type").unwrap(), "application/json");
    assert_eq!(entry.text("posthaste-position").unwrap(), "7");
}

/// Of a run only what differs from the message before is sent.
#[tokio::test]
async fn messages_of_one_run_arrive_each_with_its_own_headers_and_payload() {
    let server = Server::start(&[]);
    let notes: [&[(&str, &str)]; 7] = [
        &[("a", "1"), ("b", "2")],
        &[("a", "1"), ("b", "3")],
        &[("b", "3"), ("a", "1")],
        &[("b", "3")],
        &[],
        &[("a", "1"), ("b", "2"), ("c", "")],
        &[("a", "1"), ("b", "2"), ("c", "")],
    ];
    let with = |(n, headers): (usize, &&[(&str, &str)])| {
        let order = headers.iter().fold(order("1", n as u64), |order, (name, value)| order.header(*name, *value));
        (n as u64, order.payload(vec![b'x'; n % 3], "text/plain").build().unwrap())
    };
    delivered(&sink(&server), &notes.iter().enumerate().map(with).collect::<Vec<_>>()).await;
    let entries = server.entries("orders");
    for (n, (entry, headers)) in entries.iter().zip(notes).enumerate() {
        let own =
            entry.0.iter().filter(|(name, _)| name.len() == 1).map(|(name, value)| (name.as_str(), value.as_slice()));
        let expected: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        assert_eq!(own.collect::<Vec<_>>(), expected);
        assert_eq!(entry.text("payload").unwrap().len(), n % 3);
        assert_eq!(entry.text("posthaste-position").unwrap(), n.to_string());
    }
    assert_eq!(entries.len(), notes.len());
}

#[tokio::test]
async fn a_cloudevent_is_one_document_or_fields() {
    let server = Server::start(&[]);
    for (format, names) in [
        (Format::CloudEvents, "content-type payload"),
        (
            Format::CloudEventsBinary,
            "content-type ce-specversion ce-id ce-source ce-time ce-position ce-type ce-subject ce-aggregatetype ce-partitionkey payload",
        ),
    ] {
        let sink = Redis::new(changed(settings(&server.url(), "{id}"), |settings| settings.format = format)).unwrap();
        let message = order("1", 1).build().unwrap();
        delivered(&sink, &[(1, message.clone())]).await;
        let entry = server.entries(&message.id.to_string()).remove(0);
        assert_eq!(entry.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" "), names);
    }
}

#[tokio::test]
async fn a_stream_is_trimmed_to_about_its_length() {
    let server = Server::start(&["--stream-node-max-entries", "10"]);
    let sink =
        Redis::new(changed(settings(&server.url(), "orders"), |settings| settings.max_length = Some(20))).unwrap();
    for run in orders("1", 1, 500).chunks(50) {
        delivered(&sink, run).await;
    }
    let left = positions(&server);
    assert!((20..40).contains(&left.len()), "{}", left.len());
    assert_eq!(left.last(), Some(&500));
}

#[tokio::test]
async fn what_is_known_of_a_key_is_forgotten_in_time() {
    let server = Server::start(&[]);
    delivered(&sink(&server), &orders("1", 1, 3)).await;
    let Reply::List(keys) = server.command(&["KEYS", "posthaste:*"]) else { panic!("keys") };
    let [key] = keys.as_slice() else { panic!("one key: {keys:?}") };
    let name = String::from_utf8(key.clone().bytes()).unwrap();
    assert_eq!(name, "posthaste:{orders}:bus:orders::order/1");
    let Reply::Number(left) = server.command(&["PTTL", &name]) else { panic!("a time") };
    assert!((1..=600_000).contains(&left), "{left}");
}

#[tokio::test]
async fn without_as_many_replicas_as_wanted_nothing_is_confirmed() {
    let server = Server::start(&[]);
    let wait_timeout = std::time::Duration::from_millis(100);
    let settings = changed(settings(&server.url(), "orders"), |settings| {
        settings.wait_replicas = 1;
        settings.wait_timeout = wait_timeout;
    });
    let (sink, messages) = (Redis::new(settings).unwrap(), orders("1", 1, 3));
    let outcome = deliver(&sink, &messages).await;
    assert_eq!(outcome.confirmed, 0);
    let error = outcome.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable);
    assert!(error.text().contains("0 of 1 replicas"), "{error}");

    let replica = Server::start(&["--replicaof", "127.0.0.1", &server.address.port().to_string()]);
    replica.wait_until(|replica| replica.command(&["EXISTS", "orders"]) == Reply::Number(1));
    while deliver(&sink, &messages).await.error.is_some() {}
    assert_eq!(replica.entries("orders").len(), 3);
}
