//! What is published to channels.

use posthaste::sink::format::Format;
use posthaste::sink::template::Template;
use posthaste::sinks::redis::{Redis, Settings};

use super::settings;
use crate::servers::redis::{Connection, Reply, Server};
use crate::sinks::changed;
use crate::sinks::runs::{delivered, orders};

fn subscribe(server: &Server, pattern: &str) -> Connection {
    let mut subscriber = Connection::to(server.address).unwrap();
    subscriber.command(&["PSUBSCRIBE", pattern]).unwrap();
    subscriber
}

/// Channel and body of the next message.
fn next(subscriber: &mut Connection) -> (String, serde_json::Value) {
    let Some(Reply::List(parts)) = subscriber.reply() else { panic!("a message") };
    let [_, _, channel, body] = parts.as_slice() else { panic!("pmessage: {parts:?}") };
    let channel = String::from_utf8(channel.clone().bytes()).unwrap();
    (channel, serde_json::from_slice(&body.clone().bytes()).unwrap())
}

fn lossy(server: &Server) -> Settings {
    let channel = Some(Template::parse("events:{event_type}").unwrap());
    changed(settings(&server.url(), "x"), |settings| {
        settings.stream = None;
        settings.channel = channel;
        settings.allow_lossy = true;
    })
}

#[tokio::test]
async fn who_listens_hears_the_payloads_in_order() {
    let server = Server::start(&[]);
    let mut subscriber = subscribe(&server, "events:*");
    delivered(&Redis::new(lossy(&server)).unwrap(), &orders("1", 1, 20)).await;
    for n in 1..=20 {
        assert_eq!(next(&mut subscriber), ("events:order.changed".into(), serde_json::json!({ "n": n })));
    }
}

#[tokio::test]
async fn a_cloudevent_tells_a_listener_everything() {
    let server = Server::start(&[]);
    let mut subscriber = subscribe(&server, "events:*");
    let sink = Redis::new(changed(lossy(&server), |settings| settings.format = Format::CloudEvents)).unwrap();
    let messages = orders("1", 1, 1);
    delivered(&sink, &messages).await;
    let (_, event) = next(&mut subscriber);
    assert_eq!(event["id"], messages[0].1.id.to_string());
    assert_eq!(event["partitionkey"], "order/1");
    assert_eq!(event["data"], serde_json::json!({ "n": 1 }));
}

#[tokio::test]
async fn beside_a_stream_a_repeat_is_neither_appended_nor_published() {
    let server = Server::start(&[]);
    let mut subscriber = subscribe(&server, "events:*");
    let stream = Some(Template::parse("orders").unwrap());
    let sink = Redis::new(changed(lossy(&server), |settings| {
        settings.stream = stream;
        settings.allow_lossy = false;
    }))
    .unwrap();
    let messages = orders("1", 1, 4);
    for run in [&messages[..2], &messages[..2], &messages[1..]] {
        delivered(&sink, run).await;
    }
    assert_eq!(server.entries("orders").len(), 4);
    for n in 1..=4 {
        assert_eq!(next(&mut subscriber).1, serde_json::json!({ "n": n }));
    }
}
