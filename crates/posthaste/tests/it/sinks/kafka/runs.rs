//! What of a run is confirmed when the brokers refuse some of it; topics that are not there.

use futures_util::future::join_all;
use posthaste::conformance::sink_suite::block_on;
use posthaste::message::Message;
use posthaste::sink::{Error, Sink, Verdict};
use posthaste::sinks::kafka::{Kafka, Settings};

use super::ids;
use super::topic::{MAX_BYTES, PARTITIONS, Topic};
use crate::servers;
use crate::sinks::key;

fn large(bytes: usize) -> Message {
    let builder = Message::builder("account.changed", "account", "1");
    let limits = posthaste::message::Limits { payload_bytes: usize::MAX, ..Default::default() };
    builder.limits(limits).payload(vec![b'x'; bytes], "text/plain").build().unwrap()
}

/// A client that sends less at once than the topics here take.
fn sink_to(topic: &Topic) -> Kafka {
    let mut settings = Settings::at(servers::address("kafka"));
    settings.topic = topic.name.parse().unwrap();
    settings.properties = [("batch.size", "10000")].into_iter().collect();
    Kafka::new(settings).unwrap()
}

#[test]
fn a_message_at_the_limit_is_taken_and_one_over_it_is_rejected_by_whoever_knows() {
    block_on(async {
        let topic = Topic::create(&[]).await;
        let sink = sink_to(&topic);
        let at_the_limit = large(MAX_BYTES - 2_000);
        key::deliver(&sink, std::slice::from_ref(&at_the_limit)).await;
        for (bytes, who) in [(MAX_BYTES + 1, "broker"), (10_000_001, "client")] {
            let (confirmed, error) = key::refused(&sink, &[large(bytes)]).await;
            assert_eq!((confirmed, error.verdict), (0, Verdict::Reject), "{who}: {error}");
            assert!(error.text().contains(&topic.name), "{error}");
        }
        assert_eq!(ids(&topic.arrived().await), [at_the_limit.id]);
    });
}

#[test]
fn a_message_that_the_topic_refuses_is_found_in_its_batch_and_nothing_overtakes_it() {
    block_on(async {
        let topic = Topic::create(&[("max.message.bytes", "20000")]).await;
        let sink = sink_to(&topic);
        key::deliver(&sink, &key::messages("0", 5)).await;
        let before = topic.arrived().await.len();
        let messages = [key::messages("1", 7), vec![large(30_000)], key::messages("1", 7)].concat();
        let (confirmed, error) = key::refused(&sink, &messages).await;
        assert_eq!((confirmed, error.verdict), (7, Verdict::Reject), "{error}");
        let arrived: Vec<_> = topic.arrived().await.split_off(before);
        assert_eq!(key::first_arrivals(ids(&arrived)), key::ids(&messages[..7]));
    });
}

/// As an engine would: after an outage it goes on from the first that was not confirmed.
async fn refused_in_the_end(sink: &Kafka, messages: &[Message]) -> (usize, Error) {
    let mut confirmed = 0;
    loop {
        let (more, error) = key::refused(sink, &messages[confirmed..]).await;
        confirmed += more;
        if error.verdict != Verdict::Unreachable {
            return (confirmed, error);
        }
    }
}

/// A batch that is refused upsets the client, which may then say nothing until its producer is thrown away. That is an outage, in
/// which nobody loses anything.
#[test]
fn a_refused_message_does_not_harm_other_keys() {
    block_on(async {
        let topic = Topic::create(&[("max.message.bytes", "20000")]).await;
        let sink = sink_to(&topic);
        key::deliver(&sink, &key::messages("0", 1)).await;
        let keys: Vec<_> = (1..20).map(|n| key::messages(&n.to_string(), 60)).collect();
        let bad = [key::messages("bad", 2), vec![large(30_000)]].concat();
        let others = join_all(keys.iter().map(|messages| key::deliver_all(&sink, messages)));
        let ((confirmed, error), _) = tokio::join!(refused_in_the_end(&sink, &bad), others);
        assert_eq!((confirmed, error.verdict), (2, Verdict::Reject));
        let arrived = topic.arrived().await;
        for messages in &keys {
            let of_key =
                arrived.iter().filter(|one| one.key.as_deref() == messages[0].key.as_deref()).map(|one| one.id);
            assert_eq!(key::first_arrivals(of_key), key::ids(messages));
        }
    });
}

#[test]
fn a_topic_that_is_not_there_is_the_trouble_of_its_messages_or_of_all() {
    block_on(async {
        let brokers = servers::address("kafka");
        let topic = Topic::create(&[]).await;
        let mut settings = Settings::at(&brokers);
        settings.topic = "{tenant}".parse().unwrap();
        let sink = Kafka::new(settings.clone()).unwrap();
        let to = |tenant: &str, mut messages: Vec<Message>| {
            messages.iter_mut().for_each(|message| message.tenant = Some(tenant.into()));
            messages
        };
        let lost = to("no-such-topic", key::messages("lost", 3));
        let neighbour = to(&topic.name, key::messages("1", 20));
        let (refused, ()) = tokio::join!(key::refused(&sink, &lost), key::deliver(&sink, &neighbour));
        assert_eq!((refused.0, refused.1.verdict), (0, Verdict::Retry));
        assert!(refused.1.text().contains("topic \"no-such-topic\""), "{}", refused.1);
        assert_eq!(sink.check().await, Ok(()));

        settings.topic = "no-such-topic".parse().unwrap();
        let sink = Kafka::new(settings).unwrap();
        let (confirmed, error) = key::refused(&sink, &lost).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        assert!(sink.check().await.is_err());
    });
}

#[test]
fn keys_go_to_the_partitions_that_java_clients_choose() {
    block_on(async {
        let topic = Topic::create(&[]).await;
        // What the Java client's hash, murmur2, makes of them; from its own tests.
        let hashes = [("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536)];
        let message = |key: &str| Message::builder("a", "a", "1").key(key).build().unwrap();
        for (key, _) in hashes {
            key::deliver(&sink_to(&topic), &[message(key)]).await;
        }
        topic.arrived().await;
        for (key, hash) in hashes {
            assert_eq!(topic.partition_of(key), Some((hash & 0x7fff_ffff) % PARTITIONS), "{key}");
        }
    });
}
