//! The sink suite on webhooks, with a real HTTP server behind a proxy that misbehaves.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::Sink;
use posthaste::sink::template::Template;
use posthaste::sinks::webhook::{Settings, Webhook};

use self::endpoint::Endpoint;
use crate::sinks::changed;

mod answers;
mod cloudevents;
pub(crate) mod endpoint;
mod rebinding;

posthaste::sink_suite!(fresh);

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TOKEN: &str = "tok-5f2d9e";

/// Settings for an endpoint on this machine, which has to be allowed.
fn settings(url: &str) -> Settings {
    let token = Template::parse(&format!("Bearer {TOKEN}")).expect("a header is a template");
    changed(Settings::new(Template::parse(url).expect("the URL is a template")), |settings| {
        settings.allow = vec!["127.0.0.1".into()];
        settings.secrets = vec![SECRET.into()];
        settings.headers = [("authorization".to_owned(), token)].into();
    })
}

struct WebhookUnderTest {
    endpoint: Endpoint,
    proxy: FaultProxy,
    sink: Arc<Webhook>,
}

async fn fresh() -> WebhookUnderTest {
    let endpoint = Endpoint::start().await;
    let proxy = FaultProxy::to(endpoint.address()).await.expect("a proxy can be started");
    let url = format!("http://{}/hooks/{{event_type}}?token={TOKEN}", proxy.address());
    let sink = Arc::new(Webhook::new(settings(&url)).expect("the settings are good"));
    WebhookUnderTest { endpoint, proxy, sink }
}

#[async_trait]
impl SinkUnderTest for WebhookUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.endpoint.accepted().iter().map(endpoint::Request::message).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(TOKEN.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        self.endpoint.answer_to(message.id, 422);
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

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_machine_is_gone_is_reached_anew() {
    let subject = fresh().await;
    crate::sinks::vanished::is_reached_anew(&subject, &subject.proxy).await;
}
