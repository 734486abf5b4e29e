//! A server that wants TLS and a password.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use posthaste::journal::Journal;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::testkit::waiting::eventually;
use tokio_postgres::{Client, NoTls};

use crate::servers::Private;
use crate::sinks::certificates::Certificates;

const PASSWORD: &str = "correct-horse-battery";

/// A server whose user `keeper` comes in by TLS and password only.
struct Secured {
    server: Private,
    owner: Client,
    certificates: Certificates,
}

impl Secured {
    async fn start() -> Self {
        let server = Private::start("postgres").await;
        let data = server.folder(0).join("pgdata");
        let certificates = Certificates::make();
        install(&certificates, &data);
        let rules = "hostssl all keeper all scram-sha-256\nhost all keeper all reject\nhost all all all trust\n";
        std::fs::write(data.join("pg_hba.conf"), rules).expect("the server's folder");
        let owner = connect(&server).await;
        owner
            .batch_execute(&format!("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '{PASSWORD}'"))
            .await
            .expect("a role");
        owner.batch_execute("ALTER SYSTEM SET ssl = on").await.expect("a setting");
        owner.batch_execute("SELECT pg_reload_conf()").await.expect("it reads its settings");
        let secured = Self { server, owner, certificates };
        let speaks_tls = async || Ok(secured.open("require", PASSWORD).migrate().await.is_ok());
        eventually("the server speaks TLS", speaks_tls).await.expect("it comes up");
        secured
    }

    fn options(&self, mode: &str, password: &str) -> Options {
        let mut options = Options::new(self.url(mode));
        options.password = Some(password.into());
        options.root_certificates = Some(self.certificates.authority());
        options
    }

    fn url(&self, mode: &str) -> String {
        format!("postgres://keeper@{}/postgres?sslmode={mode}", self.server.address())
    }

    fn open(&self, mode: &str, password: &str) -> Postgres {
        Postgres::open(self.options(mode, password)).expect("good settings")
    }

    /// How many connections of the keeper are encrypted, and how many there are.
    async fn connections(&self) -> (i64, i64) {
        let sql = "SELECT count(*) FILTER (WHERE ssl), count(*) FROM pg_stat_ssl
            JOIN pg_stat_activity USING (pid) WHERE usename = 'keeper'";
        let row = self.owner.query_one(sql, &[]).await.expect("an answer");
        (row.get(0), row.get(1))
    }
}

#[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
async fn connect(server: &Private) -> Client {
    let url = format!("postgres://postgres@{}/postgres", server.address());
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
}

/// Puts the key and its certificate where the server looks for them, and makes them its own.
fn install(certificates: &Certificates, data: &Path) {
    let (key, certificate) = (data.join("server.key"), data.join("server.crt"));
    std::fs::copy(certificates.key(), &key).expect("the server's folder");
    std::fs::copy(certificates.certificate(), &certificate).expect("the server's folder");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a key of its own");
    let owned = Command::new("chown").arg("--reference").arg(data).arg(key).arg(certificate).status();
    assert!(owned.expect("chown is there").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_comes_in_by_tls_and_password_and_believes_only_its_authority() {
    let secured = Secured::start().await;

    let store = secured.open("require", PASSWORD);
    assert!(store.check().await.expect("an answer").iter().all(|problem| !problem.refuses));
    let (encrypted, all) = secured.connections().await;
    assert!(encrypted > 0 && encrypted == all, "{encrypted} of {all}");

    let wrong = secured.open("require", "wrong-horse").check().await.expect_err("a wrong password");
    assert!(wrong.to_string().contains("password"), "{wrong}");
    assert!(!wrong.to_string().contains("horse"), "{wrong}");

    let plain = secured.open("disable", PASSWORD).check().await.expect_err("no encryption");
    assert!(plain.to_string().contains("no encryption") || plain.to_string().contains("rejects"), "{plain}");

    let mut options = secured.options("require", PASSWORD);
    options.root_certificates = Some(secured.certificates.stranger());
    let unknown = Postgres::open(options).expect("good settings").check().await.expect_err("an unknown authority");
    assert!(unknown.to_string().contains("certificate"), "{unknown}");

    let mut options = secured.options("require", PASSWORD);
    options.url = (secured.url("require").replace("@127.0.0.1", "@elsewhere") + "&hostaddr=127.0.0.1").into();
    let other_name = Postgres::open(options).expect("good settings").check().await.expect_err("another name");
    assert!(other_name.to_string().contains("certificate"), "{other_name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_certificate_is_checked_is_said_as_libpq_has_it() {
    let secured = Secured::start().await;
    let roots = secured.certificates.authority().display().to_string();
    let open = |mode: &str, host: &str, roots: &str| {
        let url = secured.url(mode).replace("@127.0.0.1", &format!("@{host}"));
        let mut options = Options::new(format!("{url}&hostaddr=127.0.0.1&sslrootcert={roots}"));
        options.password = Some(PASSWORD.into());
        Postgres::open(options).expect("good settings")
    };
    for (mode, host) in [("verify-full", "localhost"), ("verify-ca", "localhost"), ("verify-ca", "elsewhere")] {
        open(mode, host, &roots).partitions().await.unwrap_or_else(|error| panic!("{mode} {host}: {error}"));
    }
    let other_name = open("verify-full", "elsewhere", &roots).partitions().await.expect_err("another name");
    assert!(other_name.to_string().contains("certificate"), "{other_name}");
    let stranger = secured.certificates.stranger().display().to_string();
    for mode in ["verify-full", "verify-ca"] {
        let unknown = open(mode, "localhost", &stranger).partitions().await.expect_err("an unknown authority");
        assert!(unknown.to_string().contains("certificate"), "{mode}: {unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_to_see_a_certificate_gets_ours() {
    let secured = Secured::start().await;
    let data = secured.server.folder(0).join("pgdata");
    let roots = secured.certificates.authority();
    std::fs::copy(&roots, data.join("root.crt")).expect("the server's folder");
    let rules = "hostssl all keeper all scram-sha-256 clientcert=verify-ca\nhost all keeper all reject\nhost all all all trust\n";
    std::fs::write(data.join("pg_hba.conf"), rules).expect("the server's folder");
    secured.owner.batch_execute("ALTER SYSTEM SET ssl_ca_file = 'root.crt'").await.expect("a setting");
    secured.owner.batch_execute("SELECT pg_reload_conf()").await.expect("it reads its settings");
    let without = || secured.open("verify-full", PASSWORD);
    let refused =
        async || Ok(without().partitions().await.is_err_and(|error| error.to_string().contains("certificate")));
    eventually("nobody comes in without a certificate", refused).await.expect("it asks for one");
    let mut options = secured.options("verify-full", PASSWORD);
    options.client_certificate = Some(secured.certificates.certificate());
    let half = Postgres::open(options.clone()).expect_err("the key is missing");
    assert!(half.to_string().contains("client_key"), "{half}");
    options.client_key = Some(secured.certificates.key());
    Postgres::open(options).expect("good settings").partitions().await.expect("it is let in");
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_that_cannot_be_read_are_named() {
    let mut options = Options::new("postgres://keeper@localhost/postgres?sslmode=require");
    options.root_certificates = Some("/does/not/exist.pem".into());
    let error = Postgres::open(options).expect_err("there is no such file");
    assert!(error.to_string().contains("/does/not/exist.pem"), "{error}");
}
