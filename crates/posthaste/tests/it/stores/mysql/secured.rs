//! A server that wants TLS and a password.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options};

use crate::servers::Private;
use crate::sinks::certificates::Certificates;

const PASSWORD: &str = "correct-horse-battery";

/// A server whose user `keeper` comes in by TLS and password only.
async fn secured(name: &'static str, certificates: &Certificates) -> Private {
    let files = [("ssl-key", certificates.key()), ("ssl-cert", certificates.certificate())];
    let options: Vec<String> = files.iter().map(|(option, path)| format!("--{option}={}", path.display())).collect();
    let server = Private::start_with(name, &options.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut owner = Conn::from_url(format!("mysql://root@{}", server.address())).await.expect("a connection");
    owner.query_drop("CREATE DATABASE app").await.expect("a database");
    owner.query_drop(format!("CREATE USER keeper IDENTIFIED BY '{PASSWORD}' REQUIRE SSL")).await.expect("a user");
    owner.query_drop("GRANT ALL ON app.* TO keeper").await.expect("rights");
    server
}

fn open(server: &Private, query: &str, password: &str, authority: std::path::PathBuf) -> MySql {
    let mut options = Options::new(format!("mysql://keeper@{}/app{query}", server.address()));
    options.password = Some(password.into());
    if !query.is_empty() {
        options.root_certificates = Some(authority);
    }
    MySql::open(options).expect("good settings")
}

async fn comes_in_by_tls_and_password_and_believes_only_its_authority(name: &'static str) {
    let certificates = Certificates::make();
    let server = secured(name, &certificates).await;
    let tls = "?require_ssl=true";

    open(&server, tls, PASSWORD, certificates.authority()).migrate().await.expect("a journal");
    let wrong =
        open(&server, tls, "wrong-horse", certificates.authority()).check().await.expect_err("a wrong password");
    assert!(!wrong.is_temporary() && !wrong.to_string().contains("horse"), "{wrong}");
    let plain = open(&server, "", PASSWORD, certificates.authority()).check().await.expect_err("no encryption");
    assert!(plain.to_string().contains("does not let us in"), "{plain}");
    let unknown =
        open(&server, tls, PASSWORD, certificates.stranger()).check().await.expect_err("an unknown authority");
    assert!(unknown.to_string().to_lowercase().contains("certificate"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_of_mariadb_comes_in_by_tls_and_password_and_believes_only_its_authority() {
    comes_in_by_tls_and_password_and_believes_only_its_authority("mariadb").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_of_mysql_comes_in_by_tls_and_password_and_believes_only_its_authority() {
    comes_in_by_tls_and_password_and_believes_only_its_authority("mysql").await;
}
