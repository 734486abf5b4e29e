//! TLS from the start, by STARTTLS, and with the wrong certificates.

use posthaste::sink::settings::Tls;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::email::{Email, Encryption, Settings};
use serde_json::json;

use super::mailpit::Mailpit;
use super::settings;
use crate::servers::{Private, block_on};
use crate::sinks::certificates::Certificates;
use crate::sinks::changed;
use crate::sinks::everything::{deliver, order};

async fn server(certificates: &Certificates, require: &str) -> Private {
    let (certificate, key) = (certificates.certificate(), certificates.key());
    let files = [certificate.to_str().unwrap(), key.to_str().unwrap()];
    let options =
        ["--smtp-tls-cert", files[0], "--smtp-tls-key", files[1], "--smtp-auth-allow-insecure=false", require];
    Private::start_with("mailpit", &options).await
}

fn trusting(smtp: &str, ca: std::path::PathBuf, encryption: Encryption) -> Settings {
    changed(settings(smtp, "u-1@example.com"), |settings| {
        settings.encryption = Some(encryption);
        settings.tls = Tls { ca: Some(ca), ..Tls::default() };
    })
}

#[test]
fn starttls_is_required_and_whom_to_trust_is_checked() {
    block_on(async {
        let certificates = Certificates::make();
        let server = server(&certificates, "--smtp-require-starttls").await;
        let mailpit = Mailpit::of(&server);
        let sink = Email::new(trusting(&mailpit.smtp, certificates.authority(), Encryption::Starttls)).unwrap();
        assert_eq!(sink.check().await, Ok(()));
        assert!(deliver(&sink, &order(&json!({})).build().unwrap(), None).await.error.is_none());
        assert_eq!(mailpit.mails_to("u-1@example.com").await.len(), 1);

        for wrong in [
            trusting(&mailpit.smtp, certificates.stranger(), Encryption::Starttls),
            trusting(&mailpit.smtp, certificates.authority(), Encryption::Tls),
            trusting(&mailpit.smtp, certificates.authority(), Encryption::None),
        ] {
            let sink = Email::new(wrong).unwrap();
            let error = deliver(&sink, &order(&json!({})).build().unwrap(), None).await.error.expect("it is refused");
            assert!(matches!(error.verdict, Verdict::Unreachable | Verdict::Reject), "{error}");
        }
        assert_eq!(mailpit.mails_to("u-1@example.com").await.len(), 1);
    });
}

#[test]
fn a_server_without_starttls_gets_neither_login_nor_mail() {
    block_on(async {
        let server = Private::start("mailpit").await;
        let open = changed(settings(&server.address(), "u-1@example.com"), |settings| settings.encryption = None);
        let sink = Email::new(open).unwrap();
        let error = sink.check().await.expect_err("it offers no encryption");
        assert_eq!(error.verdict, Verdict::Unreachable);
        assert!(error.text().contains("STARTTLS"), "{error}");
    });
}

#[test]
fn tls_from_the_start() {
    block_on(async {
        let certificates = Certificates::make();
        let server = server(&certificates, "--smtp-require-tls").await;
        let sink = Email::new(trusting(&server.address(), certificates.authority(), Encryption::Tls)).unwrap();
        assert_eq!(sink.check().await, Ok(()));
        assert!(deliver(&sink, &order(&json!({})).build().unwrap(), None).await.error.is_none());
    });
}
