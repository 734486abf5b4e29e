//! Redis: entries of one stream.

use posthaste::Message;
use posthaste::sink::template::Template;
use posthaste::sinks::redis::{Redis, Settings};

use super::server::Server;
use super::{bare_rate, by_hand, relay_rate};

pub(super) fn rate(way: &str) -> f64 {
    let server = Server::start("redis", "redis-server", |folder, port| {
        ["--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", folder]
            .map(String::from)
            .into()
    });
    let url = format!("redis://{}", server.address);
    if way == "bare" {
        return by_hand(bare(&url));
    }
    let stream = Template::parse("orders").expect("a template");
    relay_rate("redis", way, Redis::new(Settings::stream(url, stream)).expect("valid settings"))
}

/// The fields that the sink writes, with a command each.
async fn bare(url: &str) -> f64 {
    let client = redis::Client::open(url).expect("an address");
    let connection = client.get_multiplexed_async_connection().await.expect("a connection");
    let send = move |message: Message| {
        let mut connection = connection.clone();
        async move {
            let mut append = redis::cmd("XADD");
            append.arg("orders").arg("*");
            append.arg("posthaste-id").arg(message.id.to_string());
            append.arg("posthaste-event-type").arg(message.event_type.as_str());
            append.arg("posthaste-aggregate-type").arg(message.aggregate_type.as_str());
            append.arg("posthaste-aggregate-id").arg(message.aggregate_id.as_str());
            append.arg("posthaste-key").arg(message.key.as_deref().unwrap_or_default());
            append.arg("posthaste-correlation-id").arg(message.correlation_id.as_deref().unwrap_or_default());
            append.arg("posthaste-destination").arg("redis");
            append.arg("posthaste-occurred-at").arg(message.occurred_at.to_string());
            append.arg("posthaste-position").arg("1");
            append.arg("content-type").arg(message.content_type.as_str()).arg("payload").arg(&message.payload[..]);
            let _: String = append.query_async(&mut connection).await.expect("an entry");
        }
    };
    bare_rate(send).await
}
