//! The sink suite on Slack, imitated by `emulate`, which shows what it got by Slack's own API.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::Sink;
use posthaste::sinks::slack::{Settings, Slack};

use self::workspace::{Channel, TOKEN};
use super::everything::{EVERYTHING, arrived, written};
use crate::servers;
use crate::sinks::changed;

mod answers;
mod hostile;
mod threads;
mod workspace;

// All but `payloads_arrive_byte_for_byte`: a post is cut at 40,000 characters, as Slack does it. What it says up to there is
// shown by `every_field_arrives`, and that it is cut by `a_post_that_is_too_long_is_cut_and_says_so`.
posthaste::sink_suite! { fresh;
    a_run_arrives_in_order,
    every_field_arrives,
    what_is_confirmed_is_there,
    many_keys_at_once_keep_their_order,
    a_run_stops_at_a_refused_message,
    an_outage_is_unreachable_until_it_ends,
    a_delivery_that_is_dropped_leaves_the_sink_usable,
    nothing_is_confirmed_before_the_destination_answers,
    no_error_shows_a_secret_or_goes_on_forever,
}

/// Settings for a channel of Slack on this machine.
fn settings(address: &str, channel: &str, text: &str) -> Settings {
    changed(Settings::new(written(text)), |settings| {
        settings.token = Some(TOKEN.into());
        settings.channel = Some(written(channel));
        settings.url = format!("http://{address}");
        settings.allow = vec!["127.0.0.1".into()];
    })
}

struct SlackUnderTest {
    channel: Channel,
    proxy: FaultProxy,
    sink: Arc<Slack>,
}

async fn fresh() -> SlackUnderTest {
    let address = servers::address("slack").parse().expect("an address");
    let (channel, proxy) = (Channel::create().await, FaultProxy::to(address).await.expect("a proxy can be started"));
    let choice = format!("{{{{ headers['x-channel'] | default('{}') }}}}", channel.id);
    let sink = Slack::new(settings(&proxy.address().to_string(), &choice, EVERYTHING)).expect("the settings are good");
    SlackUnderTest { channel, proxy, sink: Arc::new(sink) }
}

#[async_trait]
impl SinkUnderTest for SlackUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.channel.posts().await.iter().map(|post| arrived(&workspace::shown(post))).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(TOKEN.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.headers.push("x-channel", "no-such-channel");
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
