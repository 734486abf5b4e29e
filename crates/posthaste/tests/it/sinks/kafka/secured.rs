//! A broker that wants TLS, a certificate, or a password.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use posthaste::conformance::fault_proxy::FaultProxy;
use posthaste::sinks::kafka::{Kafka, Settings};

use super::ids;
use super::topic::Topic;
use crate::servers::{Private, block_on};
use crate::sinks::certificates::{Certificates, assert_turned_away};
use crate::sinks::key;

const PASSWORD: &str = "s3cret-canary";

/// Known to every broker of tests from its first start on.
const SCRAM_PASSWORD: &str = "relay-s3cret";

/// A broker whose first link wants TLS with a certificate, whose second one TLS with a password, and whose third one a proof of a
/// password that is never sent.
struct Secured {
    certificates: Certificates,
    server: Private,
    topic: Topic,
}

impl Secured {
    async fn start() -> Self {
        let certificates = Certificates::make();
        let keystore = certificates.authority().with_file_name("keystore.pem");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        std::fs::write(&keystore, read(&certificates.key()) + &read(&certificates.certificate())).unwrap();
        let protocols = (3..8).fold(String::new(), |mut protocols, link| {
            write!(protocols, ",LINK{link}:PLAINTEXT").unwrap();
            protocols
        });
        let login = "org.apache.kafka.common.security.plain.PlainLoginModule required";
        let scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        let properties = [
            format!(
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LINK0:SSL,LINK1:SASL_SSL,LINK2:SASL_PLAINTEXT{protocols}"
            ),
            format!("ssl.keystore.location={}", keystore.display()),
            format!("ssl.truststore.location={}", certificates.authority().display()),
            "ssl.keystore.type=PEM".into(),
            "ssl.truststore.type=PEM".into(),
            "listener.name.link0.ssl.client.auth=required".into(),
            "listener.name.link1.sasl.enabled.mechanisms=PLAIN".into(),
            format!("listener.name.link1.plain.sasl.jaas.config={login} user_relay=\"{PASSWORD}\";"),
            "listener.name.link2.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512".into(),
            format!("listener.name.link2.scram-sha-256.sasl.jaas.config={scram}"),
            format!("listener.name.link2.scram-sha-512.sasl.jaas.config={scram}"),
        ];
        let options: Vec<&str> = properties.iter().flat_map(|property| ["--override", property]).collect();
        let server = Private::start_with("kafka", &options).await;
        let topic = Topic::create_at(&server.address(), &[]).await;
        Self { certificates, server, topic }
    }

    /// The broker says that it is where a proxy has to be.
    async fn link(&self, n: usize) -> FaultProxy {
        let links = std::fs::read_to_string(self.server.folder(0).join("links")).unwrap();
        let (listening, advertised) = links.lines().nth(n).unwrap().split_once(' ').unwrap();
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        FaultProxy::at(address(advertised), address(listening)).await.unwrap()
    }

    fn sink(&self, link: &FaultProxy, properties: &[(&str, &str)]) -> Kafka {
        let mut settings = Settings::at(link.address().to_string());
        settings.topic = self.topic.name.parse().unwrap();
        settings.timeout = Duration::from_secs(15);
        settings.properties = properties.iter().copied().collect();
        Kafka::new(settings).unwrap()
    }
}

#[test]
fn tls_and_passwords_pass_through_and_who_is_turned_away_learns_why() {
    block_on(async {
        let broker = Secured::start().await;
        let files = [broker.certificates.authority(), broker.certificates.certificate(), broker.certificates.key()];
        let [ca, certificate, key] = &files.map(|path| path.display().to_string());
        let stranger = broker.certificates.stranger().display().to_string();

        let link = broker.link(0).await;
        let tls = [("security.protocol", "SSL"), ("ssl.ca.location", ca)];
        let ours = [("ssl.certificate.location", certificate.as_str()), ("ssl.key.location", key)];
        let messages = key::messages("1", 60);
        key::deliver(&broker.sink(&link, &[tls, ours].concat()), &messages[..20]).await;
        let strange = [("security.protocol", "SSL"), ("ssl.ca.location", &stranger)];
        assert_turned_away(&broker.sink(&link, &strange), "certificate verify failed", PASSWORD).await;
        assert_turned_away(&broker.sink(&link, &tls), "ssl://", PASSWORD).await;

        let link = broker.link(1).await;
        let login = |password| {
            let sasl = [("sasl.mechanism", "PLAIN"), ("sasl.username", "relay"), ("sasl.password", password)];
            [&[("security.protocol", "SASL_SSL"), ("ssl.ca.location", ca)], &sasl[..]].concat()
        };
        key::deliver(&broker.sink(&link, &login(PASSWORD)), &messages[20..40]).await;
        let wrong = "not-the-password";
        assert_turned_away(&broker.sink(&link, &login(wrong)), "Invalid username or password", wrong).await;

        let link = broker.link(2).await;
        let scram = |mechanism, password| {
            let login = [("sasl.mechanism", mechanism), ("sasl.username", "relay"), ("sasl.password", password)];
            [&[("security.protocol", "SASL_PLAINTEXT")], &login[..]].concat()
        };
        key::deliver(&broker.sink(&link, &scram("SCRAM-SHA-256", SCRAM_PASSWORD)), &messages[40..50]).await;
        key::deliver(&broker.sink(&link, &scram("SCRAM-SHA-512", SCRAM_PASSWORD)), &messages[50..]).await;
        assert_turned_away(&broker.sink(&link, &scram("SCRAM-SHA-512", wrong)), "invalid credentials", wrong).await;
        assert_eq!(ids(&broker.topic.arrived().await), key::ids(&messages));
    });
}
