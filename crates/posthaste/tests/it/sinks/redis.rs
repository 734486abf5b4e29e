//! The sink suite on Redis, and what is special about it. Every test has a server of its own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Headers, Message, MessageId};
use posthaste::sink::Sink;
use posthaste::sink::template::Template;
use posthaste::sinks::redis::{Redis, Settings};

use super::order::{BehindAProxy, order_suite};
use crate::servers::redis::{Entry, Server};

mod answers;
mod channels;
mod cluster;
mod faults;
mod secured;
mod sentinels;
mod streams;

posthaste::sink_suite!(fresh);
order_suite!(fresh, impatient);

const PASSWORD: &str = "hunter2-and-more";

async fn fresh() -> RedisUnderTest {
    RedisUnderTest::new(|_| ()).await
}

async fn impatient() -> RedisUnderTest {
    RedisUnderTest::new(|settings| settings.response_timeout = Duration::from_secs(3)).await
}

fn settings(url: &str, stream: &str) -> Settings {
    Settings::stream(url, Template::parse(stream).unwrap())
}

struct RedisUnderTest {
    server: Server,
    proxy: FaultProxy,
    sink: Arc<Redis>,
}

impl RedisUnderTest {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::start(&["--requirepass", PASSWORD]);
        let proxy = FaultProxy::to(server.address).await.unwrap();
        let url = format!("redis://:{PASSWORD}@{}", proxy.address());
        let mut settings = settings(&url, "{aggregate_type}");
        change(&mut settings);
        Self { server, proxy, sink: Arc::new(Redis::new(settings).unwrap()) }
    }
}

impl BehindAProxy for RedisUnderTest {
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
}

impl From<Entry> for Arrived {
    fn from(mut entry: Entry) -> Self {
        let payload = entry.take("payload").expect("an entry has a payload");
        let mut text = |name: &str| entry.take(name).map(|value| String::from_utf8(value).unwrap());
        let arrived = Self {
            id: text("posthaste-id").unwrap().parse::<MessageId>().unwrap(),
            event_type: text("posthaste-event-type").unwrap(),
            key: text("posthaste-key"),
            tenant: text("posthaste-tenant"),
            correlation_id: text("posthaste-correlation-id"),
            headers: Headers::default(),
            payload,
        };
        let own = entry.0.into_iter().filter(|(name, _)| name != "content-type" && !name.starts_with("posthaste-"));
        let headers = own.map(|(name, value)| (name, String::from_utf8(value).unwrap())).collect();
        Self { headers, ..arrived }
    }
}

#[async_trait]
impl SinkUnderTest for RedisUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.server.entries("account").into_iter().map(Arrived::from).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(PASSWORD.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.aggregate_type = "no-stream".into();
        self.server.command(&["SET", "no-stream", "but a text"]);
        Ok(())
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.proxy.set(Fault::Refuse).await;
        Ok(())
    }

    async fn start(&self) {
        self.proxy.set(Fault::Pass).await;
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.proxy.set(Fault::BlackHole).await;
        Ok(())
    }

    async fn resume(&self) {
        self.proxy.set(Fault::Pass).await;
    }
}
