//! Exchanges and routes: missing, unbound, made on request.

use futures_util::future::join_all;
use lapin::types::FieldTable;
use posthaste::conformance::sink_suite::{SinkUnderTest, block_on};
use posthaste::message::Message;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::rabbitmq::{Binding, Declare, Exchange, Queue, Rabbitmq, Settings};
use uuid::Uuid;

use super::{RabbitmqUnderTest, consumer, fresh, ids};
use crate::sinks::key;

fn with_event_type(mut messages: Vec<Message>, event_type: &str) -> Vec<Message> {
    messages.iter_mut().for_each(|message| message.event_type = event_type.into());
    messages
}

#[test]
fn an_unroutable_message_is_not_delivered_and_says_which_exchange_and_key() {
    block_on(async {
        let subject = fresh().await;
        let messages = with_event_type(key::messages("1", 3), "nobody.listens");
        let (confirmed, error) = key::refused(&*subject.sink, &messages).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Retry));
        let says = format!(
            "no queue takes it: exchange {:?} has no binding for routing key \"nobody.listens\"",
            subject.consumer.name
        );
        assert_eq!(error.text(), says);
        subject.consumer.bind("nobody.*").await;
        key::deliver(&*subject.sink, &messages).await;
        assert_eq!(ids(&subject.arrived().await), key::ids(&messages));
    });
}

#[test]
fn a_route_that_vanishes_stops_the_run_there_and_nothing_of_it_arrives() {
    block_on(async {
        let subject = fresh().await;
        let (before, after) = (key::messages("1", 10), key::messages("1", 10));
        key::deliver(&*subject.sink, &before).await;
        let name = || subject.consumer.name.as_str().into();
        let unbind = subject.consumer.channel.queue_unbind(name(), name(), "account.#".into(), FieldTable::default());
        unbind.await.unwrap();
        let (confirmed, error) = key::refused(&*subject.sink, &after).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Retry));
        assert_eq!(ids(&subject.arrived().await), key::ids(&before));
    });
}

#[test]
fn without_mandatory_an_unroutable_message_is_gone_as_the_settings_want_it() {
    block_on(async {
        let subject = RabbitmqUnderTest::new(|settings| settings.mandatory = false).await;
        key::deliver(&*subject.sink, &with_event_type(key::messages("1", 3), "nobody.listens")).await;
        assert!(subject.arrived().await.is_empty());
    });
}

#[test]
fn a_missing_exchange_of_one_message_does_not_take_its_neighbours_down() {
    block_on(async {
        let subject = RabbitmqUnderTest::new(|settings| settings.exchange = "{tenant}".parse().unwrap()).await;
        let exchange = &subject.consumer.name;
        let to = |tenant: &str, mut messages: Vec<Message>| {
            messages.iter_mut().for_each(|message| message.tenant = Some(tenant.into()));
            messages
        };
        let lost = to("no-such-exchange", key::messages("lost", 5));
        let neighbours: Vec<_> = (0..16).map(|n| to(exchange, key::messages(&n.to_string(), 50))).collect();
        let failing = async {
            for _ in 0..20 {
                let (confirmed, error) = key::refused(&*subject.sink, &lost).await;
                assert_eq!((confirmed, error.verdict), (0, Verdict::Retry));
                assert!(error.text().contains("exchange \"no-such-exchange\""), "{error}");
            }
        };
        let served = join_all(neighbours.iter().map(|messages| key::deliver(&*subject.sink, messages)));
        tokio::join!(failing, served);
        assert_eq!(subject.arrived().await.len(), 16 * 50);
    });
}

#[test]
fn a_missing_exchange_of_all_messages_is_an_outage_that_the_check_explains() {
    block_on(async {
        let subject = RabbitmqUnderTest::new(|settings| settings.exchange = "no-such-exchange".parse().unwrap()).await;
        let (confirmed, error) = key::refused(&*subject.sink, &key::messages("1", 3)).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        let check = subject.sink.check().await.unwrap_err();
        for error in [error, check] {
            assert!(error.text().contains("no exchange 'no-such-exchange' in vhost '/'"), "{error}");
        }
    });
}

#[test]
fn what_the_settings_declare_is_made_and_may_be_there_already() {
    block_on(async {
        let name = format!("posthaste-declared-{}", Uuid::now_v7().simple());
        let mut settings = Settings::at(format!("amqp://guest:guest@{}/%2f", consumer::server()));
        settings.exchange = name.parse().unwrap();
        let binding = Binding { exchange: name.clone(), routing_key: "account.*".into() };
        settings.declare = Declare {
            exchanges: vec![Exchange { name: name.clone(), kind: "topic".into(), durable: true }],
            queues: vec![Queue { name: name.clone(), kind: None, durable: true, bindings: vec![binding] }],
        };
        for _ in 0..2 {
            let sink = Rabbitmq::new(settings.clone()).unwrap();
            key::deliver(&sink, &key::messages("1", 2)).await;
        }
        settings.declare.exchanges[0].kind = "fanout".into();
        let error = Rabbitmq::new(settings).unwrap().check().await.unwrap_err();
        assert_eq!(error.verdict, Verdict::Unreachable);
        assert!(error.text().starts_with(&format!("cannot declare exchange {name:?}")), "{error}");
    });
}
