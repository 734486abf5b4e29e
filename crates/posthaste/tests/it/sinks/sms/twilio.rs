//! Twilio, imitated by `emulate`, which shows what it got by Twilio's own API; and by Prism, which knows Twilio's own description.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::sms::{Settings, Sms, Twilio};
use serde_json::{Value, json};

use crate::servers;
use crate::sinks::changed;
use crate::sinks::everything::{EVERYTHING, arrived, deliver, order, refusal, written};

posthaste::sink_suite!(fresh);

const ACCOUNT: &str = "AC00000000000000000000000000000000";
const TOKEN: &str = "twilio_test_auth_token";
const FROM: &str = "+15551234567";

pub(super) fn settings(address: &str, to: &str, text: &str) -> Settings {
    let twilio = changed(Twilio::new(ACCOUNT, TOKEN, FROM), |twilio| twilio.url = format!("http://{address}"));
    changed(Settings::new(written(to), written(text)), |settings| {
        settings.twilio = Some(twilio);
        settings.allow = vec!["127.0.0.1".into()];
    })
}

/// A number that nobody else uses.
pub(super) fn nobodys() -> String {
    let random = uuid::Uuid::new_v4().as_u128() % 10_000_000_000;
    format!("+49{random:010}")
}

/// The texts that a number got, in order.
pub(super) async fn texts_to(number: &str) -> Vec<String> {
    let url =
        format!("http://{}/2010-04-01/Accounts/{ACCOUNT}/Messages.json?PageSize=1000", servers::address("twilio"));
    let to = number.replace('+', "%2B");
    let request = reqwest::Client::new().get(format!("{url}&To={to}")).basic_auth(ACCOUNT, Some(TOKEN));
    let answer = request.send().await.expect("it answers").bytes().await.expect("it has a body");
    let list: Value = serde_json::from_slice(&answer).expect("it is JSON");
    let list = list["messages"].as_array().expect("a list");
    let to_number = list.iter().filter(|message| message["to"] == number);
    // Newest first.
    to_number.rev().map(|message| message["body"].as_str().expect("a text").to_owned()).collect()
}

struct TwilioUnderTest {
    to: String,
    proxy: FaultProxy,
    sink: Arc<Sms>,
}

async fn fresh() -> TwilioUnderTest {
    let address = servers::address("twilio").parse().expect("an address");
    let (to, proxy) = (nobodys(), FaultProxy::to(address).await.expect("a proxy can be started"));
    let choice = format!("{{{{ headers['x-to'] | default('{to}') }}}}");
    let many =
        changed(settings(&proxy.address().to_string(), &choice, EVERYTHING), |settings| settings.max_parts = 100_000);
    TwilioUnderTest { to, proxy, sink: Arc::new(Sms::new(many).expect("the settings are good")) }
}

#[async_trait]
impl SinkUnderTest for TwilioUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        texts_to(&self.to).await.iter().map(|text| arrived(text)).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(TOKEN.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.headers.push("x-to", "no number");
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
async fn a_provider_whose_machine_is_gone_is_reached_anew() {
    let subject = fresh().await;
    crate::sinks::vanished::is_reached_anew(&subject, &subject.proxy).await;
}

#[tokio::test]
async fn a_wrong_login_and_a_wrong_sender_concern_every_message() {
    let address = servers::address("twilio");
    let message = order(&json!({})).build().unwrap();
    let wrong_token = changed(settings(&address, &nobodys(), "x"), |settings| {
        settings.twilio.as_mut().unwrap().token = "wrong-5f2d9e".into();
    });
    let sink = Sms::new(wrong_token).expect("the settings are good");
    let error = refusal(&sink, &message).await;
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    assert!(!error.text().contains("5f2d9e"), "{error}");
    assert_eq!(sink.check().await.expect_err("the login is wrong").verdict, Verdict::Unreachable);

    let wrong_sender = changed(settings(&address, &nobodys(), "x"), |settings| {
        settings.twilio.as_mut().unwrap().from = Some("+15550009999".into());
    });
    let error = refusal(&Sms::new(wrong_sender).expect("the settings are good"), &message).await;
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    assert!(error.text().contains("21606") && !error.text().contains("0009999"), "{error}");
}

#[tokio::test]
async fn a_text_that_takes_too_many_parts_is_a_reject_that_tells_length_and_encoding() {
    let sink = Sms::new(settings(&servers::address("twilio"), &nobodys(), "{{ payload.x }}")).expect("good settings");
    let error = refusal(&sink, &order(&json!({ "x": "ж".repeat(300) })).build().unwrap()).await;
    assert_eq!(error.verdict, Verdict::Reject);
    assert_eq!(error.text(), "text: it takes 5 parts (300 places in UCS-2): at most 3 are sent (max_parts)");
}

#[tokio::test]
async fn what_is_sent_fits_twilios_own_description() {
    let address = servers::address("prism");
    for change in [
        |_: &mut Twilio| {},
        |twilio: &mut Twilio| {
            (twilio.from, twilio.messaging_service) = (None, Some(format!("MG{}", "0".repeat(32))));
        },
        |twilio: &mut Twilio| twilio.status_callback = Some("https://example.com/status".into()),
    ] {
        let fitting = changed(settings(&address, "+15557654321", "Your order {{ aggregate_id }}"), |settings| {
            change(settings.twilio.as_mut().unwrap());
        });
        let sink = Sms::new(fitting).expect("the settings are good");
        assert_eq!(sink.check().await, Ok(()));
        let outcome = deliver(&sink, &order(&json!({})).build().unwrap(), None).await;
        assert!(outcome.error.is_none(), "{outcome:?}");
    }
    let unfit = changed(settings(&address, "+15557654321", "x"), |settings| {
        settings.twilio.as_mut().unwrap().account = "AC0000000000000000000000000000zzzz".into();
    });
    let error = refusal(&Sms::new(unfit).expect("the settings are good"), &order(&json!({})).build().unwrap()).await;
    assert_eq!(error.verdict, Verdict::Reject, "Prism refuses what does not fit: {error}");
}
