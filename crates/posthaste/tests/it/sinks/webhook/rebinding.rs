//! Names that come to mean something else.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use posthaste::Message;
use posthaste::retry::Verdict;
use posthaste::sink::{Outcome, Sink};
use posthaste::sinks::webhook::{Lookup, Webhook};

use super::answers::run;
use super::endpoint::Endpoint;
use super::settings;
use crate::sinks::changed;

/// Says one thing after another; the last is repeated.
struct Changing {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Lookup for Changing {
    async fn lookup(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = &self.answers[asked.min(self.answers.len() - 1)];
        Ok(answer.iter().map(|address| SocketAddr::new(*address, 0)).collect())
    }
}

/// A sink that may call 127.0.0.2, and a server that would answer at 127.0.0.1 as well.
async fn sink(answers: &[&[&str]]) -> (Endpoint, Webhook) {
    let endpoint = Endpoint::on("0.0.0.0:0").await;
    let parsed = |answer: &&[&str]| answer.iter().map(|text| text.parse().expect("an address")).collect();
    let lookup = Changing { answers: answers.iter().map(parsed).collect(), asked: AtomicUsize::new(0) };
    let url = format!("http://rebound.example:{}/", endpoint.address().port());
    // Every request connects anew, and so resolves anew.
    let idle_timeout = std::time::Duration::from_nanos(1);
    let settings = changed(settings(&url), |settings| {
        settings.allow = vec!["127.0.0.2".into()];
        settings.idle_timeout = idle_timeout;
    });
    (endpoint, Webhook::with_lookup(settings, Arc::new(lookup)).expect("the settings are good"))
}

async fn deliver(sink: &Webhook) -> Outcome {
    let message = Message::builder("order.created", "order", "7").build().expect("it is valid");
    sink.deliver(&run(&message)).await
}

#[tokio::test]
async fn a_name_that_is_bound_to_an_inner_address_later_is_refused_then() {
    let (endpoint, sink) = sink(&[&["127.0.0.2"], &["127.0.0.1"]]).await;
    assert!(deliver(&sink).await.error.is_none());
    for _ in 0..3 {
        let error = deliver(&sink).await.error.expect("the name means something else now");
        assert_eq!(error.verdict, Verdict::Unreachable);
        assert!(error.text().contains("127.0.0.1 is loopback") && error.text().contains("allow"), "{error}");
    }
    assert!(sink.check().await.is_err());
    assert_eq!(endpoint.requests().len(), 1);
}

#[tokio::test]
async fn of_several_addresses_only_those_that_are_admitted_are_called() {
    let (endpoint, sink) = sink(&[&["127.0.0.1", "10.0.0.1", "127.0.0.2", "::1"]]).await;
    assert!(deliver(&sink).await.error.is_none());
    assert_eq!(endpoint.requests().len(), 1);
}

#[tokio::test]
async fn a_name_of_inner_addresses_is_never_called() {
    let inner = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0", "64:ff9b::7f00:1"];
    for address in inner {
        let (endpoint, sink) = sink(&[&[address]]).await;
        let error = deliver(&sink).await.error.expect(address);
        assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
        assert!(endpoint.requests().is_empty(), "{address}");
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_out_of_reach() {
    let (_, sink) = sink(&[&[]]).await;
    let error = deliver(&sink).await.error.expect("there is nowhere to go");
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
}
