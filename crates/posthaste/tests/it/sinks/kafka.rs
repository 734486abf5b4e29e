//! The sink suite on Kafka, and what is special about it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Message, MessageId};
use posthaste::sink::Sink;
use posthaste::sinks::kafka::{Kafka, Settings};

use self::link::Link;
use self::topic::Topic;
use super::order::{BehindAProxy, order_suite};

mod cloudevents;
mod injected;
mod link;
mod runs;
mod secured;
pub(crate) mod topic;
mod transactions;

posthaste::sink_suite!(fresh);
order_suite!(fresh, impatient);

async fn fresh() -> KafkaUnderTest {
    KafkaUnderTest::new(|_| ()).await
}

async fn impatient() -> KafkaUnderTest {
    KafkaUnderTest::new(|settings| settings.timeout = Duration::from_secs(3)).await
}

/// A topic of its own, reached through a proxy.
struct KafkaUnderTest {
    topic: Topic,
    proxy: Link,
    sink: Arc<Kafka>,
}

impl KafkaUnderTest {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let topic = Topic::create(&[]).await;
        let proxy = Link::take().await;
        let mut settings = Settings::at(proxy.address().to_string());
        settings.topic = topic.name.parse().unwrap();
        settings.properties = [("sasl.password", "s3cret-canary")].into_iter().collect();
        change(&mut settings);
        Self { topic, proxy, sink: Arc::new(Kafka::new(settings).unwrap()) }
    }
}

#[async_trait]
impl SinkUnderTest for KafkaUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.topic.arrived().await
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok("s3cret-canary".into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.payload = vec![b'x'; topic::MAX_BYTES + 1].into();
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
        self.proxy.set(Fault::DropAnswers).await;
        Ok(())
    }

    async fn resume(&self) {
        self.proxy.set(Fault::Pass).await;
    }
}

impl BehindAProxy for KafkaUnderTest {
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
}

fn ids(arrived: &[Arrived]) -> Vec<MessageId> {
    arrived.iter().map(|message| message.id).collect()
}
