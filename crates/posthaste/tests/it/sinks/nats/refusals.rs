//! Messages that a server or a stream does not take, and where they leave their neighbours.

use std::time::Duration;

use posthaste::Message;
use posthaste::message::Limits;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::nats::Nats;

use super::server::{PASSWORD, Server};
use super::settings;
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, order, orders};

fn sized(bytes: usize) -> Message {
    let limits = Limits { payload_bytes: 16 << 20, ..Limits::default() };
    order("1", 1).payload(vec![7; bytes], "application/octet-stream").limits(limits).build().unwrap()
}

/// A run whose third message is refused, on a server with one stream.
async fn refused_third(server: &Server, run: &[(u64, Message)]) -> posthaste::sink::Error {
    let sink = Nats::new(settings(&server.url(), "orders.{event_type}")).unwrap();
    delivered(&sink, &orders("0", 1, 1)).await;
    let outcome = deliver(&sink, run).await;
    assert_eq!(outcome.confirmed, 2);
    // Neither it nor what stands behind it.
    assert_eq!(server.positions("ORDERS"), [1, 11, 12]);
    outcome.error.unwrap()
}

fn run_with(third: Message) -> Vec<(u64, Message)> {
    let mut run = orders("1", 11, 15);
    run[2].1 = third;
    run
}

#[tokio::test]
async fn a_message_beyond_the_servers_limit_is_rejected_with_both_figures() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    let error = refused_third(&server, &run_with(sized(4 << 20))).await;
    assert_eq!(error.verdict, Verdict::Reject);
    assert!(error.text().contains("the server takes 4194304"), "{error}");
}

#[tokio::test]
async fn a_message_at_the_servers_limit_arrives() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    let sink = Nats::new(settings(&server.url(), "orders.x")).unwrap();
    let large = sized((4 << 20) - 1_000);
    delivered(&sink, &[(1, large.clone())]).await;
    assert!(server.stored("ORDERS")[0].payload == large.payload);
}

#[tokio::test]
async fn a_message_beyond_the_streams_limit_is_rejected_and_nothing_overtakes_it() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", r#"{ "max_msg_size": 5000 }"#);
    let error = refused_third(&server, &run_with(sized(6_000))).await;
    assert_eq!(error.verdict, Verdict::Reject, "{error}");
}

#[tokio::test]
async fn a_subject_without_a_stream_is_retried_and_nothing_overtakes_it() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.order.>", "");
    let mut third = order("1", 1).build().unwrap();
    third.event_type = "invoice.sent".into();
    let error = refused_third(&server, &run_with(third)).await;
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
    assert!(error.text().contains("no stream that takes \"orders.invoice.sent\""), "{error}");
}

#[tokio::test]
async fn another_stream_than_the_expected_one_is_refused() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    let stream = Some("OTHERS".into());
    let sink = Nats::new(changed(settings(&server.url(), "orders.x"), |settings| settings.stream = stream)).unwrap();
    let error = deliver(&sink, &orders("1", 1, 1)).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
}

#[tokio::test]
async fn a_stream_that_is_full_is_an_outage_until_there_is_room() {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", r#"{ "max_msgs": 3, "discard": "new" }"#);
    let sink = Nats::new(settings(&server.url(), "orders.x")).unwrap();
    let messages = orders("1", 1, 6);
    let outcome = deliver(&sink, &messages).await;
    assert_eq!(outcome.confirmed, 3);
    let error = outcome.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    server.update_stream("ORDERS", "orders.>", r#"{ "max_msgs": 100, "discard": "new" }"#);
    delivered(&sink, &messages[3..]).await;
    assert_eq!(server.positions("ORDERS"), (1..=6).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_subject_that_is_forbidden_concerns_its_messages_only() {
    let config = format!(
        "authorization {{ users: [\n\
         {{ user: ann, password: \"{PASSWORD}\" }}\n\
         {{ user: app, password: secret, permissions: {{ publish: [\"orders.order.>\", \"$JS.API.>\"] }} }}\n] }}"
    );
    let server = Server::start(&config);
    server.create_stream("ORDERS", "orders.>", "");
    let url = format!("nats://app:secret@{}", server.address);
    let response_timeout = Duration::from_millis(700);
    let sink = Nats::new(changed(settings(&url, "orders.{event_type}"), |settings| {
        settings.response_timeout = response_timeout;
    }))
    .unwrap();
    let mut forbidden = orders("2", 2, 2);
    forbidden[0].1.event_type = "invoice.sent".into();
    let error = deliver(&sink, &forbidden).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
    assert!(error.text().contains("does not let us publish to \"orders.invoice.sent\""), "{error}");
    delivered(&sink, &orders("1", 1, 1)).await;
}

#[tokio::test]
async fn a_wrong_password_is_an_outage_that_says_so_and_does_not_show_it() {
    let server = Server::start("");
    for login in ["ann:not-the-password@", "not-the-password@", ""] {
        let sink = Nats::new(settings(&format!("nats://{login}{}", server.address), "orders.x")).unwrap();
        let error = deliver(&sink, &orders("1", 1, 1)).await.error.unwrap();
        assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
        assert!(error.text().contains("does not let us in"), "{error}");
        for shown in [error.to_string(), format!("{sink:?}"), sink.check().await.unwrap_err().to_string()] {
            assert!(!shown.contains("not-the-password"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_server_without_jetstream_is_an_outage() {
    let server = Server::start("# no jetstream");
    let sink = Nats::new(settings(&server.url(), "orders.x")).unwrap();
    let error = deliver(&sink, &orders("1", 1, 1)).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    assert!(sink.check().await.unwrap_err().text().contains("has no JetStream"));
}
