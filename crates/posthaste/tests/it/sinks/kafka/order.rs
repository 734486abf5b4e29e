//! What happens to order when the way to the brokers breaks.

use std::time::Duration;

use futures_util::future::join_all;
use posthaste::message::Message;
use posthaste::sink::{Sink, Verdict};
use posthaste::testkit::fault_proxy::Fault;
use posthaste::testkit::sink_suite::{SinkUnderTest, block_on};

use super::{KafkaUnderTest, fresh, ids};
use crate::sinks::key;

/// Waits less than the defaults do, for tests in which waiting is all that can be done.
async fn impatient() -> KafkaUnderTest {
    KafkaUnderTest::new(|settings| settings.timeout = Duration::from_secs(2)).await
}

#[test]
fn links_cut_anywhere_in_a_run_lose_nothing_and_keep_the_order() {
    block_on(async {
        let subject = fresh().await;
        let messages = key::messages("1", 400);
        let delivering = key::deliver_all(&*subject.sink, &messages);
        let cutting = async {
            for after in [100, 1_000, 5_000, 20_000, 60_000] {
                subject.proxy.set(Fault::CutAfter(after)).await;
                tokio::time::sleep(Duration::from_millis(700)).await;
            }
            subject.proxy.set(Fault::Pass).await;
        };
        tokio::join!(delivering, cutting);
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn what_was_not_confirmed_when_the_answers_are_lost_is_sent_again_in_order() {
    block_on(async {
        let subject = impatient().await;
        let messages = key::messages("1", 100);
        key::deliver(&*subject.sink, &messages[..10]).await;
        subject.proxy.set(Fault::DropAnswers).await;
        let (confirmed, error) = key::refused(&*subject.sink, &messages[10..]).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        subject.proxy.set(Fault::Pass).await;
        key::deliver_all(&*subject.sink, &messages[10..]).await;
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn many_keys_keep_their_order_while_the_link_breaks_and_heals() {
    block_on(async {
        let subject = fresh().await;
        let keys: Vec<Vec<Message>> = (0..64).map(|n| key::messages(&n.to_string(), 60)).collect();
        let delivering = join_all(keys.iter().map(|messages| key::deliver_all(&*subject.sink, messages)));
        let breaking = async {
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_millis(150)).await;
                subject.proxy.set(Fault::Reset).await;
                subject.proxy.set(Fault::Refuse).await;
                tokio::time::sleep(Duration::from_millis(1_200)).await;
                subject.proxy.set(Fault::Pass).await;
            }
        };
        tokio::join!(delivering, breaking);
        let arrived = subject.arrived().await;
        for messages in &keys {
            let of_key =
                arrived.iter().filter(|one| one.key.as_deref() == messages[0].key.as_deref()).map(|one| one.id);
            assert_eq!(key::first_arrivals(of_key), key::ids(messages));
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
fn a_broker_that_does_not_answer_is_out_of_reach() {
    block_on(async {
        let subject = impatient().await;
        let messages = key::messages("1", 20);
        key::deliver(&*subject.sink, &messages[..5]).await;
        subject.proxy.set(Fault::BlackHole).await;
        let (confirmed, error) = key::refused(&*subject.sink, &messages[5..]).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        assert_eq!(error.text(), "Kafka did not answer within 2s");
        assert_eq!(subject.sink.check().await.unwrap_err().verdict, Verdict::Unreachable);
        subject.proxy.set(Fault::Pass).await;
        key::deliver_all(&*subject.sink, &messages[5..]).await;
        assert_eq!(key::first_arrivals(ids(&subject.arrived().await)), key::ids(&messages));
    });
}
