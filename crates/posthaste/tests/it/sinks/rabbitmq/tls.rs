//! A broker that wants TLS, and a certificate from its clients.

use std::path::Path;

use posthaste::sinks::rabbitmq::{Rabbitmq, Settings};

use crate::servers::{Private, block_on, free_address};
use crate::sinks::certificates::{Certificates, assert_turned_away};
use crate::sinks::changed;
use crate::sinks::key;

/// And the port on which it speaks TLS.
async fn broker(certificates: &Certificates) -> (Private, u16) {
    let port = free_address().port();
    let file = |path: &Path| format!("{:?}", path.display().to_string());
    let options = format!(
        "[{{cacertfile,{}}},{{certfile,{}}},{{keyfile,{}}},{{verify,verify_peer}},{{fail_if_no_peer_cert,true}}]",
        file(&certificates.authority()),
        file(&certificates.certificate()),
        file(&certificates.key())
    );
    let listeners = format!("[{{\"127.0.0.1\",{port}}}]");
    let arguments = ["-rabbit", "ssl_listeners", &listeners, "-rabbit", "ssl_options", &options];
    (Private::start_with("rabbitmq", &arguments).await, port)
}

#[test]
fn tls_needs_an_authority_that_is_trusted_and_a_certificate_that_is_wanted() {
    block_on(async {
        let certificates = Certificates::make();
        let (server, port) = broker(&certificates).await;
        let mut settings = Settings::at(format!("amqps://guest:guest@localhost:{port}"));
        settings.routing_key = super::broker::QUEUE.parse().unwrap();
        settings.declare = super::broker::declare();
        settings.client_cert_file = Some(certificates.certificate());
        settings.client_key_file = Some(certificates.key());
        settings.ca_file = Some(certificates.authority());
        let sink = |settings: &Settings| Rabbitmq::new(settings.clone()).unwrap();
        let messages = key::messages("1", 20);
        key::deliver(&sink(&settings), &messages).await;
        let consumer = super::Consumer::of(super::broker::QUEUE, &server.address()).await;
        assert_eq!(super::ids(&consumer.arrived().await), key::ids(&messages));

        let stranger = changed(settings.clone(), |settings| settings.ca_file = Some(certificates.stranger()));
        assert_turned_away(&sink(&stranger), "UnknownIssuer", "guest").await;
        let nobody = changed(settings, |settings| {
            settings.client_cert_file = None;
            settings.client_key_file = None;
        });
        assert_turned_away(&sink(&nobody), "cannot be reached", "guest").await;
    });
}
