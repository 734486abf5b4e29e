//! A master, a replica, and a sentinel that watches them.

use std::process::{Child, Command, Stdio};

use posthaste::sink::Verdict;
use posthaste::sinks::redis::{Redis, Sentinel};

use super::settings;
use crate::servers::free_address;
use crate::servers::redis::{Connection, Reply, Server, program};
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, orders};

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
        let child = Command::new(program("redis")).arg(config).arg("--sentinel").stdout(Stdio::null()).spawn().unwrap();
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
    let sink =
        Redis::new(changed(settings(&sentinels.url, "orders"), |settings| settings.sentinel = sentinel)).unwrap();
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
