//! Clusters, sentinels, TLS.

use std::process::{Child, Command, Stdio};

use posthaste::sink::Verdict;
use posthaste::sinks::redis::{Redis, Sentinel, Settings, Tls, Urls};

use super::server::{Connection, Reply, Server, free_address, program};
use super::settings;
use crate::sinks::runs::{deliver, delivered, orders};

#[tokio::test]
async fn a_cluster_takes_streams_wherever_they_are() {
    let server = Server::start(&["--cluster-enabled", "yes"]);
    server.command(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    server.wait_until(|server| {
        String::from_utf8(server.command(&["CLUSTER", "INFO"]).bytes()).unwrap().contains("cluster_state:ok")
    });
    let url = Urls::Many(vec![server.url().into()]);
    let sink = Redis::new(Settings { url, cluster: true, ..settings("", "order:{aggregate_id}") }).unwrap();
    for id in 0..20 {
        delivered(&sink, &orders(&id.to_string(), 1, 3)).await;
        assert_eq!(server.entries(&format!("order:{id}")).len(), 3);
    }
}

struct Sentinels {
    child: Child,
    url: String,
}

impl Sentinels {
    fn watch(master: &Server) -> Self {
        let address = free_address();
        let config = master.folder.join("sentinel.conf");
        let text = format!(
            "port {}\nbind 127.0.0.1\ndir {}\nsentinel monitor shop 127.0.0.1 {} 1\n\
             sentinel down-after-milliseconds shop 300\nsentinel failover-timeout shop 2000\n",
            address.port(),
            master.folder.display(),
            master.address.port()
        );
        std::fs::write(&config, text).unwrap();
        let child = Command::new(program()).arg(config).arg("--sentinel").stdout(Stdio::null()).spawn().unwrap();
        master.wait_until(|_| {
            let Some(mut connection) = Connection::to(address) else { return false };
            // One that has found the replica can put it in the master's place.
            let replicas = connection.command(&["SENTINEL", "REPLICAS", "shop"]);
            matches!(replicas, Some(Reply::List(found)) if !found.is_empty())
        });
        Self { child, url: format!("redis://{address}") }
    }
}

impl Drop for Sentinels {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn sentinels_say_where_to_go_after_a_failover() {
    let mut master = Server::start(&[]);
    let replica = Server::start(&["--replicaof", "127.0.0.1", &master.address.port().to_string()]);
    let sentinels = Sentinels::watch(&master);
    let sentinel = Some(Sentinel { master: "shop".into(), user: None, password: None });
    let sink = Redis::new(Settings { sentinel, ..settings(&sentinels.url, "orders") }).unwrap();
    let messages = orders("1", 1, 6);
    delivered(&sink, &messages[..3]).await;
    replica.wait_until(|replica| replica.entries("orders").len() == 3);
    master.kill();

    let mut confirmed = 0;
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while confirmed < 3 {
        let outcome = deliver(&sink, &messages[3 + confirmed..]).await;
        confirmed += outcome.confirmed;
        let verdict = outcome.error.as_ref().map(|error| error.verdict);
        assert!(matches!(verdict, None | Some(Verdict::Unreachable)), "{:?}", outcome.error);
        assert!(std::time::Instant::now() < deadline, "{:?}", outcome.error);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(replica.entries("orders").len(), 6);
}

#[tokio::test]
async fn tls_needs_somebody_to_trust() {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("redis-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", &key, "-out", &certificate])
        .stderr(Stdio::null())
        .status();
    assert!(made.expect("openssl is installed").success());
    let tls_port = free_address().port().to_string();
    let server = Server::start(&[
        "--tls-port",
        &tls_port,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-auth-clients",
        "no",
    ]);
    let url = format!("rediss://127.0.0.1:{tls_port}");
    let trusting = Tls { ca: Some(certificate.into()), ..Tls::default() };
    let sink = Redis::new(Settings { tls: Some(trusting), ..settings(&url, "orders") }).unwrap();
    delivered(&sink, &orders("1", 1, 3)).await;
    assert_eq!(server.entries("orders").len(), 3);

    let stranger = Redis::new(settings(&url, "orders")).unwrap();
    let error = deliver(&stranger, &orders("1", 4, 4)).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
