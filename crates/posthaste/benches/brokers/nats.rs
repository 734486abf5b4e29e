//! NATS JetStream: one stream, on disk.

use async_nats::HeaderMap;
use async_nats::jetstream::{self, stream};
use posthaste::Message;
use posthaste::sink::template::Template;
use posthaste::sinks::nats::{Nats, Settings};

use super::server::Server;
use super::{bare_rate, by_hand, relay_rate, runtime};

pub(super) fn rate(way: &str) -> f64 {
    let server = Server::start("nats", "nats-server", |folder, port| {
        ["--jetstream", "--addr", "127.0.0.1", "--port", port, "--store_dir", folder].map(String::from).into()
    });
    let url = format!("nats://{}", server.address);
    let context = runtime().block_on(prepare(&url));
    drop(context);
    if way == "bare" {
        return by_hand(bare(&url));
    }
    let subject = Template::parse("orders.{event_type}").expect("a template");
    relay_rate("nats", way, Nats::new(Settings::new(url, subject)).expect("valid settings"))
}

async fn prepare(url: &str) -> jetstream::Context {
    let context = jetstream::new(async_nats::connect(url).await.expect("a connection"));
    let config =
        stream::Config { name: "ORDERS".into(), subjects: vec!["orders.>".into()], ..stream::Config::default() };
    context.create_stream(config).await.expect("a stream");
    context
}

async fn bare(url: &str) -> f64 {
    let context = jetstream::new(async_nats::connect(url).await.expect("a connection"));
    let send = move |message: Message| {
        let context = context.clone();
        async move {
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Msg-Id", message.id.to_string());
            headers.insert("key", message.key.as_deref().unwrap_or_default());
            let sent = context.publish_with_headers("orders.order.placed", headers, message.payload).await;
            sent.expect("a connection").await.expect("an acknowledgement");
        }
    };
    bare_rate(send).await
}
