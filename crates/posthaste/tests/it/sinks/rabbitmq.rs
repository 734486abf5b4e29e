//! The sink suite on RabbitMQ, and what is special about it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lapin::types::FieldTable;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Message, MessageId};
use posthaste::sink::Sink;
use posthaste::sinks::rabbitmq::{Rabbitmq, Settings};

use self::consumer::Consumer;
use super::order::{BehindAProxy, order_suite};

mod broker;
mod cloudevents;
mod consumer;
mod exchanges;
mod link;
mod runs;
mod tls;

posthaste::sink_suite!(fresh);
order_suite!(fresh, impatient);

async fn fresh() -> RabbitmqUnderTest {
    RabbitmqUnderTest::new(|_| ()).await
}

async fn impatient() -> RabbitmqUnderTest {
    RabbitmqUnderTest::new(|settings| settings.timeout = Duration::from_secs(3)).await
}

/// An exchange and a queue of its own, reached through a proxy.
struct RabbitmqUnderTest {
    consumer: Consumer,
    proxy: FaultProxy,
    sink: Arc<Rabbitmq>,
}

impl RabbitmqUnderTest {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        Self::on_queue(FieldTable::default(), change).await
    }

    async fn on_queue(arguments: FieldTable, change: impl FnOnce(&mut Settings)) -> Self {
        let consumer = Consumer::of_a_new_queue(arguments).await;
        let proxy = FaultProxy::to(consumer::server()).await.unwrap();
        let mut settings = Settings::at(format!("amqp://guest:guest@{}/%2f", proxy.address()));
        settings.exchange = consumer.name.parse().unwrap();
        change(&mut settings);
        Self { consumer, proxy, sink: Arc::new(Rabbitmq::new(settings).unwrap()) }
    }
}

#[async_trait]
impl SinkUnderTest for RabbitmqUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.consumer.arrived().await
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok("guest".into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.event_type = "nobody.listens".into();
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

impl BehindAProxy for RabbitmqUnderTest {
    fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }
}

fn ids(arrived: &[Arrived]) -> Vec<MessageId> {
    arrived.iter().map(|message| message.id).collect()
}
