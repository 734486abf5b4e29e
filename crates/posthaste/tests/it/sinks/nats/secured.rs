//! Servers that want TLS, a certificate, an NKey, or a user's file.

use std::path::PathBuf;

use async_nats::ConnectOptions;
use async_nats::jetstream::{self, stream};
use posthaste::sinks::nats::{Nats, Tls};

use super::server::{PASSWORD, Server};
use super::settings;
use crate::sinks::certificates::{Certificates, assert_turned_away};
use crate::sinks::changed;
use crate::sinks::runs::{delivered, orders};

#[tokio::test]
async fn tls_needs_an_authority_that_is_trusted_and_a_certificate_that_is_wanted() {
    let certificates = Certificates::make();
    let files = [certificates.authority(), certificates.certificate(), certificates.key()];
    let [ca, certificate, key] = &files.map(|path| path.display().to_string());
    // The test's own reader goes without.
    let server = Server::start(&format!(
        "allow_non_tls: true\ntls {{ ca_file: {ca:?}, cert_file: {certificate:?}, key_file: {key:?}, verify: true }}"
    ));
    server.create_stream("ORDERS", "orders.>", "");

    let url = format!("tls://ann:{PASSWORD}@localhost:{}", server.address.port());
    let sink = |tls: Tls| Nats::new(changed(settings(&url, "orders.x"), |settings| settings.tls = Some(tls))).unwrap();
    let trusting = |ca: PathBuf| {
        let (certificate, key) = (Some(certificates.certificate()), Some(certificates.key()));
        Tls { ca: Some(ca), certificate, key }
    };
    delivered(&sink(trusting(certificates.authority())), &orders("1", 1, 3)).await;
    assert_eq!(server.positions("ORDERS"), [1, 2, 3]);
    assert_turned_away(&sink(trusting(certificates.stranger())), "UnknownIssuer", PASSWORD).await;
    let nobody = Tls { ca: Some(certificates.authority()), ..Tls::default() };
    assert_turned_away(&sink(nobody), "cannot be reached", PASSWORD).await;
}

/// Made for the documentation of NATS, and of no use elsewhere.
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const PUBLIC_KEY: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

#[tokio::test]
async fn an_nkey_opens_the_door_and_is_not_shown() {
    let start = |known: &str| {
        Server::start(&format!(
            "authorization {{ users: [ {{ user: ann, password: \"{PASSWORD}\" }}, {{ nkey: {known} }} ] }}"
        ))
    };
    let sink = |server: &Server| {
        let nkey = Some(SEED.into());
        Nats::new(changed(settings(&format!("nats://{}", server.address), "orders.x"), |settings| settings.nkey = nkey))
            .unwrap()
    };
    let server = start(PUBLIC_KEY);
    server.create_stream("ORDERS", "orders.>", "");
    delivered(&sink(&server), &orders("1", 1, 3)).await;
    assert_eq!(server.positions("ORDERS"), [1, 2, 3]);
    let server = start("UCAEGMA4TVHRFBOYWTZT4OX5BNOKAH67VPA6KEK545A3H2CP2GCLYAB4");
    assert_turned_away(&sink(&server), "does not let us in", SEED).await;
}

#[tokio::test]
async fn a_users_file_opens_the_door_and_is_not_shown() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sinks/nats/operator"));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let server = Server::start(&format!("# no authorization\n{}", read("server.conf")));
    let url = format!("nats://{}", server.address);
    let user = ConnectOptions::with_credentials(&read("relay.creds")).unwrap();
    let context = jetstream::new(user.connect(&url).await.unwrap());
    let config = stream::Config { name: "ORDERS".into(), subjects: vec!["orders.>".into()], ..Default::default() };
    let stream = context.create_stream(config).await.unwrap();

    let sink = |name: &str| {
        let credentials = Some(folder.join(name));
        Nats::new(changed(settings(&url, "orders.x"), |settings| settings.credentials = credentials)).unwrap()
    };
    delivered(&sink("relay.creds"), &orders("1", 1, 3)).await;
    assert_eq!(stream.get_info().await.unwrap().state.messages, 3);
    let stranger = read("stranger.creds");
    let seed = stranger.lines().find(|line| line.starts_with("SU")).unwrap();
    assert_turned_away(&sink("stranger.creds"), "does not let us in", seed).await;
}
