//! What the sink sends, and what it makes of answers.

use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit, Mac};
use posthaste::Message;
use posthaste::journal::{Partition, Position};
use posthaste::retry::Verdict;
use posthaste::sink::template::Template;
use posthaste::sink::{Delivery, Error, Outcome, Run, Sink};
use posthaste::sinks::webhook::{Settings, Webhook};
use sha2::Sha256;

use super::endpoint::{Answer, Endpoint, Request};
use super::{SECRET, settings};
use crate::sinks::changed;

fn order() -> Message {
    let order = Message::builder("order.created", "order", "7").json(&serde_json::json!({ "total": 1 })).tenant("acme");
    order.build().expect("the message is valid")
}

pub(super) fn run(message: &Message) -> Run {
    let message = Arc::new(message.clone());
    let delivery = Delivery::new(message, Position::seq(1));
    Run::new("crm", Partition::new(0), vec![delivery])
}

/// What a receiver with this secret computes.
pub(super) fn signature(request: &Request, secret: &str) -> String {
    let header = |name| request.header(name).expect(name);
    let key = BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    mac.update(format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).as_bytes());
    mac.update(&request.body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

pub(super) async fn deliver(settings: Settings, message: &Message) -> Outcome {
    Webhook::new(settings).expect("the settings are good").deliver(&run(message)).await
}

async fn error(endpoint: &Endpoint, answer: Answer) -> Error {
    endpoint.answer(answer);
    let outcome = deliver(settings(&format!("http://{}/", endpoint.address())), &order()).await;
    assert_eq!(outcome.confirmed, 0);
    outcome.error.expect("it was not delivered")
}

#[tokio::test]
async fn a_request_is_signed_with_every_secret_over_what_arrives() {
    let endpoint = Endpoint::start().await;
    let other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    let both = changed(settings(&format!("http://{}/", endpoint.address())), |settings| {
        settings.secrets = vec![other.into(), SECRET.into()];
    });
    let message = order();
    assert!(deliver(both, &message).await.error.is_none());
    let request = &endpoint.requests()[0];
    let header = |name| request.header(name).expect(name);
    assert_eq!(header("webhook-id"), message.id.to_string());
    assert_eq!(header("idempotency-key"), message.id.to_string());
    let signed = [other, SECRET].map(|secret| signature(request, secret));
    assert_eq!(header("webhook-signature"), signed.join(" "));
    let drift = message.occurred_at.as_second() - header("webhook-timestamp").parse::<i64>().expect("seconds");
    assert!(drift.abs() < 300, "receivers refuse what is older than five minutes");
}

#[tokio::test]
async fn a_message_without_a_signature_has_its_id_and_time_all_the_same() {
    let endpoint = Endpoint::start().await;
    let unsigned =
        changed(settings(&format!("http://{}/", endpoint.address())), |settings| settings.secrets = Vec::new());
    let message = order();
    assert!(deliver(unsigned, &message).await.error.is_none());
    let request = &endpoint.requests()[0];
    assert_eq!(request.header("webhook-id"), Some(message.id.to_string()));
    assert_eq!(request.header("idempotency-key"), Some(message.id.to_string()));
    assert!(request.header("webhook-timestamp").is_some_and(|seconds| seconds.parse::<i64>().is_ok()));
    assert_eq!(request.header("webhook-signature"), None);
}

#[tokio::test]
async fn url_and_headers_are_filled_in_from_the_message() {
    let endpoint = Endpoint::start().await;
    let url = format!("http://{}/{{aggregate_type}}/{{key}}?t={{tenant}}&u={{user|nobody}}", endpoint.address());
    let mut settings = changed(settings(&url), |settings| settings.method = "PUT".into());
    settings.headers.insert("X-Tenant".into(), Template::parse("tenant={tenant}").expect("a template"));
    assert!(deliver(settings, &order()).await.error.is_none());
    let request = &endpoint.requests()[0];
    assert_eq!(request.method, "PUT");
    assert_eq!(request.uri.to_string(), "/order/order%2F7?t=acme&u=nobody");
    assert_eq!(request.header("x-tenant").as_deref(), Some("tenant=acme"));
    assert_eq!(request.header("content-type").as_deref(), Some("application/json"));
}

#[tokio::test]
async fn a_message_cannot_set_what_the_config_or_the_protocol_sets() {
    let endpoint = Endpoint::start().await;
    for name in ["Authorization", "host", "Webhook-Id", "posthaste-id", "content-length"] {
        let message =
            Message::builder("order.created", "order", "7").header(name, "mine").build().expect("it is valid");
        let outcome = deliver(settings(&format!("http://{}/", endpoint.address())), &message).await;
        let error = outcome.error.expect(name);
        assert_eq!(error.verdict, Verdict::Reject, "{error}");
        assert!(error.text().contains(name) && !error.text().contains("mine"), "{error}");
    }
    assert!(endpoint.requests().is_empty());
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_a_cookie_is_not_kept() {
    let (endpoint, elsewhere) = (Endpoint::start().await, Endpoint::start().await);
    let location = format!("http://{}/", elsewhere.address());
    let redirect =
        Answer { headers: vec![("location", location), ("set-cookie", "session=1".into())], ..Answer::status(307) };
    assert_eq!(error(&endpoint, redirect).await.verdict, Verdict::Retry);
    assert!(elsewhere.requests().is_empty());

    let sink = Webhook::new(settings(&format!("http://{}/", endpoint.address()))).expect("the settings are good");
    for _ in 0..2 {
        sink.deliver(&run(&order())).await;
    }
    assert!(endpoint.requests().iter().all(|request| request.header("cookie").is_none()));
}

#[tokio::test]
async fn each_status_has_its_verdict() {
    let endpoint = Endpoint::start().await;
    let cases = [
        (400, Verdict::Reject),
        (404, Verdict::Reject),
        (408, Verdict::Retry),
        (410, Verdict::Gone),
        (425, Verdict::Retry),
        (429, Verdict::Retry),
        (500, Verdict::Retry),
        (503, Verdict::Retry),
    ];
    for (status, verdict) in cases {
        let error = error(&endpoint, Answer::status(status)).await;
        assert_eq!(error.verdict, verdict, "{status}");
        assert!(error.text().contains(&status.to_string()), "{error}");
    }
    let busy = Answer { headers: vec![("retry-after", "17".into())], ..Answer::status(429) };
    assert_eq!(error(&endpoint, busy).await.verdict, Verdict::RetryAfter(Duration::from_secs(17)));
}

#[tokio::test]
async fn the_first_20_kb_of_what_the_endpoint_says_are_kept() {
    let endpoint = Endpoint::start().await;
    let wordy = Answer { body: "no such customer ".repeat(100_000), ..Answer::status(400) };
    let error = error(&endpoint, wordy).await;
    let kept = error.text().strip_prefix("answered 400 Bad Request\n").expect("the status comes first");
    assert_eq!(kept.len(), 20 << 10);
    assert!(kept.starts_with("no such customer no such"), "{kept}");
    assert_eq!(error.brief().len(), posthaste::sink::MAX_BRIEF_CHARS);
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_has_failed_this_message_and_is_not_out_of_reach() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}/", silent.local_addr().expect("it has an address"));
    let impatient = changed(settings(&url), |settings| settings.timeout = Duration::from_millis(50));
    let error = deliver(impatient, &order()).await.error.expect("it was not delivered");
    assert_eq!(error.verdict, Verdict::Retry, "{error}");
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_connected_to_or_found_is_out_of_reach() {
    for url in ["http://127.0.0.1:1/", "https://no-such-host.invalid/"] {
        let sink = Webhook::new(settings(url)).expect("the settings are good");
        let error = sink.deliver(&run(&order())).await.error.expect("it was not delivered");
        assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
        assert_eq!(sink.check().await.expect_err("nobody is there").verdict, Verdict::Unreachable);
    }
}
