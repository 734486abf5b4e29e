//! Private servers themselves.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use posthaste::testkit::waiting::until;

use super::{Private, address};

/// Whether Redis answers at once. On a busy machine also a healthy one may not.
fn answers(address: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_millis(500)))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        Ok(&answer == b"+PONG")
    };
    ask().unwrap_or(false)
}

#[tokio::test]
async fn a_private_server_dies_and_comes_back_where_it_was() {
    let mut server = Private::start_with("redis", &["--maxmemory", "64mb"]).await;
    assert_ne!(server.address(), address("redis"));
    let home = server.node(0).to_owned();
    until("it answers", || answers(&home)).await;
    server.freeze();
    assert!(!answers(&home), "it is frozen");
    server.thaw();
    until("it answers after a thaw", || answers(&home)).await;
    server.kill();
    assert!(!answers(&home), "it is dead");
    server.restart().await;
    until("it answers after a restart", || answers(&home)).await;
    server.end("TERM");
    assert!(!answers(&home), "it has ended");
    assert!(server.folder(0).is_dir(), "its data is left");
    server.restart_node(0);
    server.wait_until_it_answers().await;
    server.kill_node(0);
    drop(server);
    assert!(!answers(&home));
}

#[tokio::test]
async fn every_server_comes_back_after_a_crash() {
    for name in [
        "postgres",
        "postgres13",
        "postgres14",
        "postgres16",
        "postgres17",
        "postgres18",
        "mongodb",
        "mongodb3",
        "rabbitmq",
        "nats",
        "kafka",
    ] {
        let mut server = Private::start(name).await;
        server.kill();
        server.restart().await;
    }
}
