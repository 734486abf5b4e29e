//! The sink suite on NATS JetStream, and what is special about it. Every test has a server of its own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Headers, Message};
use posthaste::sink::Sink;
use posthaste::sink::template::Template;
use posthaste::sinks::nats::{Nats, Settings};

use self::server::{PASSWORD, Server, Stored};
use super::order::{BehindAProxy, order_suite};

mod cluster;
mod faults;
mod refusals;
mod secured;
mod server;
mod streams;

posthaste::sink_suite!(fresh);
order_suite!(fresh, impatient);

async fn fresh() -> NatsUnderTest {
    NatsUnderTest::new(|_| ()).await
}

async fn impatient() -> NatsUnderTest {
    NatsUnderTest::new(|settings| settings.response_timeout = Duration::from_secs(3)).await
}

fn settings(url: &str, subject: &str) -> Settings {
    Settings::new(url, Template::parse(subject).unwrap())
}

struct NatsUnderTest {
    server: Server,
    proxy: FaultProxy,
    sink: Arc<Nats>,
}

impl NatsUnderTest {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::start("");
        server.create_stream("EVENTS", "account.>", "");
        let proxy = FaultProxy::to(server.address).await.unwrap();
        let url = format!("nats://ann:{PASSWORD}@{}", proxy.address());
        let mut settings = settings(&url, "{aggregate_type}.{event_type}.{aggregate_id}");
        change(&mut settings);
        Self { server, proxy, sink: Arc::new(Nats::new(settings).unwrap()) }
    }
}

impl BehindAProxy for NatsUnderTest {
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
}

impl From<Stored> for Arrived {
    fn from(stored: Stored) -> Self {
        let text = |name: &str| stored.header(name).map(str::to_owned);
        let own = |name: &str| !["posthaste-", "nats-", "content-type"].iter().any(|prefix| name.starts_with(prefix));
        Self {
            id: text("posthaste-id").unwrap().parse().unwrap(),
            event_type: text("posthaste-event-type").unwrap(),
            key: text("posthaste-key"),
            tenant: text("posthaste-tenant"),
            correlation_id: text("posthaste-correlation-id"),
            headers: stored.headers.iter().filter(|(name, _)| own(&name.to_lowercase())).cloned().collect::<Headers>(),
            payload: stored.payload,
        }
    }
}

#[async_trait]
impl SinkUnderTest for NatsUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.server.stored("EVENTS").into_iter().map(Arrived::from).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(PASSWORD.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.aggregate_type = "no-stream".into();
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
