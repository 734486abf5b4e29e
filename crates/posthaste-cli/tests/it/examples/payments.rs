//! The example `payments`: from an event store to Kafka and to a partner, by the program alone.

use std::process::Command;
use std::time::Duration;

use posthaste::conformance::kurrentdb::StandIn;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Headers as _, Message as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::address;
use crate::listener::Listener;
use crate::program::{Answer, Place, Relay, until};
use crate::workers_on_postgres::InSchema;

const CONFIG: &str = include_str!("../../../../posthaste/examples/payments/posthaste.toml");
const METADATA: &str = r#"{"correlationId":"c-42","tenantId":"acme","userId":"ann"}"#;
/// What the others have: a message goes to the partner once, is refused three times, and is dead.
const ANSWERS: &[&str] = &["200 OK", "500 Internal Server Error"];

/// The servers of the example, and where the program is told to find them.
struct Scene {
    place: Place,
    _journal: InSchema,
    environment: Vec<(&'static str, String)>,
    log: StandIn,
    partner: Listener,
    topic: BaseConsumer,
    _runtime: Runtime,
}

impl Scene {
    fn set() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (log, partner) = (runtime.block_on(StandIn::cluster()), Listener::answering(ANSWERS));
        let (name, topic) = runtime.block_on(topic());
        let (place, journal) = InSchema::in_place(|_| Place::empty());
        let environment = vec![
            ("DATABASE_URL", format!("postgres://postgres@{}/postgres", address("postgres"))),
            ("POSTHASTE_STORE__POSTGRES__SCHEMA", journal.schema().to_owned()),
            ("ESDB_CONNECTION_STRING", log.connection_string()),
            ("KAFKA_BROKERS", address("kafka")),
            ("PAYMENTS_TOPIC", name),
            ("PARTNER_URL", format!("http://{}/payments", partner.address)),
        ];
        place.write("posthaste.toml", CONFIG);
        Self { place, _journal: journal, environment, log, partner, topic, _runtime: runtime }
    }

    fn program(&self) -> Command {
        let mut command = self.place.command();
        command.envs(self.environment.clone());
        command
    }

    fn run<const N: usize>(&self, args: [&str; N]) -> Answer {
        Answer::from(self.program().args(args).output().unwrap()).succeeds()
    }

    fn json<const N: usize>(&self, args: [&str; N]) -> Vec<Value> {
        self.run(args).json_lines()
    }

    fn pay(&self, id: u64) {
        let data = json!({"id": id, "amount": 5, "currency": "EUR", "card": "s3cret"}).to_string();
        self.log.append(&format!("payment-{id}"), "payment.completed.v1", data, METADATA);
        self.log.append(&format!("payment-{id}"), "payment.archived.v1", "{}", METADATA);
    }

    /// The next record of the topic, as its headers and its payload.
    fn record(&self) -> (Vec<(String, String)>, Value) {
        let mut found = None;
        until("a record arrives", || {
            if let Some(Ok(record)) = self.topic.poll(Duration::from_millis(300)) {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let headers = record.headers().unwrap().iter();
                let headers = headers.map(|header| (header.key.to_owned(), text(header.value.unwrap()))).collect();
                found = Some((headers, serde_json::from_slice(record.payload().unwrap()).unwrap()));
            }
            found.is_some()
        });
        found.unwrap()
    }
}

/// A topic of its own, and who reads it.
async fn topic() -> (String, BaseConsumer) {
    let name = format!("payments-{}", uuid::Uuid::now_v7().simple());
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address("kafka")).set("group.id", &name);
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let new = NewTopic::new(&name, 1, TopicReplication::Fixed(1));
    assert_eq!(admin.create_topics([&new], &AdminOptions::new()).await.unwrap(), [Ok(name.clone())]);
    let consumer: BaseConsumer = config.create().unwrap();
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_offset(&name, 0, Offset::Beginning).unwrap();
    consumer.assign(&partitions).unwrap();
    (name, consumer)
}

#[test]
fn a_payment_reaches_kafka_and_the_partner_once_and_is_dead_after_the_last_attempt() {
    let scene = Scene::set();
    scene.run(["migrate"]);
    scene.run(["check"]);
    scene.pay(7);
    let relay = Relay::start(&mut scene.program());
    let (headers, payload) = scene.record();
    until("the partner has it", || scene.partner.heard().len() == 1);
    let heard = scene.partner.heard().remove(0);
    let wanted = json!({"id": 7, "amount": 5, "currency": "EUR"});
    assert_eq!((&payload, serde_json::from_slice::<Value>(&heard.body).unwrap()), (&wanted, wanted.clone()));
    for (name, value) in [("posthaste-correlation-id", "c-42"), ("posthaste-tenant", "acme"), ("posthaste-user", "ann")]
    {
        assert!(headers.contains(&(name.to_owned(), value.to_owned())), "{headers:?}");
        assert_eq!(heard.header(name), Some(value));
    }
    assert_eq!(heard.header("x-tenant"), Some("acme"));

    scene.run(["sources", "rewind", "payments", "--to", "beginning", "--yes"]);
    until("it was read again", || scene.json(["sources", "show", "payments", "--json"])[0]["duplicates"] == 2);
    assert_eq!(scene.json(["list", "--json"]).len(), 2, "a message for each destination");

    scene.pay(8);
    until("it is dead", || scene.json(["list", "--status", "dead", "--json"]).len() == 1);
    let dead = scene.json(["list", "--status", "dead", "--json"]).remove(0);
    assert_eq!((&dead["destination"], &dead["attempts"]), (&json!("webhook:partnerX"), &json!(3)));
    assert_eq!(scene.record().1["id"], 8, "the other destination has it");
    assert_eq!(scene.partner.heard().len(), 4);
    relay.stop();
}
