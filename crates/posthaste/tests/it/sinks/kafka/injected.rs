//! Errors that a healthy broker does not give: injected into the brokers that the client library brings for such tests.

use posthaste::conformance::sink_suite::block_on;
use posthaste::sink::Sink;
use posthaste::sinks::kafka::{Kafka, Settings};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::ids;
use super::topic::Topic;
use crate::sinks::key;

type Cluster = MockCluster<'static, DefaultProducerContext>;

fn cluster() -> Cluster {
    MockCluster::new(3).unwrap()
}

async fn topic_and_sink(cluster: &Cluster) -> (Topic, Kafka) {
    let topic = Topic::at(&cluster.bootstrap_servers(), |name, partitions| {
        cluster.create_topic(name, partitions, 3).unwrap();
    });
    let mut settings = Settings::at(cluster.bootstrap_servers());
    settings.topic = topic.name.parse().unwrap();
    (topic, Kafka::new(settings).unwrap())
}

#[test]
fn errors_that_pass_are_for_the_client_to_bear() {
    use RDKafkaRespErr::*;
    block_on(async {
        let cluster = cluster();
        let (topic, sink) = topic_and_sink(&cluster).await;
        let messages = key::messages("1", 50);
        key::deliver(&sink, &messages[..10]).await;
        let passing = [
            RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        ];
        cluster.request_errors(RDKafkaApiKey::Produce, &passing);
        key::deliver(&sink, &messages[10..]).await;
        assert_eq!(key::first_arrivals(ids(&topic.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn a_batch_that_is_refused_for_good_is_sent_again_message_by_message_and_not_overtaken() {
    use RDKafkaRespErr::*;
    block_on(async {
        let cluster = cluster();
        let (topic, sink) = topic_and_sink(&cluster).await;
        let messages = key::messages("1", 50);
        key::deliver(&sink, &messages[..10]).await;
        for (error, run) in [
            (RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, &messages[10..30]),
            (RD_KAFKA_RESP_ERR_INVALID_RECORD, &messages[30..]),
        ] {
            cluster.request_errors(RDKafkaApiKey::Produce, &[error]);
            key::deliver(&sink, run).await;
        }
        assert_eq!(key::first_arrivals(ids(&topic.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn a_producer_that_the_brokers_no_longer_know_is_replaced() {
    use RDKafkaRespErr::*;
    block_on(async {
        let cluster = cluster();
        let (topic, sink) = topic_and_sink(&cluster).await;
        let messages = key::messages("1", 40);
        key::deliver(&sink, &messages[..10]).await;
        for (n, error) in [
            RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID,
            RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
            RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
        ]
        .into_iter()
        .enumerate()
        {
            cluster.request_errors(RDKafkaApiKey::Produce, &[error]);
            key::deliver_all(&sink, &messages[10 * (n + 1)..10 * (n + 2)]).await;
        }
        assert_eq!(key::first_arrivals(ids(&topic.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn a_leader_that_goes_in_the_middle_costs_no_order() {
    block_on(async {
        let cluster = cluster();
        let (topic, sink) = topic_and_sink(&cluster).await;
        let messages = key::messages("1", 300);
        let moving = async {
            for leader in [1, 2, 3, 1] {
                for partition in 0..super::topic::PARTITIONS {
                    cluster.partition_leader(&topic.name, partition, Some(leader)).unwrap();
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        tokio::join!(key::deliver_all(&sink, &messages), moving);
        assert_eq!(sink.check().await, Ok(()));
        assert_eq!(key::first_arrivals(ids(&topic.arrived().await)), key::ids(&messages));
    });
}
