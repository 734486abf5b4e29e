//! A server that wants TLS, and a certificate from its clients.

use std::path::PathBuf;

use posthaste::sinks::redis::{Redis, Tls};

use super::{PASSWORD, settings};
use crate::servers::free_address;
use crate::servers::redis::Server;
use crate::sinks::certificates::{Certificates, assert_turned_away};
use crate::sinks::changed;
use crate::sinks::runs::{delivered, orders};

#[tokio::test]
async fn tls_needs_an_authority_that_is_trusted_and_a_certificate_that_is_wanted() {
    let certificates = Certificates::make();
    let files = [certificates.authority(), certificates.certificate(), certificates.key()];
    let [ca, certificate, key] = &files.map(|path| path.display().to_string());
    let port = free_address().port().to_string();
    let tls = ["--tls-port", &port, "--tls-ca-cert-file", ca, "--tls-cert-file", certificate, "--tls-key-file", key];
    let server = Server::start(&[&["--requirepass", PASSWORD], &tls[..]].concat());

    let url = format!("rediss://:{PASSWORD}@127.0.0.1:{port}");
    let sink = |tls: Tls| Redis::new(changed(settings(&url, "orders"), |settings| settings.tls = Some(tls))).unwrap();
    let trusting = |ca: PathBuf| {
        let (certificate, key) = (Some(certificates.certificate()), Some(certificates.key()));
        Tls { ca: Some(ca), certificate, key }
    };
    delivered(&sink(trusting(certificates.authority())), &orders("1", 1, 3)).await;
    assert_eq!(server.entries("orders").len(), 3);
    assert_turned_away(&sink(trusting(certificates.stranger())), "UnknownIssuer", PASSWORD).await;
    let nobody = Tls { ca: Some(certificates.authority()), ..Tls::default() };
    assert_turned_away(&sink(nobody), "cannot be reached", PASSWORD).await;
}
