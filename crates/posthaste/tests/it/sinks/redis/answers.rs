//! Somebody in the place of Redis who answers nonsense.

use std::net::SocketAddr;

use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::redis::Redis;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::settings;
use crate::sinks::runs::{orders, run};

/// What the script never answers.
const NONSENSE: [&str; 8] = [
    "$-1\r\n",
    "*-1\r\n",
    "*0\r\n",
    "+OK\r\n",
    ":3\r\n",
    "$0\r\n\r\n",
    "*3\r\n:7\r\n:0\r\n$1\r\nx\r\n",
    "*1\r\n:99\r\n",
];

/// Every script is answered so, whoever asks.
#[expect(clippy::disallowed_methods, reason = "a server that ends with its test")]
async fn answering(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, answer));
        }
    });
    address
}

async fn serve(mut stream: TcpStream, answer: &str) {
    let mut asked = [0; 65_536];
    while let Ok(length @ 1..) = stream.read(&mut asked).await {
        let text = String::from_utf8_lossy(&asked[..length]);
        let greetings = "+OK\r\n".repeat(text.matches("\r\nCLIENT\r\n").count());
        let said = if text.contains("EVALSHA") { answer } else { &greetings };
        stream.write_all(said.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_the_script_cannot_have_given_confirms_nothing() {
    for answer in NONSENSE {
        let sink = Redis::new(settings(&format!("redis://{}", answering(answer).await), "orders")).unwrap();
        let outcome = sink.deliver(&run(&orders("1", 1, 3))).await;
        assert_eq!(outcome.confirmed, 0, "{answer:?}");
        assert_eq!(outcome.error.unwrap().verdict, Verdict::Unreachable, "{answer:?}");
    }
}
