//! What is stored, and what is not stored again.

use posthaste::sink::Verdict;
use posthaste::sink::format::Format;
use posthaste::sinks::nats::Nats;

use super::server::Server;
use super::settings;
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, order, orders};

fn server() -> Server {
    let server = Server::start("");
    server.create_stream("ORDERS", "orders.>", "");
    server
}

fn sink(server: &Server) -> Nats {
    Nats::new(settings(&server.url(), "orders.{aggregate_id}")).unwrap()
}

#[tokio::test]
async fn a_run_that_is_sent_again_is_there_once_however_it_is_cut() {
    let server = server();
    let (sink, messages) = (sink(&server), orders("1", 1, 9));
    delivered(&sink, &messages[..6]).await;
    delivered(&sink, &messages[3..9]).await;
    delivered(&sink, &messages).await;
    assert_eq!(server.positions("ORDERS"), (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_long_run_keeps_its_order() {
    let server = server();
    delivered(&sink(&server), &orders("1", 1, 1_000)).await;
    assert_eq!(server.positions("ORDERS"), (1..=1_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_message_has_its_id_its_attributes_and_its_headers() {
    let server = server();
    let message = order("1.a b", 1).tenant("acme").header("x-note", "n").build().unwrap();
    delivered(&sink(&server), &[(7, message.clone())]).await;
    let stored = server.stored("ORDERS").remove(0);
    assert_eq!(stored.subject, "orders.1%2Ea%20b");
    assert_eq!(stored.payload, message.payload);
    let expected = [
        ("Nats-Msg-Id", message.id.to_string()),
        ("content-type", "application/json".into()),
        ("posthaste-aggregate-id", "1.a b".into()),
        ("posthaste-position", "7".into()),
        ("posthaste-tenant", "acme".into()),
        ("x-note", "n".into()),
    ];
    for (name, value) in expected {
        assert_eq!(stored.header(name), Some(value.as_str()), "{name}");
    }
}

#[tokio::test]
async fn a_cloudevent_is_one_document_or_headers() {
    let server = server();
    let message = order("ü", 1).build().unwrap();
    for format in [Format::CloudEvents, Format::CloudEventsBinary] {
        // Another id, or the second would be a repeat.
        let message = order("ü", 1).build().unwrap();
        let sink =
            Nats::new(changed(settings(&server.url(), "orders.x"), |settings| settings.format = format)).unwrap();
        delivered(&sink, &[(1, message)]).await;
    }
    let stored = server.stored("ORDERS");
    let document: serde_json::Value = serde_json::from_slice(&stored[0].payload).unwrap();
    assert_eq!((&document["subject"], &document["data"]["n"]), (&"ü".into(), &1.into()));
    assert_eq!(stored[0].header("content-type"), Some("application/cloudevents+json"));
    assert_eq!(stored[1].header("ce-subject"), Some("%C3%BC"));
    assert_eq!(stored[1].payload, message.payload);
}

#[tokio::test]
async fn with_a_fence_a_worker_that_was_away_is_refused_once_and_then_knows() {
    let server = server();
    let fenced = || {
        Nats::new(changed(settings(&server.url(), "orders.{aggregate_id}"), |settings| settings.fence = true)).unwrap()
    };
    let (worker, zombie) = (fenced(), fenced());
    delivered(&zombie, &orders("1", 1, 3)).await;
    delivered(&worker, &orders("1", 4, 6)).await;
    let late = orders("1", 7, 8);
    let outcome = deliver(&zombie, &late).await;
    assert_eq!(outcome.confirmed, 0);
    let error = outcome.error.unwrap();
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
    assert!(error.text().contains("wrong last sequence"), "{error}");
    delivered(&zombie, &late).await;
    assert_eq!(server.positions("ORDERS"), (1..=8).collect::<Vec<_>>());
}

#[tokio::test]
async fn with_a_fence_repeats_are_no_obstacle() {
    let server = server();
    let sink =
        Nats::new(changed(settings(&server.url(), "orders.{aggregate_id}"), |settings| settings.fence = true)).unwrap();
    let messages = orders("1", 1, 9);
    for run in [&messages[..6], &messages[3..], &messages[..]] {
        delivered(&sink, run).await;
    }
    assert_eq!(server.positions("ORDERS"), (1..=9).collect::<Vec<_>>());
}
