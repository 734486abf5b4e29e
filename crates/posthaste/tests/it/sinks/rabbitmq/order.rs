//! What happens to order when the way to the broker breaks.

use std::time::Duration;

use futures_util::future::join_all;
use posthaste::message::Message;
use posthaste::sink::{Sink, Verdict};
use posthaste::testkit::fault_proxy::Fault;
use posthaste::testkit::sink_suite::{SinkUnderTest, block_on};

use super::{RabbitmqUnderTest, fresh, ids};
use crate::sinks::key::{self, Resent};

/// As an engine would: from the first that was not confirmed on, until all are.
async fn deliver_all(subject: &RabbitmqUnderTest, messages: &[Message]) -> Resent {
    key::deliver_all(&*subject.sink, messages).await
}

#[test]
fn links_cut_anywhere_in_a_run_lose_nothing_and_keep_the_order() {
    block_on(async {
        let subject = fresh().await;
        let messages = key::messages("1", 400);
        let delivering = deliver_all(&subject, &messages);
        let cutting = async {
            // Bytes towards the broker: in the middle of the handshake, of properties, of bodies.
            for after in [300, 2_000, 5_000, 20_000, 60_000] {
                subject.proxy.set(Fault::CutAfter(after)).await;
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            subject.proxy.set(Fault::Pass).await;
        };
        let (resent, ()) = tokio::join!(delivering, cutting);
        assert!(resent.outages > 0, "the link was cut");
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn what_was_not_confirmed_when_the_answers_are_lost_is_sent_again_in_order() {
    block_on(async {
        let subject = fresh().await;
        let messages = key::messages("1", 100);
        key::deliver(&*subject.sink, &messages[..10]).await;
        subject.proxy.set(Fault::DropAnswers).await;
        let pending = key::run(&messages[10..]);
        let unanswered = tokio::time::timeout(Duration::from_millis(500), subject.sink.deliver(&pending)).await;
        assert!(unanswered.is_err(), "{unanswered:?}");
        subject.proxy.set(Fault::Pass).await;
        deliver_all(&subject, &messages[10..]).await;
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn many_keys_keep_their_order_while_the_link_breaks_and_heals() {
    block_on(async {
        let subject = fresh().await;
        let keys: Vec<Vec<Message>> = (0..64).map(|n| key::messages(&n.to_string(), 60)).collect();
        let delivering = join_all(keys.iter().map(|messages| deliver_all(&subject, messages)));
        let breaking = async {
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_millis(150)).await;
                subject.proxy.set(Fault::Reset).await;
                subject.proxy.set(Fault::Refuse).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
                subject.proxy.set(Fault::Pass).await;
            }
        };
        tokio::join!(delivering, breaking);
        let arrived = subject.arrived().await;
        for messages in &keys {
            let of_key: Vec<_> =
                arrived.iter().filter(|one| one.key.as_deref() == messages[0].key.as_deref()).cloned().collect();
            assert_eq!(key::first_arrivals(ids(&of_key)), key::ids(messages));
        }
    });
}

#[test]
fn a_slow_broker_is_waited_for() {
    block_on(async {
        let subject = fresh().await;
        subject.proxy.set(Fault::Delay(Duration::from_millis(100))).await;
        let messages = key::messages("1", 50);
        key::deliver(&*subject.sink, &messages).await;
        assert_eq!(ids(&subject.arrived().await), key::ids(&messages));
    });
}

#[test]
fn a_broker_that_does_not_answer_is_out_of_reach_and_left_for_a_new_connection() {
    block_on(async {
        let subject = RabbitmqUnderTest::new(|settings| settings.timeout = Duration::from_millis(500)).await;
        let messages = key::messages("1", 20);
        key::deliver(&*subject.sink, &messages[..5]).await;
        subject.proxy.set(Fault::BlackHole).await;
        let outcome = subject.sink.deliver(&key::run(&messages[5..])).await;
        assert_eq!(outcome.confirmed, 0);
        let error = outcome.error.unwrap();
        assert_eq!((error.verdict, error.text()), (Verdict::Unreachable, "RabbitMQ did not answer within 500ms"));
        assert_eq!(subject.sink.check().await.unwrap_err().verdict, Verdict::Unreachable);
        subject.proxy.set(Fault::Pass).await;
        deliver_all(&subject, &messages[5..]).await;
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}
