//! The sink suite with real workers of BullMQ in Node, and what is special about a job that somebody else does.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::Sink;
use posthaste::sink::template::Template;
use posthaste::sinks::bullmq::{Bullmq, Settings};

use self::workers::Workers;
use super::order::{BehindAProxy, order_suite};
use crate::servers::redis::Server;

#[cfg(feature = "kafka")]
mod example;
mod faults;
mod jobs;
mod queues;
mod raw;
mod relays;
mod workers;

posthaste::sink_suite!(fresh);
order_suite!(fresh, impatient);

const PASSWORD: &str = "hunter2-and-more";
const QUEUE: &str = "outbox-accounts";

async fn fresh() -> BullmqUnderTest {
    BullmqUnderTest::new(|_| ()).await
}

async fn impatient() -> BullmqUnderTest {
    BullmqUnderTest::new(|settings| settings.response_timeout = Duration::from_secs(3)).await
}

fn settings(url: &str, queue: &str) -> Settings {
    Settings::queue(url, Template::parse(queue).unwrap())
}

fn sink(url: &str, queue: &str) -> Bullmq {
    Bullmq::new(settings(url, queue)).unwrap()
}

struct BullmqUnderTest {
    workers: Workers,
    server: Server,
    proxy: FaultProxy,
    sink: Arc<Bullmq>,
}

impl BullmqUnderTest {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::of("valkey", &["--requirepass", PASSWORD]);
        let workers = Workers::of(&server.full_url(), "bullmq", QUEUE).start();
        let proxy = FaultProxy::to(server.address).await.unwrap();
        let mut settings = settings(&format!("redis://:{PASSWORD}@{}", proxy.address()), QUEUE);
        change(&mut settings);
        Self { workers, server, proxy, sink: Arc::new(Bullmq::new(settings).unwrap()) }
    }
}

impl BehindAProxy for BullmqUnderTest {
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
}

#[async_trait]
impl SinkUnderTest for BullmqUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    /// In the order in which workers have ended jobs; with the data as the server has it, because JavaScript changes numbers.
    async fn arrived(&self) -> Vec<Arrived> {
        let ended = self.workers.done().into_iter().filter(|done| done.event == "end");
        ended.map(|done| raw::arrived(&self.server, QUEUE, &done.job)).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(PASSWORD.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.aggregate_type = "refused".into();
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
