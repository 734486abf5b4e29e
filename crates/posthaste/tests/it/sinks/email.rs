//! The sink suite on mail, with a real mail server behind a proxy that misbehaves.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::Sink;
use posthaste::sinks::email::{Email, Encryption, Settings};

use self::mailpit::Mailpit;
use super::everything::{ALL_BUT_PAYLOAD, arrived, written};
use crate::sinks::changed;

mod encrypted;
mod faults;
mod hostile;
mod mailpit;
mod mails;
mod recipients;

posthaste::sink_suite!(fresh);

const PASSWORD: &str = "pw-5f2d9e";

/// Settings for a server on this machine that lets everyone in.
fn settings(smtp: &str, to: &str) -> Settings {
    let url = format!("smtp://relay:{PASSWORD}@{smtp}");
    let [from, to, subject, text] = ["Shop <shop@example.com>", to, "{{ event_type }}", ALL_BUT_PAYLOAD].map(written);
    changed(Settings::new(url, from, to, subject, text), |settings| settings.encryption = Some(Encryption::None))
}

/// An address that nobody else uses.
fn nobodys() -> String {
    format!("u-{}@example.com", uuid::Uuid::now_v7().simple())
}

struct EmailUnderTest {
    mailpit: Mailpit,
    to: String,
    proxy: FaultProxy,
    sink: Arc<Email>,
}

async fn fresh() -> EmailUnderTest {
    let (mailpit, to) = (Mailpit::shared(), nobodys());
    let proxy = FaultProxy::to(mailpit.smtp.parse().expect("an address")).await.expect("a proxy can be started");
    let choice = format!("{{{{ headers['x-to'] | default('{to}') }}}}");
    let settings = changed(settings(&proxy.address().to_string(), &choice), |settings| {
        settings.attach_payload = Some(written("payload.bin"));
    });
    EmailUnderTest { mailpit, to, proxy, sink: Arc::new(Email::new(settings).expect("the settings are good")) }
}

#[async_trait]
impl SinkUnderTest for EmailUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        let mails = self.mailpit.mails_to(&self.to).await;
        mails.into_iter().map(|mail| Arrived { payload: mail.files[0].2.clone(), ..arrived(mail.text()) }).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(PASSWORD.into())
    }

    /// The server takes no mail for that domain.
    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.headers.push("x-to", "somebody@refused.example.net");
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
