//! Over TLS, with the certificates of one test.

use posthaste::conformance::kurrentdb::StandIn;
use posthaste::source::Source;
use posthaste::sources::kurrentdb::{KurrentDb, Settings};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use crate::sinks::certificates::Certificates;

const SECRET: &str = "s3cret-canary";

/// A cluster that speaks TLS, and wants a certificate of its clients or not.
async fn cluster(certificates: &Certificates, wants_one: bool) -> StandIn {
    let read = |path| std::fs::read(path).expect("it was made");
    let identity = Identity::from_pem(read(certificates.certificate()), read(certificates.key()));
    let mut tls = ServerTlsConfig::new().identity(identity);
    if wants_one {
        tls = tls.client_ca_root(Certificate::from_pem(read(certificates.authority())));
    }
    StandIn::secured_cluster(tls).await
}

fn source(server: &StandIn, options: &str) -> KurrentDb {
    let string = server.connection_string().replacen("esdb://", &format!("esdb://ann:{SECRET}@"), 1);
    KurrentDb::new(Settings::new(format!("{string}{options}"))).expect("the settings are right")
}

fn trusting(path: std::path::PathBuf) -> String {
    format!("&tlsCaFile={}", path.display())
}

/// Why it cannot be read, which must not take for ever and not show the password.
async fn refused(source: &KurrentDb) -> String {
    let tried = async {
        match source.read_after(None).await {
            Err(error) => error,
            Ok(mut reading) => loop {
                if let Err(error) = reading.next(10).await {
                    return error;
                }
            },
        }
    };
    let error = tokio::time::timeout(super::PATIENCE, tried).await.expect("it is refused").to_string();
    assert!(!error.contains(SECRET), "{error}");
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_with_certificates_of_its_own_authority_is_read_also_after_its_leader_died() {
    let certificates = Certificates::make();
    let server = cluster(&certificates, false).await;
    let source = source(&server, &format!("&tlsVerifyCert=true{}", trusting(certificates.authority())));
    source.check().await.expect("it is trusted");
    let first = server.append("account-1", "account.changed", "{}", "");
    let mut reading = source.read_after(None).await.expect("there is a leader");
    let read = super::events(&mut reading, 1).await;
    assert_eq!(read[0].id, first.to_string());
    server.kill_leader().await;
    let second = server.append("account-1", "account.changed", "{}", "");
    let mut reading = source.read_after(Some(&read[0].checkpoint)).await.expect("there is a new leader");
    assert_eq!(super::events(&mut reading, 1).await[0].id, second.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_an_authority_that_nobody_named_is_refused_with_the_setting_that_names_it() {
    let certificates = Certificates::make();
    let server = cluster(&certificates, false).await;
    for options in [String::new(), trusting(certificates.stranger())] {
        let source = source(&server, &options);
        let error = refused(&source).await;
        assert!(error.contains("tlsCaFile in `connection_string`"), "{error}");
        assert!(source.check().await.is_err_and(|checked| checked.to_string().contains("tlsCaFile")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_certificate_gets_ours_and_says_so_without_it() {
    let certificates = Certificates::make();
    let server = cluster(&certificates, true).await;
    server.append("account-1", "account.changed", "{}", "");
    let trusted = trusting(certificates.authority());
    let without = source(&server, &trusted);
    let named = async {
        // The server closes behind its refusal: who still writes may see a broken connection in place of what was said.
        while !refused(&without).await.contains("userCertFile") {}
    };
    tokio::time::timeout(super::PATIENCE, named).await.expect("the missing setting is named");
    let (certificate, key) = (certificates.certificate(), certificates.key());
    let ours = format!("{trusted}&userCertFile={}&userKeyFile={}", certificate.display(), key.display());
    let mut reading = source(&server, &ours).read_after(None).await.expect("it knows us");
    assert_eq!(super::events(&mut reading, 1).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sides_of_which_one_alone_speaks_tls_say_which_option_is_wrong() {
    let plain = StandIn::single().await;
    let string = plain.connection_string().replace("tls=false", "tls=true");
    let error = refused(&KurrentDb::new(Settings::new(string)).expect("the settings are right")).await;
    assert!(error.contains("tls=false"), "{error}");
}

#[test]
fn files_that_cannot_be_used_are_said_before_anyone_connects() {
    let certificates = Certificates::make();
    let key = certificates.key().display().to_string();
    for (options, wanted) in [
        ("tlsCaFile=/nowhere/ca.pem".to_owned(), "/nowhere/ca.pem"),
        (format!("tlsCaFile={key}"), "holds no certificate"),
        (format!("userCertFile={key}&userKeyFile={key}"), "userCertFile"),
        ("tlsVerifyCert=false".to_owned(), "tlsCaFile"),
    ] {
        let wrong = KurrentDb::new(Settings::new(format!("esdb://ann:{SECRET}@a?{options}"))).expect_err(&options);
        assert_eq!(wrong.setting, "connection_string");
        assert!(wrong.to_string().contains(wanted) && !wrong.to_string().contains(SECRET), "{wrong}");
    }
}
