//! The whole way of a payment: `payment.completed.v1` in the log, the journal on PostgreSQL, a topic of Kafka and a partner's webhook.

use std::sync::Arc;
use std::time::Duration;

use posthaste::conformance::kurrentdb::StandIn;
use posthaste::destination::Route;
use posthaste::inspect::{Filter as Wanted, Inspect, Page, SourceChange, Status};
use posthaste::journal::Position;
use posthaste::retry::Backoff;
use posthaste::sink::template::Template;
use posthaste::sinks::{kafka, webhook};
use posthaste::source::Feed;
use posthaste::source::rules::{Rule, Rules};
use posthaste::sources::kurrentdb::{Filter, KurrentDb, Settings};
use posthaste::stores::postgres::Postgres;
use posthaste::testkit::waiting::eventually;
use posthaste::{Destination, Relay, Result};
use tokio::sync::oneshot;

use crate::servers;
use crate::sinks::kafka::topic::Topic;
use crate::sinks::webhook::endpoint::{Answer, Endpoint};
use crate::stores::postgres::fresh;

const METADATA: &str = r#"{"correlationId":"c-42","tenantId":"acme","userId":"ann","source":"checkout",
    "occurredAt":"2026-11-02T03:04:05Z","headers":{"channel":"web"}}"#;

fn projector(server: &StandIn) -> KurrentDb {
    let mut settings = Settings::new(server.connection_string());
    settings.filter = Filter { event_type_prefix: vec!["payment.".into()], ..Filter::default() };
    KurrentDb::new(settings).expect("the settings are right")
}

fn relay(store: &Postgres, server: &StandIn, topic: &Topic, endpoint: &Endpoint) -> Relay {
    let mut to_kafka = kafka::Settings::at(servers::address("kafka"));
    to_kafka.topic = topic.name.parse().expect("a name");
    let url = format!("http://{}/payments", endpoint.address());
    let mut to_partner = webhook::Settings::new(Template::parse(&url).expect("a URL"));
    to_partner.allow = vec!["127.0.0.1".into()];
    let mut partner = Destination::new("webhook:partnerX").route(Route::named_only());
    partner.policy.max_attempts = 3;
    partner.policy.backoff = Backoff::List(vec![Duration::from_millis(10)]);
    let rule = Rule::new("payment.completed.v1").destination("kafka:payments").destination("webhook:partnerX");
    Relay::builder(Arc::new(store.clone()))
        .destination(
            Destination::new("kafka:payments").route(Route::named_only()),
            Arc::new(kafka::Kafka::new(to_kafka).expect("the settings are right")),
        )
        .destination(partner, Arc::new(webhook::Webhook::new(to_partner).expect("the settings are right")))
        .source(Feed::new("payments"), Arc::new(projector(server)), Arc::new(Rules::new([rule])))
        .build()
}

async fn with_status(store: &Postgres, destination: &str, status: Status) -> Result<usize> {
    let filter = Wanted { destination: Some(destination.into()), statuses: vec![status], ..Wanted::default() };
    Ok(store.list(&filter, Page::after(Position::START, 100)).await?.rows.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_goes_from_the_log_to_kafka_and_to_a_partner_once_and_dies_after_the_last_attempt() -> Result<()> {
    let (journal, server) = (fresh().await, StandIn::cluster().await);
    let (topic, endpoint) = (Topic::create(&[]).await, Endpoint::start().await);
    let store = &journal.store;
    let paid = server.append("payment-7", "payment.completed.v1", r#"{"id":"7","amount":5}"#, METADATA);
    server.append("payment-7", "payment.started.v1", "{}", METADATA);
    server.append("order-1", "order.created.v1", "{}", "");
    let (stop, stopped) = oneshot::channel::<()>();
    let relay = relay(store, &server, &topic, &endpoint);
    #[expect(clippy::disallowed_methods, reason = "the relay of a test, which ends with it")]
    let running = tokio::spawn(relay.run(async move { drop(stopped.await) }));

    eventually("both have it", async || Ok(endpoint.accepted().len() == 1 && !topic.arrived().await.is_empty()))
        .await?;
    let (record, request) = (topic.arrived().await.remove(0), endpoint.accepted().remove(0).message());
    for arrived in [&record, &request] {
        assert_eq!(arrived.event_type, "payment.completed.v1");
        assert_eq!((arrived.tenant.as_deref(), arrived.correlation_id.as_deref()), (Some("acme"), Some("c-42")));
        assert_eq!(arrived.key.as_deref(), Some("payment-7"));
        assert_eq!(arrived.payload, br#"{"id":"7","amount":5}"#);
    }
    let header = |arrived: &posthaste::conformance::sink_suite::Arrived, name: &str| {
        arrived.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    assert_eq!(header(&record, "idempotencyKey"), Some(paid.to_string()));
    assert_eq!(header(&request, "channel").as_deref(), Some("web"));

    // The source is read again, and nothing is stored twice.
    assert!(store.change_source(&"payments".into(), &SourceChange::Rewind(None)).await?);
    eventually("it was read again", async || Ok(store.sources().await?[0].duplicates == 2)).await?;
    assert_eq!(store.overview().await?.messages, 2);

    // The partner fails, and fails again: retries, then dead.
    endpoint.answer(Answer::status(500));
    server.append("payment-8", "payment.completed.v1", r#"{"id":"8","amount":6}"#, METADATA);
    eventually("it is dead", async || Ok(with_status(store, "webhook:partnerX", Status::Dead).await? == 1)).await?;
    assert_eq!(topic.arrived().await.len(), 2, "the other destination has it");
    drop(stop);
    running.await.expect("the relay does not panic")?;
    assert_eq!((endpoint.accepted().len(), store.overview().await?.messages), (1, 4));
    Ok(())
}
